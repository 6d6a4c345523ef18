package app

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
)

// SigningKey is the application's own key for what the platform hands out and
// takes back without storing it: run tokens (D24). 32 bytes. Log URLs (D23) are
// signed with a key of the platform, see job.Service.Sign.
type SigningKey []byte

// LogValue keeps keys out of logs.
func (SigningKey) LogValue() slog.Value { return slog.StringValue("[key]") }

func newSigningKey() SigningKey {
	key := make(SigningKey, 32)
	rand.Read(key)
	return key
}

// Sign returns an HMAC-SHA256 over parts, in URL-safe base64. A signature made
// for one purpose is worthless for another.
func (a Application) Sign(purpose string, parts ...string) string {
	return base64.RawURLEncoding.EncodeToString(a.mac(purpose, parts))
}

// Signed reports, in constant time, whether Sign returned signature for the
// same purpose and parts. An application without a key has signed nothing.
func (a Application) Signed(signature, purpose string, parts ...string) bool {
	got, err := base64.RawURLEncoding.DecodeString(signature)
	return err == nil && len(a.SigningKey) > 0 && hmac.Equal(got, a.mac(purpose, parts))
}

// mac covers each part with its length, so that no two lists of parts are one.
func (a Application) mac(purpose string, parts []string) []byte {
	h := hmac.New(sha256.New, a.SigningKey)
	for _, part := range append([]string{purpose}, parts...) {
		binary.Write(h, binary.BigEndian, uint64(len(part)))
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}
