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
	first := invoke(t, h, "Plain", "", `{"do":"count"}`)
	var frozen probed
	for tries := 0; ; tries++ { // until the process has asked for the next invocation, it is not frozen
		time.Sleep(50 * time.Millisecond)
		frozen = invoke(t, h, "Plain", "", `{}`)
		if h.cfg.Unkind.Hits()[unkind.Freeze] > 1 {
			break
		}
	}
	if first.PID != frozen.PID {
		t.Fatalf("another process: %d, %d", first.PID, frozen.PID)
	}

	// The work counts milliseconds: of a second in which the process stands still it counts next to nothing.
	before := invoke(t, h, "Plain", "", `{}`)
	time.Sleep(time.Second)
	after := invoke(t, h, "Plain", "", `{}`)
	if counted := after.Counted - before.Counted; counted > 500 {
		t.Errorf("%d ms of background work in a second between invocations", counted)
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
	for i := range 100 {
		if !have.take(100) {
			t.Fatalf("refused after %d of 100", i)
		}
	}
	have.at = have.at.Add(-perTime / 2)
	got := 0
	for have.take(100) {
		got++
	}
	if got < 50 || got > 60 { // a slow machine refills some more meanwhile
		t.Errorf("%d half a period later, want 50", got)
	}
	have.at = have.at.Add(-10 * perTime)
	if have.take(100); have.left > 99 {
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
