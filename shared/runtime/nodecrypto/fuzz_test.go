package nodecrypto

import (
	"errors"
	"strings"
	"testing"

	"minicloud/shared/runtime/hostcall"
	"minicloud/shared/runtime/nodecrypto/key"
	"minicloud/shared/runtime/nodecrypto/symmetric"
)

// host is a fake run without a time or memory limit.
type host struct{}

func (host) Stopped() bool                                { return false }
func (host) Aside(f func() (any, error)) (any, error)     { return f() }
func (host) Bytes(n int) ([]byte, error)                  { return make([]byte, n), nil }
func (host) Reserve(int) (func(), error)                  { return func() {}, nil }
func (h host) call(name string, args ...any) (any, error) { return Call(h, name, args) }

// impatient is a fake run whose time is up.
type impatient struct{ host }

func (impatient) Stopped() bool { return true }

// FuzzKeys checks that parsing any text or DER as a key or a certificate returns either a key or an error that
// contains nothing of the input.
func FuzzKeys(f *testing.F) {
	for _, kind := range []string{"rsa", "ec", "ed25519", "x25519"} {
		k, err := host{}.call("key.generate", kind, map[string]any{"rsa": 1024.0, "ec": "P-256"}[kind], 65537.0)
		if err != nil {
			f.Fatal(err)
		}
		for _, form := range [][]any{{"pkcs8", nil, nil}, {"pkcs8", "aes-128-cbc", "x"}} {
			for _, format := range []string{"pem", "der"} {
				text, err := host{}.call("key.export", k, true, format, form[0], form[1], form[2])
				if err != nil {
					f.Fatal(err)
				}
				f.Add(bytesOf(text))
			}
		}
		public, err := host{}.call("key.export", k, false, "der", "spki")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytesOf(public))
	}
	f.Add([]byte(`{"kty":"RSA","n":"AQAB","e":"AQAB"}`))

	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range [][]any{
			{"key.private", data, "pem", nil, "x"}, {"key.private", data, "der", "pkcs8", "x"},
			{"key.private", data, "der", "pkcs1"}, {"key.private", data, "der", "sec1"}, {"key.public", data, "pem", nil, "x"},
			{"key.public", data, "der", "spki"}, {"key.public", data, "der", "pkcs1"}, {"key.fromJWK", data, true},
			{"key.fromJWK", data, false}, {"key.fromPoint", "P-256", data}, {"x509.parse", data},
		} {
			// The run's time is up, because an encrypted key determines its number of derivation rounds itself.
			made, err := Call(impatient{}, c[0].(string), c[1:])
			var refusal *hostcall.Error
			switch {
			case err == nil && made == nil:
				t.Errorf("%v gave nothing", c[0])
			case err != nil && !errors.As(err, &refusal) && !errors.Is(err, hostcall.ErrStopped):
				t.Errorf("%v: %v", c[0], err)
			case refusal != nil && strings.Contains(refusal.Message, "runtime error"):
				t.Errorf("%v: %v", c[0], err)
			}
		}
	})
}

func bytesOf(v any) []byte {
	if text, ok := v.(string); ok {
		return []byte(text)
	}
	return v.([]byte)
}

// TestLongOperationsStop checks that long operations stop when the time of the run is up.
func TestLongOperationsStop(t *testing.T) {
	big := make([]byte, hostcall.MaxInput)
	for _, c := range [][]any{
		{"pbkdf2", "sha512", "a", "b", 1e12, 64.0}, {"pbkdf2", "sha1", "a", "b", 1.0, float64(hostcall.MaxInput)},
		{"hash.once", "md5", big}, {"hmac.once", "sha512", "k", big}, {"random", float64(hostcall.MaxInput)},
	} {
		if _, err := Call(impatient{}, c[0].(string), c[1:]); !errors.Is(err, hostcall.ErrStopped) {
			t.Errorf("%v: %v", c[0], err)
		}
	}
}

// TestRefusesWrongArguments checks arguments that the prelude never passes.
func TestRefusesWrongArguments(t *testing.T) {
	secret, err := host{}.call("key.secret", "x")
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range [][]any{
		{"nothing"}, {"hash.new"}, {"hash.new", 5.0}, {"hash.update", "x", "y"}, {"hash.update", &key.Key{}, "x"},
		{"hash.once", "md5", true}, {"cipher.final", &symmetric.Hash{}}, {"random", 1.5}, {"random", "x"}, {"sign", nil, "x", nil},
		{"pbkdf2", "md5", "a", "b", 0.0, 1.0}, {"equal", "a"}, {"hash.once", "md5", make([]byte, hostcall.MaxInput+1)},
		{"key.export", secret, true, "pem", "pkcs8"}, {"ecdh.compute", &key.ECDH{}, "x"},
	} {
		var refusal *hostcall.Error
		if _, err := (host{}).call(c[0].(string), c[1:]...); !errors.As(err, &refusal) || refusal.Message == "" {
			t.Errorf("%v: %v", c, err)
		}
	}
}
