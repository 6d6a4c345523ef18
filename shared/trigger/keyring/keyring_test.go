package keyring_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/keyring"
)

// sealer writes what a text is bound to before it.
type sealer struct{ made, opened int }

func (s *sealer) NewKey(_ context.Context, bound string) (clear, sealed []byte, err error) {
	s.made++
	return []byte("clear"), fmt.Appendf(nil, "%s|%d", bound, s.made), nil
}

func (s *sealer) OpenKey(_ context.Context, bound string, sealed []byte) ([]byte, error) {
	s.opened++
	if !strings.HasPrefix(string(sealed), bound+"|") {
		return nil, errs.Unavailable(1, "bound to another place")
	}
	return []byte("clear"), nil
}

func (s *sealer) Encrypt(key []byte, bound, text string) ([]byte, error) {
	return fmt.Appendf(nil, "%s|%s|%s", key, bound, text), nil
}

func (s *sealer) Decrypt(key []byte, bound string, sealed []byte) (string, error) {
	text, ok := strings.CutPrefix(string(sealed), fmt.Sprintf("%s|%s|", key, bound))
	if !ok {
		return "", fmt.Errorf("bound to another place")
	}
	return text, nil
}

var shop = tenant.Scope{App: 7, Env: tenant.Production}

// Two keys of a trigger have one data key, which is opened once by each process.
func TestOneCallForAllKeysOfATrigger(t *testing.T) {
	kms := &sealer{}
	ring, secrets := &keyring.Ring{Sealer: kms}, &trigger.Secrets{Keys: map[trigger.ActionID]trigger.Key{}}
	for n := trigger.ActionID(1); n <= 2; n++ {
		sealed, err := ring.Seal(t.Context(), shop, 3, secrets, n, fmt.Sprintf("key %d", n))
		if err != nil {
			t.Fatal(err)
		}
		secrets.Keys[n] = trigger.Key{Current: sealed}
	}
	if kms.made != 1 || kms.opened != 0 {
		t.Errorf("%d data keys made, %d opened; want 1 and 0", kms.made, kms.opened)
	}

	other := &keyring.Ring{Sealer: kms} // of another process
	for range 3 {
		for n := trigger.ActionID(1); n <= 2; n++ {
			key, err := other.Open(t.Context(), shop, 3, secrets, n, secrets.Keys[n].Current)
			if err != nil || key != fmt.Sprintf("key %d", n) {
				t.Errorf("key %d: %q %v", n, key, err)
			}
		}
	}
	if kms.opened != 1 {
		t.Errorf("the data key was opened %d times", kms.opened)
	}
}

// A data key that is remembered opens nothing for another trigger, environment or action.
func TestKeysOpenWhereTheyBelong(t *testing.T) {
	ring, secrets := &keyring.Ring{Sealer: &sealer{}}, &trigger.Secrets{}
	sealed, err := ring.Seal(t.Context(), shop, 3, secrets, 1, "key")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	for what, open := range map[string]func() (string, error){
		"trigger":     func() (string, error) { return ring.Open(t.Context(), shop, 4, secrets, 1, sealed) },
		"environment": func() (string, error) { return ring.Open(t.Context(), elsewhere, 3, secrets, 1, sealed) },
		"action":      func() (string, error) { return ring.Open(t.Context(), shop, 3, secrets, 2, sealed) },
	} {
		if key, err := open(); err == nil {
			t.Errorf("it opened for another %s: %q", what, key)
		}
	}
}
