package api

import (
	"net"
	"net/http"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// sessionPath is what the cookie is sent to: the page and its own endpoints.
const sessionPath = "/console/"

// sessionView is all that the first page needs.
type sessionView struct {
	Account      accountView       `json:"account"`
	CSRFToken    string            `json:"csrf_token"`
	ExpiresAt    int64             `json:"expires_at"`
	Applications []applicationView `json:"applications"`
	Features     featuresView      `json:"features"`
}

type featuresView struct {
	InboxURL string `json:"inbox_url"`
	HookURL  string `json:"hook_url"`
}

// signIn serves POST /console/api/session/.
func (g *Group) signIn(w http.ResponseWriter, r *http.Request) error {
	if err := httpapi.SameOrigin(r); err != nil {
		return err
	}
	var body struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.Email == "" || body.Password == "" {
		return errs.Invalid("email and password must be given")
	}
	if len(body.Email) > console.MaxEmail {
		return errs.Invalid("email must have at most %d bytes", console.MaxEmail)
	}

	in := console.SignIn{
		Email: body.Email, Password: body.Password, Address: httpapi.CallerOf(r).IP, UserAgent: r.UserAgent(),
		Before: httpapi.CookieOf(r),
	}
	cookie, session, account, err := g.Accounts.SignIn(r.Context(), in)
	if noted := g.noteSignIn(r, account, err); err == nil && noted != nil {
		return noted
	}
	if err != nil {
		return err
	}

	http.SetCookie(w, sessionCookie(r, string(cookie), console.SessionMost))
	return g.showSession(w, r, session, account.Administrator())
}

// noteSignIn writes a sign-in to the audit log, and a wrong password of somebody's.
func (g *Group) noteSignIn(r *http.Request, account console.Account, err error) error {
	if account.ID == 0 {
		return nil
	}
	now, status := g.Clock.Now(), http.StatusOK
	if err != nil {
		status = httpapi.Status(err)
	}
	_, err = console.Note(r.Context(), g.Audit.Begin, new(id.Source), console.Entry{
		At: now, By: account.Administrator(), Method: r.Method, Path: r.URL.Path,
		Address: httpapi.CallerOf(r).IP, Status: status,
	})
	return err
}

// sessionCookie is kept from scripts and from other sites. Browsers take Secure cookies over https only, which a
// platform on the same machine does not have.
func sessionCookie(r *http.Request, value string, lifetime time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: httpapi.SessionCookie, Value: value, Path: sessionPath, MaxAge: int(lifetime.Seconds()),
		HttpOnly: true, Secure: !overLoopback(r), SameSite: http.SameSiteStrictMode,
	}
}

// overLoopback reports whether the request came to a loopback host over http.
func overLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	ip := net.ParseIP(host)
	return (host == "localhost" || ip != nil && ip.IsLoopback()) && r.Header.Get("X-Forwarded-Proto") != "https"
}

// session serves GET /console/api/session/.
func (g *Group) session(w http.ResponseWriter, r *http.Request) error {
	return g.showSession(w, r, httpapi.CallerOf(r).Session, administrator(r))
}

func (g *Group) showSession(
	w http.ResponseWriter, r *http.Request, session console.Session, who console.Administrator,
) error {
	applications, err := g.entered(r, who)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, sessionView{
		Account: showAdministrator(who), CSRFToken: session.CSRF, ExpiresAt: session.Expires().Unix(),
		Applications: applications, Features: featuresView{InboxURL: g.InboxURL, HookURL: g.HookURL},
	})
	return nil
}

// signOut serves DELETE /console/api/session/.
func (g *Group) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := g.Accounts.SignOut(r.Context(), httpapi.CallerOf(r).Session); err != nil {
		return err
	}
	http.SetCookie(w, sessionCookie(r, "", -time.Second))
	httpapi.NoContent(w)
	return nil
}

// token serves POST /console/api/token/.
func (g *Group) token(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Application tenant.AppID `json:"application_id"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	who := administrator(r)
	if !who.Enters(body.Application) {
		return errs.NotFound("application %d not found", body.Application)
	}
	a, err := g.Applications.Get(r.Context(), body.Application)
	if err != nil {
		return err
	}

	who.Session = httpapi.CallerOf(r).Session.Digest
	token, expires, err := console.Token(a, who, g.Clock.Now())
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, struct {
		Token     string `json:"token"`
		ExpiresAt int64  `json:"expires_at"`
	}{token, expires.Unix()})
	return nil
}
