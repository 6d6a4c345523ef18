// Package oauth issues the codes and tokens of applications (endpoints 10–12) and authenticates requests by their
// token.
//
// All codes and tokens have one form, 40 lower-case hex digits:
//
//	┌──────────────┬────────────────────────────────┐
//	│ handle (10)  │ random (30 digits, 120 bits)   │
//	└──────────────┴────────────────────────────────┘
//
// The handle is the key of the application and the digest of the whole token is the key of its record, so one
// consistent batch read finds the application and checks the token. Only digests are stored.
//
//	credentials ─► ticket ─► ticket ─► code ─► access + refresh ─► access + refresh ─► …
//	               60 s      60 s      600 s   (exchange)          (refresh)
//
// Tickets and codes are spent by a conditional write and are bound to the client secret that requested them. Access and
// refresh tokens are bound to the generation of the client: a refresh raises it, which revokes all earlier tokens in
// that one write (D10). Tokens also store their grant, the code they descend from, so that a second use of the code can
// revoke every token of the first.
package oauth

import (
	"context"
	"regexp"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/id"
)

// Lifetimes (D10, D11).
const (
	TicketLifetime  = 60 * time.Second
	CodeLifetime    = 600 * time.Second
	AccessLifetime  = 31535999 * time.Second // default; the deployment may set another
	RefreshLifetime = 2 * 365 * 24 * time.Hour
	// ReplayWindow is how long a spent refresh token still returns the pair it was spent for, so that a client whose
	// response was lost can repeat its request.
	ReplayWindow = 60 * time.Second
)

// TokenType and Scope are the same in every response (D10).
const (
	TokenType = "Bearer"
	Scope     = "write"
)

// Kind is the kind of a token; a token is valid as its own kind only.
type Kind string

// The kinds, spelled as stored.
const (
	KindTicket  Kind = "ticket"
	KindCode    Kind = "code"
	KindAccess  Kind = "access"
	KindRefresh Kind = "refresh"
)

// Record is the stored form of a token.
type Record struct {
	Kind      Kind
	Digest    app.Digest
	ExpiresAt time.Time // seconds
	// Stage is 1 for the first ticket of an authorization, 2 for the second (D11).
	Stage int
	// Secret is the digest of the client secret with which this ticket or code was requested.
	Secret app.Digest
	// Generation is the client's generation when the access or refresh token was issued.
	Generation int
	// Grant is the digest of the code that an access or refresh token descends from.
	Grant app.Digest
	// UsedAt is when a code or refresh token was spent, zero before. Milliseconds.
	UsedAt time.Time
	// Salt is the salt from which the successors of a spent refresh token were derived.
	Salt string
}

// live reports whether the record exists and has not expired.
func (r Record) live(now time.Time) bool { return r.Kind != "" && now.Before(r.ExpiresAt) }

// Redemption spends a code and inserts the first pair of tokens.
type Redemption struct {
	Code            app.Digest
	Now             time.Time
	Access, Refresh Record
}

// Rotation spends a refresh token and inserts the next pair.
type Rotation struct {
	Spent           Record
	Salt            string
	Now             time.Time
	Access, Refresh Record // of generation Spent.Generation+1
}

// Store stores tokens beside their application. Every read is consistent. errs.Conflict means that a concurrent request
// won: read again, then decide again.
type Store interface {
	// ByHandle returns the application of a handle. It returns errs.NotFound if there is none.
	ByHandle(ctx context.Context, h app.Handle) (app.Application, error)
	// ClientAndToken returns the application and the record of a token in one read; the Record is zero for an unknown
	// token.
	ClientAndToken(ctx context.Context, h app.Handle, kind Kind, d app.Digest) (app.Application, Record, error)
	// Insert adds a ticket or an unspent code.
	Insert(ctx context.Context, h app.Handle, r Record) error
	// SpendTicket marks a live ticket as used and returns it. It returns errs.NotFound if the ticket is unknown,
	// expired at now or used. Only one call succeeds; claim must be unique per call, so that a retried write recognises
	// its own mark.
	SpendTicket(ctx context.Context, h app.Handle, d app.Digest, claim string, now time.Time) (Record, error)
	// Redeem marks an unused code as used and inserts its tokens, in one transaction. It returns errs.Conflict if the
	// code is used or deleted.
	Redeem(ctx context.Context, h app.Handle, r Redemption) error
	// Rotate raises the client's generation from Spent.Generation by one, marks the refresh token as spent and inserts
	// the next pair, in one transaction. It returns errs.Conflict if the generation has changed, the token is spent or
	// deleted, or its grant was revoked.
	Rotate(ctx context.Context, h app.Handle, r Rotation) error
	// RevokeGrant permanently revokes the current tokens of a code.
	RevokeGrant(ctx context.Context, h app.Handle, code app.Digest) error
	// RevokeAll revokes all tokens of the client by raising its generation.
	RevokeAll(ctx context.Context, h app.Handle) error
}

var tokenForm = regexp.MustCompile(`^[0-9a-f]{40}$`)

// newToken draws a token that starts with the handle h.
func newToken(h app.Handle) string { return string(h) + id.Hex(15) }

// handleOf returns the handle of a token; ok is false if the token is malformed.
func handleOf(token string) (app.Handle, bool) {
	if !tokenForm.MatchString(token) {
		return "", false
	}
	return app.Handle(token[:app.HandleLen]), true
}
