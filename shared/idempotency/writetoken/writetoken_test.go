package writetoken_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
)

func try(t *testing.T, at time.Time, seed string) context.Context {
	return writetoken.NewContext(t.Context(), &writetoken.Request{At: at, Seed: seed})
}

func TestTokens(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	one := writetoken.Of(try(t, at, "a"), "row", "1")
	if one != writetoken.Of(try(t, at, "a"), "row", "1") {
		t.Error("two tries have two tokens")
	}
	for name, other := range map[string]string{
		"seed":   writetoken.Of(try(t, at, "b"), "row", "1"),
		"change": writetoken.Of(try(t, at, "a"), "row", "2"),
		"parts":  writetoken.Of(try(t, at, "a"), "row1"),
		"step":   writetoken.Of(writetoken.Step(try(t, at, "a"), "1"), "row", "1"),
	} {
		if other == one {
			t.Errorf("another %s, the same token", name)
		}
	}
	if writetoken.Of(t.Context(), "row", "1") != "" || writetoken.Step(t.Context(), "1") != t.Context() {
		t.Error("a request without a key has a token")
	}
	if got := writetoken.Expires(one); !got.Equal(at.Add(writetoken.Keep)) {
		t.Errorf("expires %v", got)
	}
}

func TestIDs(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	draw := func(seed string) (drawn [3]id.ID) {
		source, now := writetoken.IDs(try(t, at, seed), nil, time.Time{})
		for i := range drawn {
			drawn[i] = source.New(now)
		}
		return drawn
	}
	one := draw("a")
	if one != draw("a") || one == draw("b") {
		t.Error("ids do not follow the seed")
	}
	if one[0] >= one[1] || one[1] >= one[2] || one[2] >= 1<<53 || !one[0].Time().Equal(at) {
		t.Errorf("ids are not ordered by time: %v", one)
	}
	own := new(id.Source)
	if source, now := writetoken.IDs(t.Context(), own, at); source != own || now != at {
		t.Error("a request without a key does not draw from the source")
	}
}

func TestList(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	token := func(n int, at time.Time) string { return writetoken.Of(try(t, at, "a"), fmt.Sprint(n)) }
	var list writetoken.List
	if list.With("", at) != "" || list.Has("") {
		t.Error("no token is a token")
	}
	for n := range 40 {
		list = list.With(token(n, at), at)
	}
	if list.Has(token(7, at)) || !list.Has(token(8, at)) || !list.Has(token(39, at)) {
		t.Errorf("the last 32 are not kept: %s", list)
	}
	later := at.Add(writetoken.Keep + time.Second)
	if list = list.With(token(1, later), later); list != writetoken.List(token(1, later)) {
		t.Errorf("tokens over their time are kept: %s", list)
	}
}
