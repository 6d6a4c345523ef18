// Package app knows the applications of the platform, the credentials their
// clients hold and the environments their data is divided into (D9).
//
// An application has one client:
//
//	miniapp        a time-ordered integer, the application's id
//	client id      20 hex digits; the first 10 are its handle
//	client secret  40 hex digits, shown once, kept as a digest
//	environments   production, which is always there, and up to 20 test
//	               environments with an id of 20 hex digits and a name
//
// The handle stands at the head of every token of the application, so that
// whoever sees a token knows where to look it up.
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

// ClientID names the client of an application: 20 lower-case hex digits.
type ClientID string

// Handle is the part of a client id that tokens carry: its first 10 digits. No
// two applications share one.
type Handle string

// HandleLen is the length of a handle.
const HandleLen = 10

var clientID = regexp.MustCompile(`^[0-9a-f]{20}$`)

// Valid reports whether c has the form of a client id.
func (c ClientID) Valid() bool { return clientID.MatchString(string(c)) }

// Handle returns the handle of a valid client id.
func (c ClientID) Handle() Handle { return Handle(c[:HandleLen]) }

// Digest is the SHA-256 of a secret or token, in hex: what is stored of it.
// The secrets have 120 random bits or more, so a fast digest is enough.
type Digest string

// DigestOf returns the digest of a secret or token.
func DigestOf(secret string) Digest {
	sum := sha256.Sum256([]byte(secret))
	return Digest(hex.EncodeToString(sum[:]))
}

// Equal compares in constant time (D10).
func (d Digest) Equal(other Digest) bool {
	return subtle.ConstantTimeCompare([]byte(d), []byte(other)) == 1
}

// LogValue keeps digests out of logs.
func (d Digest) LogValue() slog.Value { return slog.StringValue("[digest]") }

// Owner is the administrator an application belongs to; endpoint 15 answers
// with them (D14).
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
	// Generation is what the client's tokens must carry to be valid; raising it
	// revokes all of them at once (D10). It starts at 1.
	Generation int
	SigningKey SigningKey
	Owner      Owner
	// Environments are the test environments by id; production is implied.
	Environments map[tenant.EnvID]string
	Settings     Settings
	CreatedAt    time.Time
}

// Settings are what an application's administrator has chosen for all of its environments; the zero value is the
// default.
type Settings struct {
	// LegacyWrites has writes of functions leave bad fields out instead of being refused (C19).
	LegacyWrites bool
}

// Environment returns the name of an environment, and whether the application
// has it.
func (a Application) Environment(id tenant.EnvID) (name string, ok bool) {
	if id == tenant.Production {
		return string(tenant.Production), true
	}
	name, ok = a.Environments[id]
	return name, ok
}

// Holds reports whether these are the credentials of the application's client,
// in constant time.
func (a Application) Holds(id ClientID, secret string) bool {
	same := subtle.ConstantTimeCompare([]byte(a.ClientID), []byte(id)) == 1
	return a.SecretDigest.Equal(DigestOf(secret)) && same
}

// Store remembers applications. Every read is consistent.
type Store interface {
	// InsertApplication adds a, errs.Duplicate when its id or the handle of its
	// client is taken.
	InsertApplication(ctx context.Context, a Application) error
	// Application returns one by id, errs.NotFound when there is none.
	Application(ctx context.Context, id tenant.AppID) (Application, error)
	// ByHandle returns one by the handle of its client, errs.NotFound when there
	// is none.
	ByHandle(ctx context.Context, h Handle) (Application, error)
	// AddEnvironment adds a test environment, errs.Invalid when there are
	// MaxEnvironments already.
	AddEnvironment(ctx context.Context, h Handle, id tenant.EnvID, name string) error
	// PutSettings replaces the settings, errs.NotFound when there is no such application.
	PutSettings(ctx context.Context, h Handle, s Settings) error
	// ReplaceSecret sets the digest and raises the token generation in one write.
	ReplaceSecret(ctx context.Context, h Handle, d Digest) error
	// Applications returns all that there are, by id.
	Applications(ctx context.Context) ([]Application, error)
	// List makes sure that Applications returns one that was added before there was a list.
	List(ctx context.Context, a Application) error
	// Rename names the application; errs.NotFound when there is none.
	Rename(ctx context.Context, h Handle, name string) error
	// RenameEnvironment names a test environment, errs.NotFound when there is none of that id.
	RenameEnvironment(ctx context.Context, h Handle, id tenant.EnvID, name string) error
	// RemoveEnvironment removes a test environment, errs.NotFound when there is none of that id.
	RemoveEnvironment(ctx context.Context, h Handle, id tenant.EnvID) error
	// RevokeAll ends all tokens of the client by raising its generation.
	RevokeAll(ctx context.Context, h Handle) error
}
