package password_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"minicloud/shared/secret/password"
)

func TestPasswords(t *testing.T) {
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
		{hash, "cafe\u0301 au lait", true}, // the same text, typed elsewhere
		{hash, "cafe au lait", false},
		{hash, "", false},
		{hash, strings.Repeat("x", 1<<20), false},
		{"", "", false},
	} {
		if got, err := passwords.Matches(t.Context(), c.hash, c.password); err != nil || got != c.want {
			t.Errorf("%.20q: %t, %v", c.password, got, err)
		}
	}
	if text := fmt.Sprint(password.Hash(hash).LogValue()); strings.Contains(text, "argon") {
		t.Errorf("logged as %s", text)
	}
}

// TestAHashIsDearButNotTooDear holds the decision on the cost of a hash, in the
// processor's time: the machine may be busy with something else.
func TestAHashIsDearButNotTooDear(t *testing.T) {
	passwords := password.New(1)
	best := time.Hour
	for range 10 {
		begun := processorTime(t)
		if _, err := passwords.Hash(t.Context(), "a password"); err != nil {
			t.Fatal(err)
		}
		best = min(best, processorTime(t)-begun)
	}
	if best > 100*time.Millisecond || best < 5*time.Millisecond {
		t.Errorf("one hash takes %v", best)
	}
}

// processorTime is what this process has used so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func BenchmarkHash(b *testing.B) {
	passwords := password.New(1)
	for b.Loop() {
		if _, err := passwords.Hash(b.Context(), "a password"); err != nil {
			b.Fatal(err)
		}
	}
}
