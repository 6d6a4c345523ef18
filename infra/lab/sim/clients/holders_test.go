package clients

import (
	"slices"
	"testing"
	"time"
)

// at is a span of minutes.
func at(from, to int) Span {
	minute := func(n int) time.Time { return time.Unix(int64(60*n), 0) }
	return Span{minute(from), minute(to)}
}

// TestTimeline: a value is possible from the request for it until the next one is known.
func TestTimeline(t *testing.T) {
	line := Timeline[string]{[]change[string]{{value: "a"}, {"b", at(2, 4)}, {"c", Span{at(6, 6).From, Never}}}}
	for _, c := range []struct {
		asked Span
		want  []string
	}{
		{at(0, 1), []string{"a"}}, {at(1, 3), []string{"a", "b"}}, {at(4, 4), []string{"a", "b"}}, {at(5, 5), []string{"b"}},
		{at(7, 8), []string{"b", "c"}},
	} {
		if got := line.During(c.asked); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.asked, got, c.want)
		}
	}
}

// TestHolders: two holders of a value at the same time are a problem only if both are sure.
func TestHolders(t *testing.T) {
	tenureOf := func(holder string, got, left Span) *Tenure { return &Tenure{"x", holder, got, left} }
	for _, c := range []struct {
		name string
		a, b *Tenure
		want int
	}{
		{"one after the other", tenureOf("a", at(0, 1), at(2, 4)), tenureOf("b", at(3, 5), Span{Never, Never}), 0},
		{"while it may have been left", tenureOf("a", at(0, 1), Span{at(2, 2).From, Never}), tenureOf("b", at(3, 5), Span{Never, Never}), 0},
		{"both", tenureOf("a", at(0, 1), at(6, 7)), tenureOf("b", at(3, 5), Span{Never, Never}), 1},
		{"perhaps nobody", tenureOf("", Span{at(0, 0).From, Never}, Span{Never, Never}), tenureOf("b", at(3, 5), Span{Never, Never}), 0},
	} {
		h := Holders{all: map[string][]*Tenure{"x": {c.a, c.b}}}
		if got := h.Twice(); len(got) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}

	h := Holders{all: map[string][]*Tenure{"x": {tenureOf("a", at(0, 1), at(6, 7))}}}
	if sure, possible := h.Who("x", at(2, 3)); sure != "a" || !possible {
		t.Errorf("between: %q %v", sure, possible)
	}
	if sure, possible := h.Who("x", at(5, 8)); sure != "" || !possible {
		t.Errorf("at the end: %q %v", sure, possible)
	}
	if _, possible := h.Who("x", at(8, 9)); possible {
		t.Error("it was left")
	}
	wanted := h.Claim("x", "b")
	if h.Refused(wanted) {
		t.Error("nobody has had it since it was asked for")
	}
}
