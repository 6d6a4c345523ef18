package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"minicloud/infra/lab/bench/measure"
)

// TestABenchmarkThatFails is reported and does not stop those after it.
func TestABenchmarkThatFails(t *testing.T) {
	ran := ""
	some := func(name string, err error) bench {
		return bench{name: name, run: func(context.Context, measure.Report) error {
			ran += name
			return err
		}}
	}
	err := measureAll(t.Context(), measure.Report{Out: io.Discard}, []bench{
		some("a", nil), some("b", errors.New("broke")), some("c", nil), some("d", errors.New("too")),
	})
	if ran != "abcd" || err == nil || err.Error() != "b: broke\nd: too" {
		t.Errorf("ran %s: %v", ran, err)
	}
	if err := measureAll(t.Context(), measure.Report{Out: io.Discard}, []bench{some("e", nil)}); err != nil {
		t.Error(err)
	}
}

// TestAnInterrupt ends the benchmarks.
func TestAnInterrupt(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	first := bench{name: "first", run: func(context.Context, measure.Report) error { stop(); return nil }}
	second := bench{name: "second", run: func(context.Context, measure.Report) error {
		t.Error("it ran")
		return nil
	}}
	err := measureAll(ctx, measure.Report{Out: io.Discard}, []bench{first, second})
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v", err)
	}
}
