package console

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
)

// Lifetimes of a session: without requests, in total, and the interval in which requests update SeenAt.
const (
	SessionIdle  = 12 * time.Hour
	SessionMost  = 7 * 24 * time.Hour
	sessionNoted = 5 * time.Minute
)

// maxAgent is the maximum length of a stored User-Agent, in bytes.
const maxAgent = 200

// Cookie is the session cookie of a browser: "<account>.<40 hex digits>". Only its digest is stored.
type Cookie string

// LogValue keeps cookies out of logs.
func (Cookie) LogValue() slog.Value { return slog.StringValue("[cookie]") }

// account returns the account named in the cookie, which is not verified.
func (c Cookie) account() (AccountID, bool) {
	head, random, _ := strings.Cut(string(c), ".")
	n, ok := id.Parse[AccountID](head)
	return n, ok && len(random) == 40
}

// Session is a signed-in browser.
type Session struct {
	Account AccountID
	Digest  app.Digest // of the cookie
	// CSRF must be sent with every changing request in a header, which pages of other sites cannot set.
	CSRF      string
	CreatedAt time.Time // ms
	SeenAt    time.Time // ms; at most five minutes before the last request
	Address   string
	UserAgent string
}

// Expires returns when the session ends unless there is another request.
func (s Session) Expires() time.Time {
	if idle, most := s.SeenAt.Add(SessionIdle), s.CreatedAt.Add(SessionMost); idle.Before(most) {
		return idle
	}
	return s.CreatedAt.Add(SessionMost)
}

// SessionStore stores sessions. Every read is consistent.
type SessionStore interface {
	// Session returns a session with its account, in one read. It returns errs.NotFound if either does not exist.
	Session(ctx context.Context, id AccountID, d app.Digest) (Session, Account, error)
	// InsertSession adds a session. It returns errs.Conflict if the account's password hash is no longer hash.
	InsertSession(ctx context.Context, s Session, hash password.Hash) error
	// TouchSession updates SeenAt. It does not restore a deleted session.
	TouchSession(ctx context.Context, s Session) error
	// Sessions returns the sessions of an account.
	Sessions(ctx context.Context, id AccountID) ([]Session, error)
	// DeleteSessions deletes sessions of an account.
	DeleteSessions(ctx context.Context, id AccountID, digests ...app.Digest) error
}

// SignIn is a request to sign in.
type SignIn struct {
	Email, Password    string
	Address, UserAgent string
	// Before is the browser's previous session, which ends.
	Before Cookie
}

// SignIn starts a session with a new cookie, which prevents session fixation. It also returns the account for a wrong
// password, for the audit log.
//
// Errors: errs.Unauthenticated, the same for an unknown email and a wrong password; errs.TooMany after too many wrong
// passwords for the email or from the address.
func (s *Service) SignIn(ctx context.Context, in SignIn) (Cookie, Session, Account, error) {
	email := Fold(in.Email)
	if err := s.attempt(ctx, addressKey(in.Address), AddressAttempts); err != nil {
		return "", Session{}, Account{}, err
	}
	if err := s.attempt(ctx, accountKey(email), AccountAttempts); err != nil {
		return "", Session{}, Account{}, err
	}

	a, err := s.Accounts.ByEmail(ctx, email)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return "", Session{}, Account{}, err
	}
	// An unknown email must take as long as a wrong password, so that response times do not reveal accounts.
	known, hash := err == nil, a.Password
	if !known {
		hash = s.Passwords.Decoy()
	}
	matches, err := s.Passwords.Matches(ctx, hash, in.Password)
	if err != nil {
		return "", Session{}, Account{}, err
	}
	if !known || !matches {
		return "", Session{}, a, errs.Unauthenticated("the email or the password is incorrect")
	}

	if err := s.Attempts.Forget(ctx, accountKey(email)); err != nil {
		return "", Session{}, Account{}, err
	}
	if err := s.Attempts.TakeBack(ctx, addressKey(in.Address)); err != nil {
		return "", Session{}, Account{}, err
	}
	cookie, session, err := s.begin(ctx, a, in)
	return cookie, session, a, err
}

// begin starts a session of an account and ends the browser's previous one.
func (s *Service) begin(ctx context.Context, a Account, in SignIn) (Cookie, Session, error) {
	cookie := Cookie(strconv.FormatInt(int64(a.ID), 10) + "." + id.Hex(20))
	now := s.Clock.Now()
	session := Session{
		Account: a.ID, Digest: app.DigestOf(string(cookie)), CSRF: id.Hex(20), CreatedAt: now, SeenAt: now,
		Address: in.Address, UserAgent: clip.Bytes(in.UserAgent, maxAgent),
	}
	err := s.Sessions.InsertSession(ctx, session, a.Password)
	// The insert is conditional on the password hash: the password was changed after it was checked.
	if errs.Is(err, errs.KindConflict) {
		return "", Session{}, errs.Unauthenticated("the email or the password is incorrect")
	}
	if err != nil {
		return "", Session{}, err
	}

	if before, ok := in.Before.account(); ok {
		err = s.Sessions.DeleteSessions(ctx, before, app.DigestOf(string(in.Before)))
	}
	return cookie, session, err
}

// Verify returns the session of a cookie and its administrator.
//
// Errors: errs.Unauthenticated for a malformed or unknown cookie, an expired session or a deleted account.
func (s *Service) Verify(ctx context.Context, c Cookie) (Session, Administrator, error) {
	owner, ok := c.account()
	if !ok {
		return Session{}, Administrator{}, errSignedOut()
	}
	session, a, err := s.Sessions.Session(ctx, owner, app.DigestOf(string(c)))
	if errs.Is(err, errs.KindNotFound) {
		return Session{}, Administrator{}, errSignedOut()
	}
	if err != nil {
		return Session{}, Administrator{}, err
	}

	now := s.Clock.Now()
	if !now.Before(session.Expires()) {
		return Session{}, Administrator{}, errSignedOut()
	}
	// Do not write on every request: SeenAt is exact to some minutes only.
	if now.Sub(session.SeenAt) > sessionNoted {
		session.SeenAt = now
		if err := s.Sessions.TouchSession(ctx, session); err != nil {
			return Session{}, Administrator{}, err
		}
	}
	return session, a.Administrator(), nil
}

// SignOut ends a session and its console tokens.
func (s *Service) SignOut(ctx context.Context, session Session) error {
	return s.Sessions.DeleteSessions(ctx, session.Account, session.Digest)
}

// SignOutEverywhere ends all sessions of an account and their console tokens.
func (s *Service) SignOutEverywhere(ctx context.Context, id AccountID) error {
	// A new revision invalidates the account's console tokens for writes.
	if _, err := s.edit(ctx, id, func(*Account) error { return nil }); err != nil {
		return err
	}
	return s.endSessions(ctx, id, "")
}

// endSessions ends the sessions of an account, except the session but.
func (s *Service) endSessions(ctx context.Context, id AccountID, but app.Digest) error {
	all, err := s.Sessions.Sessions(ctx, id)
	if err != nil {
		return err
	}
	var ended []app.Digest
	for _, session := range all {
		if session.Digest != but {
			ended = append(ended, session.Digest)
		}
	}
	return s.Sessions.DeleteSessions(ctx, id, ended...)
}

func errSignedOut() error {
	return errs.Unauthenticated("you are not signed in, or your session has expired")
}
