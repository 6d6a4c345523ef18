// Package maillink verifies e-mail addresses and resets passwords by links in mails (client API 2.4, C16).
//
//	SendVerification, SendReset ─► a mail with a token       send.go, text.go
//	Verify, Reset               ─► the token is spent        use.go
//
// A token is 64 hex digits, which lead to its environment:
//
//	┌─────────────────────────┬──────────────────────────┬──────────────────┐
//	│ handle of the           │ test environment, or     │ random, 136 bits │
//	│ application, 10         │ zeros for production, 20 │ 34               │
//	└─────────────────────────┴──────────────────────────┴──────────────────┘
//
// Only its SHA-256 is stored. It is spent in the transaction of the change that it proves, and is void if the account has
// another address by then.
package maillink

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
)

// Kind is what a token is for.
type Kind string

// The kinds of tokens.
const (
	Verify Kind = "verify" // an address
	Reset  Kind = "reset"  // a password
)

// validFor is how long a token is valid.
var validFor = map[Kind]time.Duration{Verify: 24 * time.Hour, Reset: 30 * time.Minute}

// Limits of mails and requests.
const (
	MaxPerAddress = 20 // requests to reset a password from one IP address in an hour (C16)
	maxPerDay     = 10 // mails of a kind to one mailbox in 24 hours
)

// Token is the secret in a link.
type Token string

const (
	envDigits    = 20
	randomBytes  = 17
	tokenLength  = app.HandleLen + envDigits + 2*randomBytes
	inProduction = "00000000000000000000"
)

func newToken(handle app.Handle, env tenant.EnvID) Token {
	if env == tenant.Production {
		env = inProduction
	}
	return Token(string(handle) + string(env) + id.Hex(randomBytes))
}

// LogValue keeps tokens out of logs.
func (Token) LogValue() slog.Value { return slog.StringValue("[mail token]") }

// environment returns the environment in a token, which is not verified; ok is false for a text that is no token.
func (t Token) environment() (handle app.Handle, env tenant.EnvID, ok bool) {
	if len(t) != tokenLength || strings.Trim(string(t), "0123456789abcdef") != "" {
		return "", "", false
	}
	handle, env = app.Handle(t[:app.HandleLen]), tenant.EnvID(t[app.HandleLen:app.HandleLen+envDigits])
	if env == inProduction {
		env = tenant.Production
	}
	return handle, env, true
}

// Kept is a stored token.
type Kept struct {
	Digest     app.Digest
	Kind       Kind
	User       user.ID
	Email      string // key of identifier.OfEmail: the address that got the mail
	Generation int64  // of the account then: a token to reset is void after another password change
	Expires    time.Time
	Spent      bool
}

// ProofKey returns the Key of the login.Proof that the token is.
func (k Kept) ProofKey() string { return "mail#" + string(k.Digest) }

// Store stores tokens. Reads are consistent.
type Store interface {
	PutToken(ctx context.Context, scope tenant.Scope, k Kept) error
	// Token returns errs.NotFound if there is no such token in the environment.
	Token(ctx context.Context, scope tenant.Scope, d app.Digest) (Kept, error)
}

// Links sends and uses links.
type Links struct {
	Applications app.HandleReader
	Logins       *login.Service
	Store        Store
	Settings     email.Settings
	Sender       email.Sender
	Claims       action.Claims // of mails that are requested with an Idempotency-Key
}

// Place is where a request came from: what a mail says and links to.
type Place struct {
	Application app.Application
	Scope       tenant.Scope
	Base        string // scheme and host of the platform, for its own pages
	Address     string // IP address of the caller
	Language    Language
}
