// Package password hashes the passwords of users and console accounts with argon2id (D30).
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

// Minimum and maximum length of a password in characters (D30).
const (
	Min = 6
	Max = 128
)

// The cost parameters of argon2id; infra/decisions describes how they were measured.
const (
	argonMemory  = 19 << 10 // KiB
	argonPasses  = 2
	argonThreads = 1
	argonSalt    = 16 // bytes
	argonKey     = 32 // bytes
)

// Hash is a stored password hash in PHC format, "$argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>"; "" = no password is
// set.
type Hash string

// LogValue keeps hashes out of logs.
func (Hash) LogValue() slog.Value { return slog.StringValue("[password]") }

// Check returns errs.Invalid, which names the field, unless the password may be set (D30).
func Check(field, password string) error {
	if n := utf8.RuneCountInString(password); n < Min || n > Max {
		return errs.Invalid("%s must have %d to %d characters", field, Min, Max)
	}
	return nil
}

// Hasher hashes passwords with limited concurrency: each hash uses 19 MB while it runs, so a burst of logins must
// wait instead of using more memory.
type Hasher struct {
	// Memory is what new hashes use, in KiB. Only tests that log in often change it.
	Memory uint32
	slots  chan struct{}
}

// New returns a Hasher that computes at most parallel hashes at a time.
func New(parallel int) *Hasher {
	return &Hasher{Memory: argonMemory, slots: make(chan struct{}, parallel)}
}

// Decoy returns the hash to compare with where no password is stored, so that the comparison takes as long as with one. It
// matches no password.
func (p *Hasher) Decoy() Hash { return p.format(make([]byte, argonSalt), make([]byte, argonKey)) }

// Hash returns the hash of a new password. It returns errs.Invalid if the password is too short or too long, and
// errs.Timeout if no slot becomes free before ctx ends.
func (p *Hasher) Hash(ctx context.Context, password string) (Hash, error) {
	if err := Check("new_password", password); err != nil {
		return "", err
	}
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	key, err := p.derive(ctx, password, salt, p.Memory, argonPasses, argonThreads, argonKey)
	if err != nil {
		return "", err
	}
	return p.format(salt, key), nil
}

// format returns the hash in PHC format.
func (p *Hasher) format(salt, key []byte) Hash {
	encode := base64.RawStdEncoding.EncodeToString
	return Hash(fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, p.Memory, argonPasses, argonThreads, encode(salt), encode(key)))
}

// Matches reports whether the hash belongs to the password; the comparison takes constant time. Hashes with other
// cost parameters are accepted; "" matches nothing. It returns errs.Timeout if no slot becomes free before ctx ends.
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

// derive waits for a slot and computes the key. It normalizes the password to NFC (RFC 8265), because keyboards
// encode the same characters differently.
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
