package dynamo_test

import (
	"slices"
	"testing"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/tenant"
)

func TestParseDue(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 7e6, time.UTC)
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	of := "#" + scope.String()
	for sk, want := range map[string]dynamo.DueKey{
		dynamo.DueSeconds(at) + of + "#1#0002":   {At: at.Truncate(time.Second), Numbers: []int64{1, 2}},
		dynamo.DueMillis(at) + of + "#1#2#run":   {At: at, Numbers: []int64{1, 2}, Text: "run"},
		dynamo.DueMillis(at) + of + "#1#2#run#3": {At: at, Numbers: []int64{1, 2}, Text: "run#3"},
		dynamo.DueSeconds(at) + of + "#1":        {},
		dynamo.DueSeconds(at) + of + "#1#x":      {},
		dynamo.DueSeconds(at) + "#nowhere#1#2":   {},
		"soon" + of + "#1#2":                     {},
		"":                                       {},
	} {
		got, err := dynamo.ParseDue(sk, 2)
		if ok := want.Numbers != nil; ok != (err == nil) || ok && (!got.At.Equal(want.At) || got.Scope != scope ||
			!slices.Equal(got.Numbers, want.Numbers) || got.Text != want.Text) {
			t.Errorf("%q is %+v, %v", sk, got, err)
		}
	}
}

func TestParseTimeKey(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 7e6, time.UTC)
	if got, id, err := dynamo.ParseTimeKey(dynamo.TimeKey(at, "a#b")); !got.Equal(at) || id != "a#b" || err != nil {
		t.Errorf("%v, %q, %v", got, id, err)
	}
	for _, sk := range []string{"", "1795305600000", "soon#a", "#a"} {
		if got, id, err := dynamo.ParseTimeKey(sk); err == nil {
			t.Errorf("%q is %v, %q", sk, got, id)
		}
	}
}

func TestScopeOf(t *testing.T) {
	want := tenant.Scope{App: 7, Env: tenant.Production}
	if got, err := dynamo.ScopeOf(want.String() + "#run#1"); got != want || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := dynamo.ScopeOf("wake"); err == nil {
		t.Errorf("a key without a scope: %v", got)
	}
}
