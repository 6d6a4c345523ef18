package api

import (
	"crypto/subtle"
	"fmt"
	"net/http"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/oauth"
)

type codeView struct {
	Code      string `json:"code"`
	ExpiresIn int    `json:"expires_in"`
}

// authorize serves endpoint 10: it exchanges credentials for a ticket. Some clients follow its redirects with POST
// (curl -X POST -L); for them the ticket counts, and the body is ignored.
func (g *Group) authorize(w http.ResponseWriter, r *http.Request) error {
	noStore(w)
	if r.URL.Query().Get("ticket") != "" { // an empty ticket counts as absent (D43)
		return g.follow(w, r)
	}

	p, err := readParameters(r)
	if err != nil {
		return err
	}
	if err := required([2]string{"client_id", p.ClientID}, [2]string{"client_secret", p.ClientSecret}); err != nil {
		return err
	}

	ticket, err := g.OAuth.Begin(
		r.Context(), oauth.Credentials{ClientID: app.ClientID(p.ClientID), Secret: p.ClientSecret},
	)
	if err != nil {
		return err
	}

	redirect(w, ticket)

	return nil
}

// follow serves the redirects of endpoint 10: it exchanges a ticket for the next ticket, and finally for the code
// (D11).
func (g *Group) follow(w http.ResponseWriter, r *http.Request) error {
	noStore(w)
	ticket := r.URL.Query().Get("ticket")
	if ticket == "" {
		notAllowed(w, r.Method)
		return nil
	}
	if err := checkCookie(r, ticket); err != nil {
		return err
	}

	step, err := g.OAuth.Continue(r.Context(), ticket)
	if err != nil {
		return err
	}

	// The ticket is used up, so its cookie is deleted.
	setCookie(w, ticket, -1)
	if step.Ticket != "" {
		redirect(w, step.Ticket)
		return nil
	}

	httpapi.Write(w, http.StatusOK, codeView{Code: step.Code, ExpiresIn: int(oauth.CodeLifetime.Seconds())})

	return nil
}

// notAllowed answers a GET without a ticket with 405: without a ticket, the endpoint only supports POST.
func notAllowed(w http.ResponseWriter, method string) {
	w.Header().Set("Allow", "OPTIONS, POST")
	httpapi.Write(w, http.StatusMethodNotAllowed, struct {
		Status  string `json:"status"`
		Message string `json:"error_msg"`
	}{"error", method + " is not allowed here, use OPTIONS, POST"})
}

// redirect sends the client to the same path with a ticket. Location has only the query, so it also works behind a
// stage or a proxy that adds a path prefix.
func redirect(w http.ResponseWriter, ticket string) {
	setCookie(w, ticket, int(oauth.TicketLifetime.Seconds()))
	w.Header().Set("Location", "?ticket="+ticket)
	w.WriteHeader(http.StatusFound)
}

// cookieName differs for every ticket, so that concurrent authorizations can share a cookie jar.
func cookieName(ticket string) string {
	digest := app.DigestOf(ticket)
	return "ticket_" + string(digest[:8])
}

// setCookie stores a ticket in a cookie for that many seconds; a negative number deletes the cookie. Without Path,
// the cookie belongs to the path that the client sees.
func setCookie(w http.ResponseWriter, ticket string, seconds int) {
	value := ticket
	if seconds < 0 {
		value, seconds = "", 0
	}
	w.Header().Add(
		"Set-Cookie", fmt.Sprintf("%s=%s; Max-Age=%d; HttpOnly; Secure; SameSite=Lax", cookieName(ticket), value, seconds),
	)
}

// checkCookie returns errs.Unauthenticated if the ticket's cookie has another value. Clients without cookies are
// accepted (D11).
func checkCookie(r *http.Request, ticket string) error {
	cookie, err := r.Cookie(cookieName(ticket))
	if err != nil {
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(ticket)) != 1 {
		return errs.Unauthenticated("the ticket and its cookie do not belong together")
	}
	return nil
}

// noStore forbids every cache to store codes and tokens (RFC 6749 §5.1).
func noStore(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
}
