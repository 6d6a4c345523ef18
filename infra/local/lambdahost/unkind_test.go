package lambdahost

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"

	"minicloud/infra/local/unkind"
)

func unkindHost(t *testing.T, numbers unkind.Numbers) *Host {
	return newHost(t, func(c *Config) { c.Unkind = unkind.New(numbers, rand.New(rand.NewPCG(1, 2)), nil) })
}

// TestFreeze: between invocations the background work of a program stands still; the next invocation lets it go on.
func TestFreeze(t *testing.T) {
	h := unkindHost(t, unkind.Numbers{unkind.Freeze: 1})
	begun := time.Now()
	first := invoke(t, h, "Plain", "", `{"do":"count"}`)
	// The process is frozen when it has asked for the next invocation.
	for h.cfg.Unkind.Hits()[unkind.Freeze] == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Second)
	after := invoke(t, h, "Plain", "", `{}`)
	if first.PID != after.PID {
		t.Fatalf("another process: %d, %d", first.PID, after.PID)
	}

	// The work counts milliseconds, none of them in the second in which the process stands still.
	if most := (time.Since(begun) - time.Second).Milliseconds(); after.Counted > most {
		t.Errorf("%d ms of background work, of at most %d", after.Counted, most)
	}
	if while := invoke(t, h, "Plain", "", `{"do":"sleep","ms":100}`); while.Counted == after.Counted {
		t.Error("the work never goes on")
	}
}

// refusal returns the reason why an invocation was refused, "" if it was not.
func refusal(t *testing.T, h *Host, function, tenant string) string {
	t.Helper()
	r, err := h.Invoke(context.Background(), Request{Function: function, Tenant: tenant, Payload: []byte(`{}`)})
	if refused, ok := errors.AsType[*Error](err); ok {
		return strconv.Itoa(refused.Status) + " " + refused.Reason
	}
	if err != nil || r.FunctionError != "" {
		t.Fatalf("%s of %s: %v, %s", function, tenant, err, r.FunctionError)
	}
	return ""
}

// TestTenantEnvironments: a function of tenants has so many environments, idle ones included; a tenant that has one
// goes on to use it.
func TestTenantEnvironments(t *testing.T) {
	h := unkindHost(t, unkind.Numbers{unkind.Environments: 2})
	for _, tenant := range []string{"a", "b", "a"} {
		if got := refusal(t, h, "Tenanted", tenant); got != "" {
			t.Errorf("%s: %s", tenant, got)
		}
	}
	if got := refusal(t, h, "Tenanted", "c"); got != "429 ConcurrentInvocationLimitExceeded" {
		t.Errorf("a third tenant: %q", got)
	}
	if got := refusal(t, h, "Plain", ""); got != "" {
		t.Errorf("a function without tenants: %s", got)
	}
	if h.cfg.Unkind.Hits()[unkind.Environments] == 0 {
		t.Error("no hit was counted")
	}
}

// TestScaling: a function gets so many new environments at a time, and each function has its own.
func TestScaling(t *testing.T) {
	h := unkindHost(t, unkind.Numbers{unkind.Scaling: 1})
	if got := refusal(t, h, "Tenanted", "a"); got != "" {
		t.Errorf("the first environment: %s", got)
	}
	h.functions["Tenanted"].starts.at = time.Now() // its start may have taken longer than the refill
	if got := refusal(t, h, "Tenanted", "b"); got != "429 ConcurrentInvocationLimitExceeded" {
		t.Errorf("the second: %q", got)
	}
	if got := refusal(t, h, "Tenanted", "a"); got != "" {
		t.Errorf("the first again: %s", got)
	}
	if got := refusal(t, h, "Plain", ""); got != "" {
		t.Errorf("another function: %s", got)
	}
}

// TestTokens: the rate is refilled continuously and not saved up.
func TestTokens(t *testing.T) {
	var have tokens
	now := time.Now()
	for i := range 100 {
		if !have.take(100, now) {
			t.Fatalf("refused after %d of 100", i)
		}
	}
	now = now.Add(perTime / 2)
	got := 0
	for have.take(100, now) {
		got++
	}
	if got != 50 {
		t.Errorf("%d half a period later, want 50", got)
	}
	if have.take(100, now.Add(10*perTime)); have.left > 99 {
		t.Errorf("%v were saved up", have.left)
	}
}

// TestProcessorShare: a process gets the share of a processor that its memory gets on Lambda.
func TestProcessorShare(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how much processor time threads have used")
	}
	h := unkindHost(t, unkind.Numbers{unkind.ProcessorShare: 1280}) // Plain has 128 MB: a tenth
	begun := time.Now()
	burnt := invoke(t, h, "Plain", "", `{"do":"burn","ms":100}`)
	took := time.Since(begun)
	if burnt.PID == 0 || took < 500*time.Millisecond {
		t.Errorf("100 ms of processor time took %v, want about a second", took)
	}
	if h.cfg.Unkind.Hits()[unkind.ProcessorShare] == 0 {
		t.Error("no hit was counted")
	}
}
