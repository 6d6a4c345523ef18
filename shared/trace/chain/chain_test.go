package chain

import (
	"context"
	"testing"
)

func TestNext(t *testing.T) {
	at := Link{Generation: 7, Idle: 3}
	for _, tt := range []struct {
		name  string
		work  func(ctx context.Context) context.Context
		queue string
		want  Link
		ok    bool
	}{
		{"no progress", func(ctx context.Context) context.Context { return ctx }, "own", Link{8, 4}, true},
		{"progress", func(ctx context.Context) context.Context { Progressed(ctx); return ctx }, "own", Link{8, 0}, true},
		{"the other queue of the program", func(ctx context.Context) context.Context { return ctx }, "slow", Link{8, 4}, true},
		{"the queue of another program", func(ctx context.Context) context.Context { return ctx }, "other", Link{}, false},
		{"other work", Apart, "own", Link{}, false},
	} {
		ctx := tt.work(NewContext(t.Context(), at, "own", "slow"))
		if got, ok := Next(ctx, tt.queue); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %+v, %v", tt.name, got, ok)
		}
	}
	if _, ok := Next(t.Context(), "own"); ok {
		t.Error("a message continues a chain that was never begun")
	}
	Progressed(t.Context()) // no message is worked on
	Progressed(Apart(t.Context()))
}

func TestLinks(t *testing.T) {
	for text, want := range map[string]Link{
		"": {}, "x": {}, "3": {}, "3 x": {}, "3 2": {3, 2}, Link{Generation: 12, Idle: 5}.String(): {12, 5},
	} {
		if got := Parse(text); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestLimits(t *testing.T) {
	l := Limits{Generations: 10, Idle: 3}
	for at, want := range map[Link]string{
		{}: "", {9, 2}: "", {10, 0}: "the work did not end within 10 messages",
		{5, 3}: "the work made no progress in 3 messages",
	} {
		if got := l.Broken(at); got != want {
			t.Errorf("%+v: %q", at, got)
		}
	}
}
