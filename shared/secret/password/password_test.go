package password_test

import (
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/secret/password"
)

func TestMatchesPasswords(t *testing.T) {
	passwords := password.New(1)
	hash, err := passwords.Hash(t.Context(), "caf\u00e9 au lait")
	if err != nil || !strings.HasPrefix(string(hash), "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%q, %v", string(hash), err)
	}
	again, err := passwords.Hash(t.Context(), "caf\u00e9 au lait")
	if err != nil || again == hash {
		t.Errorf("no salt: %v", err)
	}

	for _, c := range []struct {
		hash     password.Hash
		password string
		want     bool
	}{
		{hash, "caf\u00e9 au lait", true},
		{hash, "cafe\u0301 au lait", true}, // the same characters, decomposed
		{hash, "cafe au lait", false},
		{hash, "", false},
		{hash, strings.Repeat("x", 1<<20), false},
		{"", "", false},
	} {
		if got, err := passwords.Matches(t.Context(), c.hash, c.password); err != nil || got != c.want {
			t.Errorf("%.20q: %t, %v", c.password, got, err)
		}
	}

	// A login of a user without a password must take as long as any other.
	if prefix := string(hash[:len("$argon2id$v=19$m=19456,t=2,p=1$")]); !strings.HasPrefix(string(passwords.Decoy()), prefix) ||
		len(passwords.Decoy()) != len(hash) {
		t.Errorf("the decoy %s costs something else than %s", string(passwords.Decoy()), string(hash))
	}
	if matches, err := passwords.Matches(t.Context(), passwords.Decoy(), "caf\u00e9 au lait"); matches || err != nil {
		t.Errorf("the decoy matches: %t, %v", matches, err)
	}

	if text := fmt.Sprint(password.Hash(hash).LogValue()); strings.Contains(text, "argon") {
		t.Errorf("logged as %s", text)
	}
}

func BenchmarkHash(b *testing.B) {
	passwords := password.New(1)
	for b.Loop() {
		if _, err := passwords.Hash(b.Context(), "a password"); err != nil {
			b.Fatal(err)
		}
	}
}
