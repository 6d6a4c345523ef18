// Package password hashes passwords with argon2id (D30): those of users, and those of the console's accounts.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"minicloud/shared/errs"
)

// A password has 6–128 characters (D30).
const (
	Min = 6
	Max = 128
)

// The cost of one argon2id hash; infra/decisions tells how it was measured.
const (
	argonMemory  = 19 << 10 // KiB
	argonPasses  = 2
	argonThreads = 1
	argonSalt    = 16 // bytes
	argonKey     = 32 // bytes
)

// Hash is a password as it is stored, in the PHC form
// "$argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>"; "" = none was set.
type Hash string

// LogValue keeps hashes out of logs.
func (Hash) LogValue() slog.Value { return slog.StringValue("[password]") }

// Hasher hashes, a few at a time: each hash takes 19 MB while it is made, so
// a burst must wait, not grow.
type Hasher struct {
	slots chan struct{}
}

// New returns a Hasher that makes at most parallel hashes at once.
func New(parallel int) *Hasher {
	return &Hasher{slots: make(chan struct{}, parallel)}
}

// Hash returns the hash of a new password, errs.Invalid when it is too short or
// too long, errs.Timeout when no slot is free before ctx ends.
func (p *Hasher) Hash(ctx context.Context, password string) (Hash, error) {
	if n := utf8.RuneCountInString(password); n < Min || n > Max {
		return "", errs.Invalid("new_password must have %d to %d characters", Min, Max)
	}
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	key, err := p.derive(ctx, password, salt, argonMemory, argonPasses, argonThreads, argonKey)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return Hash(fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemory, argonPasses, argonThreads, encode(salt), encode(key))), nil
}

// Matches reports, in constant time, whether the hash is the password's. A
// hash made with other costs still works; "" matches nothing.
func (p *Hasher) Matches(ctx context.Context, hash Hash, password string) (bool, error) {
	var memory, passes uint32
	var threads uint8
	parts := strings.Split(string(hash), "$")
	if len(parts) != 6 || parts[1] != "argon2id" || utf8.RuneCountInString(password) > Max {
		return false, nil
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil {
		return false, fmt.Errorf("stored password hash: %w", err)
	}

	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("stored password hash: %w", err)
	}

	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, fmt.Errorf("stored password hash: %w", err)
	}

	got, err := p.derive(ctx, password, salt, memory, passes, threads, uint32(len(want)))

	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// derive waits for a slot. The same characters typed on another keyboard give
// the same key, so the text is composed first (RFC 8265).
func (p *Hasher) derive(
	ctx context.Context, password string, salt []byte, memory, passes uint32, threads uint8, length uint32,
) ([]byte, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, errs.Timeout("the request did not end in time")
	}
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, passes, memory, threads, length), nil
}
