package app

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
	"time"
)

// SigningKey is the application's own key, 32 bytes. It signs run tokens (D24), which the platform issues and verifies
// but does not store. Log URLs (D23) are signed with a key of the platform, see job.Service.Sign.
type SigningKey []byte

// LogValue keeps keys out of logs.
func (SigningKey) LogValue() slog.Value { return slog.StringValue("[key]") }

func newSigningKey() SigningKey {
	key := make(SigningKey, 32)
	rand.Read(key)
	return key
}

// Sign returns an HMAC-SHA256 over purpose and parts, in URL-safe base64. A signature is valid for its purpose only.
func (a Application) Sign(purpose string, parts ...string) string {
	return base64.RawURLEncoding.EncodeToString(a.SigningKey.mac(purpose, parts))
}

// Signed reports, in constant time, whether the key of the application, or the key before it until PreviousUntil, gives
// this signature for the purpose and parts. It is false for an application without a key.
func (a Application) Signed(at time.Time, signature, purpose string, parts ...string) bool {
	got, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	by := func(key SigningKey) bool { return len(key) > 0 && hmac.Equal(got, key.mac(purpose, parts)) }
	return by(a.SigningKey) || at.Before(a.PreviousUntil) && by(a.PreviousKey)
}

// CursorKey returns the key that seals the cursors of end users (table.Reader), 32 bytes. It is nil for an application
// without a key. After a rotation of the signing key, the lists of end users begin again.
func (a Application) CursorKey() []byte {
	if len(a.SigningKey) == 0 {
		return nil
	}
	return a.SigningKey.mac("cursor key", nil)
}

// mac includes the length of each part, so that different lists of parts never give the same input.
func (k SigningKey) mac(purpose string, parts []string) []byte {
	h := hmac.New(sha256.New, k)
	for _, part := range append([]string{purpose}, parts...) {
		binary.Write(h, binary.BigEndian, uint64(len(part)))
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}
