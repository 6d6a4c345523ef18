package api

import (
	"context"
	"net"
	"net/http"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// sessionPath is the Path of the session cookie: it covers the page and its endpoints.
const sessionPath = "/console/"

// ConsoleSession is the data of the console's start page.
type ConsoleSession struct {
	Account      ConsoleAccount  `json:"account"`
	CSRFToken    string          `json:"csrf_token"` // The value of the X-CSRF-Token header, required in requests that change data.
	ExpiresAt    httpapi.Seconds `json:"expires_at"`
	Applications []Application   `json:"applications"`
	Features     featuresView    `json:"features"`
}

type featuresView struct {
	InboxURL string `json:"inbox_url"` // The URL of the inbox of a local cloud, which shows sent messages. Empty elsewhere.
	// The base URL for webhooks to the inbox of a local cloud. Empty when they cannot reach it.
	HookURL string `json:"hook_url"`
}

type signIn struct {
	Email    string `json:"email" required:"true"`
	Password string `json:"password" required:"true"`
}

// signIn serves POST /console/api/session/.
func (g *Group) signIn(ctx context.Context, in signIn) (view ConsoleSession, err error) {
	w, r := httpapi.Exchange(ctx)
	if err := httpapi.SameOrigin(r); err != nil {
		return view, err
	}
	if in.Email == "" || in.Password == "" {
		return view, errs.Invalid("email and password must be given")
	}
	if len(in.Email) > console.MaxEmail {
		return view, errs.Invalid("email must have at most %d bytes", console.MaxEmail)
	}

	cookie, session, account, err := g.Accounts.SignIn(ctx, console.SignIn{
		Email: in.Email, Password: in.Password, Address: httpapi.From(ctx).IP, UserAgent: r.UserAgent(),
		Before: httpapi.CookieOf(r),
	})
	// A sign-in that cannot be recorded in the audit log fails.
	if noted := g.noteSignIn(r, account, err); err == nil && noted != nil {
		return view, noted
	}
	if err != nil {
		return view, err
	}

	http.SetCookie(w, sessionCookie(r, string(cookie), console.SessionMost))
	return g.showSession(ctx, session, account.Administrator())
}

// noteSignIn records a sign-in in the audit log, also a wrong password of an existing account.
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
		Address: httpapi.From(r.Context()).IP, Status: status,
	})
	return err
}

// sessionCookie returns a cookie that scripts cannot read and other sites cannot send. It is Secure except on
// loopback: browsers accept Secure cookies only over HTTPS, which the local cloud does not have.
func sessionCookie(r *http.Request, value string, lifetime time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: httpapi.SessionCookie, Value: value, Path: sessionPath, MaxAge: int(lifetime.Seconds()),
		HttpOnly: true, Secure: !overLoopback(r), SameSite: http.SameSiteStrictMode,
	}
}

// overLoopback reports whether the request reached a loopback host over HTTP.
func overLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	ip := net.ParseIP(host)
	return (host == "localhost" || ip != nil && ip.IsLoopback()) && r.Header.Get("X-Forwarded-Proto") != "https"
}

// session serves GET /console/api/session/.
func (g *Group) session(ctx context.Context, _ httpapi.None) (ConsoleSession, error) {
	return g.showSession(ctx, httpapi.From(ctx).Session, administrator(ctx))
}

func (g *Group) showSession(
	ctx context.Context, session console.Session, who console.Administrator,
) (ConsoleSession, error) {
	applications, err := g.entered(ctx, who)
	return ConsoleSession{
		Account: showAdministrator(who), CSRFToken: session.CSRF, ExpiresAt: httpapi.Seconds(session.Expires().Unix()),
		Applications: applications, Features: featuresView{InboxURL: g.InboxURL, HookURL: g.HookURL},
	}, err
}

// signOut serves DELETE /console/api/session/.
func (g *Group) signOut(ctx context.Context, _ httpapi.None) (none httpapi.None, err error) {
	if err := g.Accounts.SignOut(ctx, httpapi.From(ctx).Session); err != nil {
		return none, err
	}
	w, r := httpapi.Exchange(ctx)
	http.SetCookie(w, sessionCookie(r, "", -time.Second))
	return none, nil
}

type tokenView struct {
	Token     string          `json:"token"`
	ExpiresAt httpapi.Seconds `json:"expires_at"`
}

type tokenFor struct {
	Application tenant.AppID `json:"application_id" required:"true"`
}

// token serves POST /console/api/token/.
func (g *Group) token(ctx context.Context, in tokenFor) (view tokenView, err error) {
	who := administrator(ctx)
	if !who.Enters(in.Application) {
		return view, errs.NotFound("application %d not found", in.Application)
	}
	a, err := g.Applications.Get(ctx, in.Application)
	if err != nil {
		return view, err
	}
	return g.tokenOf(ctx, a, who)
}

// tokenOf returns a console token that ends with the session of the request.
func (g *Group) tokenOf(ctx context.Context, a app.Application, who console.Administrator) (tokenView, error) {
	who.Session = httpapi.From(ctx).Session.Digest
	token, expires, err := console.Token(a, who, g.Clock.Now())
	return tokenView{token, httpapi.Seconds(expires.Unix())}, err
}
