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

// authorize is endpoint 10: credentials become a ticket. Some clients follow
// its redirects as POST (curl -X POST -L); their ticket counts, not their body.
func (g *Group) authorize(w http.ResponseWriter, r *http.Request) error {
	noStore(w)
	if r.URL.Query().Get("ticket") != "" { // an empty one is none (D43)
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

// follow is where the redirects of endpoint 10 lead: a ticket becomes the next
// one, and then the code (D11).
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

// notAllowed answers a GET that follows nothing: for such a caller the endpoint
// has the method POST only.
func notAllowed(w http.ResponseWriter, method string) {
	w.Header().Set("Allow", "OPTIONS, POST")
	httpapi.Write(w, http.StatusMethodNotAllowed, struct {
		Status  string `json:"status"`
		Message string `json:"error_msg"`
	}{"error", method + " is not allowed here, use OPTIONS, POST"})
}

// redirect sends the client to the same path with a ticket. The reference is
// the query alone, so it also holds behind a stage or a proxy that adds to the
// path.
func redirect(w http.ResponseWriter, ticket string) {
	setCookie(w, ticket, int(oauth.TicketLifetime.Seconds()))
	w.Header().Set("Location", "?ticket="+ticket)
	w.WriteHeader(http.StatusFound)
}

// cookieName is different for every ticket, so that several authorizations can
// go on in one cookie jar.
func cookieName(ticket string) string {
	digest := app.DigestOf(ticket)
	return "ticket_" + string(digest[:8])
}

// setCookie keeps a ticket in a cookie for so many seconds; less than 0 ends
// it. Without a Path the cookie belongs to the path as the client sees it.
func setCookie(w http.ResponseWriter, ticket string, seconds int) {
	value := ticket
	if seconds < 0 {
		value, seconds = "", 0
	}
	w.Header().Add(
		"Set-Cookie", fmt.Sprintf("%s=%s; Max-Age=%d; HttpOnly; Secure; SameSite=Lax", cookieName(ticket), value, seconds),
	)
}

// checkCookie refuses a ticket whose cookie came with another value. Clients
// that keep no cookies are served too (D11).
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

// noStore keeps codes and tokens out of every cache (RFC 6749 §5.1).
func noStore(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
}
