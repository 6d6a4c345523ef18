package app

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
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
	return base64.RawURLEncoding.EncodeToString(a.mac(purpose, parts))
}

// Signed reports, in constant time, whether Sign returns this signature for the purpose and parts. It is false for an
// application without a key.
func (a Application) Signed(signature, purpose string, parts ...string) bool {
	got, err := base64.RawURLEncoding.DecodeString(signature)
	return err == nil && len(a.SigningKey) > 0 && hmac.Equal(got, a.mac(purpose, parts))
}

// CursorKey returns the key that seals the cursors of end users (table.Reader), 32 bytes. It is nil for an application
// without a key.
func (a Application) CursorKey() []byte {
	if len(a.SigningKey) == 0 {
		return nil
	}
	return a.mac("cursor key", nil)
}

// mac includes the length of each part, so that different lists of parts never give the same input.
func (a Application) mac(purpose string, parts []string) []byte {
	h := hmac.New(sha256.New, a.SigningKey)
	for _, part := range append([]string{purpose}, parts...) {
		binary.Write(h, binary.BigEndian, uint64(len(part)))
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}
