package trace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"minicloud/shared/trace"
)

func TestLinkAsText(t *testing.T) {
	for text, want := range map[string]trace.Link{
		`""`:              {},
		`"a"`:             {ID: "a"},
		`"JK=a 12/34"`:    {ID: "JK=a", Cause: "12/34"},
		`"timer#1#2 u-u"`: {ID: "timer#1#2", Cause: "u-u"},
	} {
		var got trace.Link
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, err, want)
		}
		if back, err := json.Marshal(want); err != nil || string(back) != text {
			t.Errorf("%+v: %s %v, want %s", want, back, err, text)
		}
	}
	if text := (trace.Link{Cause: "1/2"}).String(); text != "" {
		t.Errorf("a cause without a trace is %q", text)
	}
}

func TestValid(t *testing.T) {
	for id, want := range map[string]bool{
		"": false, "JKJaXmPLvHcESHA=": true, "timer#1#60": true, "a b": false, "a/b": false, "é": false, "a\n": false,
		strings.Repeat("x", trace.MaxLen): true, strings.Repeat("x", trace.MaxLen+1): false,
	} {
		if got := trace.Valid(id); got != want {
			t.Errorf("%q: %t", id, got)
		}
	}
}
