// Package session manages the sessions of end users and their tokens. Package login opens sessions.
//
// A token has 32 characters of a-z and 0-9:
//
//	┌───────────────┬───────────────────────┐
//	│ id of the user│ random, 108 bits      │
//	│ 11, base 36   │ 21                    │
//	└───────────────┴───────────────────────┘
//
// The id leads to the items of the user, so one read verifies a token. A session belongs to the generation of its
// account in which it was opened. Raising the generation ends all sessions of the user in one write.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clip"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/tenant"
)

// MaxLifetime is the maximum lifetime of a session (C3).
const MaxLifetime = 30 * 24 * time.Hour

// MaxSessions is the maximum number of sessions of a user; the next one ends the oldest (C3).
const MaxSessions = 100

// maxAgent is the maximum length of a stored User-Agent, in bytes.
const maxAgent = 200

// Identity is the end user that a session token belongs to, as stored when the request arrived.
type Identity struct {
	permission.Subject
	Nickname  string
	AvatarURL string
	OpenID    string
	UnionID   string
	AltUser   string // the user's id at alt, "" = none
	// Session is the session of the token.
	Session Session
}

// Token is a session token. Only its digest is stored.
type Token string

const (
	userDigits   = 11
	randomDigits = 21
	base         = 36
)

// NewToken returns a new token of a user.
func NewToken(user int64) Token {
	number := strconv.FormatInt(user, base)
	random := new(big.Int).Exp(big.NewInt(base), big.NewInt(randomDigits), nil)
	random, _ = rand.Int(rand.Reader, random) // rand.Reader never fails
	digits := random.Text(base)
	return Token(strings.Repeat("0", userDigits-len(number)) + number +
		strings.Repeat("0", randomDigits-len(digits)) + digits)
}

// LogValue keeps tokens out of logs.
func (Token) LogValue() slog.Value { return slog.StringValue("[session token]") }

// Valid reports whether t has the form of a token.
func (t Token) Valid() bool {
	return len(t) == userDigits+randomDigits && strings.Trim(string(t), "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// User returns the id in the token, which is not verified; ok is false for a text that is no token.
func (t Token) User() (user int64, ok bool) {
	if !t.Valid() {
		return 0, false
	}
	user, err := strconv.ParseInt(string(t[:userDigits]), base, 64)
	return user, err == nil && user > 0 && user < 1<<53
}

// Digest returns the stored form of the token.
func (t Token) Digest() app.Digest { return app.DigestOf(string(t)) }

// Session is one login of a user on one device.
type Session struct {
	Digest     app.Digest // of the token
	Generation int64      // of the account when the session was opened
	Method     app.LoginMethod
	Address    string
	UserAgent  string
	CreatedAt  time.Time // ms
	ExpiresAt  time.Time // seconds
}

// Sender is the device that logs in.
type Sender struct {
	Address   string
	UserAgent string
}

// New returns a session of a device and its token.
func New(user, generation int64, method app.LoginMethod, from Sender, now time.Time, lifetime time.Duration) (Session, Token) {
	token := NewToken(user)
	return Session{
		Digest: token.Digest(), Generation: generation, Method: method, Address: from.Address,
		UserAgent: clip.Bytes(from.UserAgent, maxAgent), CreatedAt: now, ExpiresAt: now.Add(lifetime),
	}, token
}

// IDLength is the length of the id of a session.
const IDLength = 20

// ID returns the id by which lists name the session: the first digits of its digest. No token can be derived from it.
func (s Session) ID() string { return string(s.Digest)[:min(IDLength, len(s.Digest))] }

// Live reports whether the session has neither expired nor ended with its generation.
func (s Session) Live(generation int64, now time.Time) bool {
	return s.Generation == generation && now.Before(s.ExpiresAt)
}

// Found is what one read returns for a token.
type Found struct {
	Session Session
	// Generation is the current one of the account.
	Generation int64
	// Identity has no Session yet.
	Identity Identity
}

// Reader reads sessions; it is consistent.
type Reader interface {
	// Session returns the session with this digest and its user, in one read. It returns errs.NotFound if the user has
	// no such session.
	Session(ctx context.Context, scope tenant.Scope, user int64, d app.Digest) (Found, error)
	// Identity returns a user without a session. It returns errs.NotFound for one who is missing, blocked or closed.
	Identity(ctx context.Context, scope tenant.Scope, user int64) (Identity, error)
}

// Verifier verifies tokens, with one read each.
type Verifier struct {
	Store Reader
	Clock clock.Clock
}

// VerifySession returns the user of a token. It returns errs.Unauthenticated, always with the same message, for a token
// that is malformed, unknown, expired or revoked, or that belongs to another application or environment.
func (v *Verifier) VerifySession(ctx context.Context, scope tenant.Scope, token string) (Identity, error) {
	user, ok := Token(token).User()
	if !ok {
		return Identity{}, errNoSession()
	}
	found, err := v.Store.Session(ctx, scope, user, Token(token).Digest())
	switch {
	case errs.Is(err, errs.KindNotFound):
		return Identity{}, errNoSession()
	case err != nil:
		return Identity{}, err
	case !found.Session.Live(found.Generation, v.Clock.Now()):
		return Identity{}, errNoSession()
	}
	found.Identity.Session = found.Session
	return found.Identity, nil
}

// EndUser returns a user as whom an administrator acts. It returns errs.NotFound for one who cannot log in.
func (v *Verifier) EndUser(ctx context.Context, scope tenant.Scope, user int64) (Identity, error) {
	return v.Store.Identity(ctx, scope, user)
}

func errNoSession() error {
	return errs.Unauthenticated("the session token is unknown, expired or revoked: log in again")
}

// Cursor returns the position of the session in lists, which are sorted by it in descending order.
func (s Session) Cursor() page.Cursor {
	return page.Cursor(fmt.Sprintf("%013d#%s", s.CreatedAt.UnixMilli(), s.ID()))
}

// Sort sorts sessions, the newest first.
func Sort(all []Session) {
	slices.SortFunc(all, func(a, b Session) int { return cmp.Compare(b.Cursor(), a.Cursor()) })
}
