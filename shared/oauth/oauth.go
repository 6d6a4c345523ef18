// Package oauth gives applications their codes and tokens (endpoints 10–12)
// and tells whose token a request carries.
//
// Everything it issues has one wire form, 40 lower-case hex digits:
//
//	┌──────────────┬────────────────────────────────┐
//	│ handle (10)  │ random (30 digits, 120 bits)   │
//	└──────────────┴────────────────────────────────┘
//
// The handle leads to the application, the digest of the whole to the record,
// so one consistent batch read answers "whose, and still valid?". Only digests
// are stored.
//
//	credentials ─► ticket ─► ticket ─► code ─► access + refresh ─► access + refresh ─► …
//	               60 s      60 s      600 s   (exchange)          (refresh)
//
// Tickets and codes are spent by a conditional write and belong to the secret
// they were asked for with. Access and refresh tokens belong to the generation
// of the client: refreshing raises it, which ends all earlier tokens in that
// one write (D10). They remember the code they descend from, their grant, so
// that a code sent twice can take back everything the first use gave.
package oauth

import (
	"context"
	"regexp"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/id"
)

// How long things live (D10, D11).
const (
	TicketLifetime  = 60 * time.Second
	CodeLifetime    = 600 * time.Second
	AccessLifetime  = 31535999 * time.Second // unless the deployment says otherwise
	RefreshLifetime = 2 * 365 * 24 * time.Hour
	// ReplayWindow is how long a spent refresh token still gets the pair it was
	// spent for: the time to repeat a request whose answer was lost.
	ReplayWindow = 60 * time.Second
)

// TokenType and Scope are the same in every answer (D10).
const (
	TokenType = "Bearer"
	Scope     = "write"
)

// Kind is what a token is for; a token of one kind is unknown as another.
type Kind string

// The kinds, spelled as in the store.
const (
	KindTicket  Kind = "ticket"
	KindCode    Kind = "code"
	KindAccess  Kind = "access"
	KindRefresh Kind = "refresh"
)

// Record is what is stored of a token.
type Record struct {
	Kind      Kind
	Digest    app.Digest
	ExpiresAt time.Time // seconds
	// Stage is 1 for the ticket a client gets first, 2 for the second (D11).
	Stage int
	// Secret is what the client held when it asked for this ticket or code.
	Secret app.Digest
	// Generation is the client's when an access or refresh token was issued.
	Generation int
	// Grant is the code that an access or refresh token descends from.
	Grant app.Digest
	// UsedAt is when a code or refresh token was spent, zero before. ms.
	UsedAt time.Time
	// Salt is what the pair that replaced a spent refresh token was derived with.
	Salt string
}

// live reports whether the record exists and its time is not over.
func (r Record) live(now time.Time) bool { return r.Kind != "" && now.Before(r.ExpiresAt) }

// Redemption spends a code for a first pair.
type Redemption struct {
	Code            app.Digest
	Now             time.Time
	Access, Refresh Record
}

// Rotation spends a refresh token for the next pair.
type Rotation struct {
	Spent           Record
	Salt            string
	Now             time.Time
	Access, Refresh Record // of generation Spent.Generation+1
}

// Store remembers tokens beside their application. Every read is consistent;
// errs.Conflict says that someone else was faster: read again and decide again.
type Store interface {
	// ByHandle returns the application behind a handle, errs.NotFound when there
	// is none.
	ByHandle(ctx context.Context, h app.Handle) (app.Application, error)
	// ClientAndToken also returns the record of a token, in the same one read;
	// an unknown token is the zero Record.
	ClientAndToken(ctx context.Context, h app.Handle, kind Kind, d app.Digest) (app.Application, Record, error)
	// Insert adds a ticket or an unspent code.
	Insert(ctx context.Context, h app.Handle, r Record) error
	// SpendTicket marks a live ticket as used and returns it. errs.NotFound when
	// it is unknown, expired at now or used. One call wins; claim, different in
	// every call, lets a repeated write recognise itself.
	SpendTicket(ctx context.Context, h app.Handle, d app.Digest, claim string, now time.Time) (Record, error)
	// Redeem marks an unused code as used and inserts what it gives, all or
	// nothing. errs.Conflict when it is used or gone.
	Redeem(ctx context.Context, h app.Handle, r Redemption) error
	// Rotate raises the client's generation from Spent.Generation by one, marks
	// the refresh token as spent and inserts the next pair, all or nothing.
	// errs.Conflict when the generation moved, the token is spent or gone, or
	// its grant was revoked.
	Rotate(ctx context.Context, h app.Handle, r Rotation) error
	// RevokeGrant ends the tokens that now descend from a code, for ever.
	RevokeGrant(ctx context.Context, h app.Handle, code app.Digest) error
	// RevokeAll ends all tokens of the client by raising its generation.
	RevokeAll(ctx context.Context, h app.Handle) error
}

var tokenForm = regexp.MustCompile(`^[0-9a-f]{40}$`)

// newToken draws a token of the application behind h.
func newToken(h app.Handle) string { return string(h) + id.Hex(15) }

// handleOf returns the handle a token starts with, and whether it has the form
// of a token.
func handleOf(token string) (app.Handle, bool) {
	if !tokenForm.MatchString(token) {
		return "", false
	}
	return app.Handle(token[:app.HandleLen]), true
}
