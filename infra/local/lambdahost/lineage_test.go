package lambdahost

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"minicloud/infra/local/stats"
	"minicloud/infra/local/unkind"
)

// trace returns the trace header of a program's invocation, as its SDK sends it on.
func trace(t *testing.T, result Result) string {
	t.Helper()
	var environment []string
	if err := json.Unmarshal(result.Payload, &environment); err != nil {
		t.Fatal(err)
	}
	for _, variable := range environment {
		if header, ok := strings.CutPrefix(variable, "_X_AMZN_TRACE_ID="); ok {
			return url.PathEscape(header)
		}
	}
	t.Fatal("the program has no trace header")
	return ""
}

// TestStopsRecursiveLoops: a function is invoked 16 times in one chain of requests. One that allows loops goes on, unless
// the host stops all of them. Other functions in the chain are not affected.
func TestStopsRecursiveLoops(t *testing.T) {
	const more = maxRounds + 4
	for _, tt := range []struct {
		function string
		all      bool
		want     int
	}{{"Plain", false, maxRounds}, {"Loops", false, more}, {"Loops", true, maxRounds}} {
		counted := stats.New()
		h := newHost(t, func(cfg *Config) {
			cfg.Stats = counted
			if tt.all {
				cfg.Unkind = unkind.New(unkind.Numbers{unkind.RecursiveLoops: maxRounds}, nil, nil)
			}
		})
		header, rounds := "", 0
		for ; rounds < more; rounds++ {
			result, err := h.Invoke(t.Context(), Request{Function: tt.function, Payload: []byte(`{"do":"env"}`), Trace: header})
			if refusal, ok := errors.AsType[*Error](err); ok && refusal.Type == "RecursiveInvocationException" {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			header = trace(t, result)
		}
		if rounds != tt.want {
			t.Errorf("%s, all stopped %v: %d rounds, want %d", tt.function, tt.all, rounds, tt.want)
		}
		dropped := counted.Snapshot().RecursiveInvocationsDropped[tt.function]
		if dropped > 0 != (tt.want < more) {
			t.Errorf("%s, all stopped %v: %d dropped invocations are counted", tt.function, tt.all, dropped)
		}
		if _, err := h.Invoke(t.Context(), Request{Function: "Quick", Payload: []byte(`{}`), Trace: header}); err != nil {
			t.Errorf("another function of the chain: %v", err)
		}
	}
}
