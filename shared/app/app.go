// Package app manages the applications of the platform, the credentials of their clients, and the environments that
// divide their data (D9).
//
// An application has one client:
//
//	miniapp        a time-ordered integer, the application's id
//	client id      20 hex digits; the first 10 are its handle
//	client secret  40 hex digits, shown once, kept as a digest
//	environments   production, which always exists, and up to 20 test
//	               environments with an id of 20 hex digits and a name
//
// Every token of the application starts with the handle, so a token leads to its application.
package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"regexp"
	"time"

	"minicloud/shared/tenant"
)

// MaxName is the longest name of an application or environment, in characters.
const MaxName = 64

// MaxEnvironments is the number of test environments an application may have.
const MaxEnvironments = 20

// ClientID is the id of an application's client: 20 lower-case hex digits.
type ClientID string

// Handle is the part of a client id that tokens carry: its first 10 digits. It is unique among applications.
type Handle string

// HandleLen is the length of a handle.
const HandleLen = 10

var clientID = regexp.MustCompile(`^[0-9a-f]{20}$`)

// Valid reports whether c has the form of a client id.
func (c ClientID) Valid() bool { return clientID.MatchString(string(c)) }

// Handle returns the handle of a valid client id.
func (c ClientID) Handle() Handle { return Handle(c[:HandleLen]) }

// Digest is the stored form of a secret or token: its SHA-256, in hex. The secrets have 120 random bits or more, so a
// fast digest is enough.
type Digest string

// DigestOf returns the digest of a secret or token.
func DigestOf(secret string) Digest {
	sum := sha256.Sum256([]byte(secret))
	return Digest(hex.EncodeToString(sum[:]))
}

// Equal compares the digests in constant time (D10).
func (d Digest) Equal(other Digest) bool {
	return subtle.ConstantTimeCompare([]byte(d), []byte(other)) == 1
}

// LogValue keeps digests out of logs.
func (d Digest) LogValue() slog.Value { return slog.StringValue("[digest]") }

// Owner is the administrator who owns an application; endpoint 15 returns it (D14).
type Owner struct {
	UserID     int64
	Nickname   string
	Email      string
	AvatarLink string
}

// Application is one mini-program application with its client.
type Application struct {
	ID           tenant.AppID
	Name         string
	ClientID     ClientID
	SecretDigest Digest
	// Generation is the token generation of the client: a token of another generation is invalid, so raising it revokes
	// all tokens at once (D10). It starts at 1.
	Generation int
	SigningKey SigningKey
	// PreviousKey verifies what it has signed until PreviousUntil; nil = the key was never rotated.
	PreviousKey   SigningKey
	PreviousUntil time.Time
	Owner         Owner
	// Environments maps the ids of the test environments to their names; production is not in it.
	Environments map[tenant.EnvID]string
	Settings     Settings
	CreatedAt    time.Time
}

// Environment returns the name of an environment, and whether the application has that environment.
func (a Application) Environment(id tenant.EnvID) (name string, ok bool) {
	if id == tenant.Production {
		return string(tenant.Production), true
	}
	name, ok = a.Environments[id]
	return name, ok
}

// Scope returns the scope of an environment, of production for ""; ok is false if the application has no such one.
func (a Application) Scope(env tenant.EnvID) (scope tenant.Scope, ok bool) {
	if env == "" {
		env = tenant.Production
	}
	_, ok = a.Environment(env)
	return tenant.Scope{App: a.ID, Env: env}, ok
}

// Holds reports, in constant time, whether id and secret are the credentials of the application's client.
func (a Application) Holds(id ClientID, secret string) bool {
	same := subtle.ConstantTimeCompare([]byte(a.ClientID), []byte(id)) == 1
	return a.SecretDigest.Equal(DigestOf(secret)) && same
}

// Store stores applications. Every read is consistent.
type Store interface {
	// InsertApplication adds a. It returns errs.Duplicate if the id or the handle of its client is taken.
	InsertApplication(ctx context.Context, a Application) error
	// Application returns an application by id. It returns errs.NotFound if there is none.
	Application(ctx context.Context, id tenant.AppID) (Application, error)
	// ByHandle returns an application by the handle of its client. It returns errs.NotFound if there is none.
	ByHandle(ctx context.Context, h Handle) (Application, error)
	// AddEnvironment adds a test environment. It returns errs.Invalid if the application already has MaxEnvironments.
	AddEnvironment(ctx context.Context, h Handle, id tenant.EnvID, name string) error
	// PutSettings replaces the named members of the settings and returns the settings after it. It returns errs.NotFound
	// if there is no such application.
	PutSettings(ctx context.Context, h Handle, s Settings, members []SettingName) (Settings, error)
	// ReplaceSecret sets the digest and raises the token generation in one write.
	ReplaceSecret(ctx context.Context, h Handle, d Digest) error
	// ReplaceKey sets the signing key next in the place of old, which verifies signatures until a time. It returns
	// errs.Conflict if the application has another key than old.
	ReplaceKey(ctx context.Context, h Handle, old, next SigningKey, until time.Time) error
	// Applications returns all applications, by id.
	Applications(ctx context.Context) ([]Application, error)
	// Rename changes the name of the application. It returns errs.NotFound if there is none.
	Rename(ctx context.Context, h Handle, name string) error
	// RenameEnvironment changes the name of a test environment. It returns errs.NotFound for an unknown id.
	RenameEnvironment(ctx context.Context, h Handle, id tenant.EnvID, name string) error
	// RemoveEnvironment removes a test environment. It returns errs.NotFound for an unknown id.
	RemoveEnvironment(ctx context.Context, h Handle, id tenant.EnvID) error
	// RevokeAll revokes all tokens of the client by raising its generation.
	RevokeAll(ctx context.Context, h Handle) error
}
