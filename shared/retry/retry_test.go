package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
)

func TestDelaysDoubleUpToLongest(t *testing.T) {
	p := retry.Policy{Tries: 3, First: time.Millisecond, Longest: 100 * time.Millisecond}
	for _, c := range []struct {
		try  int
		most time.Duration
	}{{0, 1}, {1, 1}, {2, 2}, {3, 4}, {8, 100}, {1000, 100}} {
		longest := time.Duration(0)
		for range 300 {
			longest = max(longest, p.Delay(c.try))
		}
		if most := c.most * time.Millisecond; longest > most || longest < most/2 {
			t.Errorf("before try %d: at most %v of 300, want nearly %v", c.try, longest, most)
		}
	}
}

func TestDoRetriesConflicts(t *testing.T) {
	met, refused := errs.Conflict("met"), errs.Invalid("refused")
	for _, c := range []struct {
		what  string
		gives []error // the result of each attempt
		want  error
		tries int
	}{
		{"success", []error{nil}, nil, 1},
		{"a conflict that passes", []error{met, met, nil}, nil, 3},
		{"a refusal", []error{met, refused, nil}, refused, 2},
		{"conflicts without end", []error{met, met, met, met, met}, met, 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			p := retry.Policy{Tries: 4, First: time.Second, Longest: time.Minute}
			err := p.Do(t.Context(), retry.OnConflict, func(try int) error {
				if try != tries {
					t.Errorf("%s: called with %d, want %d", c.what, try, tries)
				}
				tries++
				return c.gives[try]
			})
			if !errors.Is(err, c.want) || tries != c.tries {
				t.Errorf("%s: %v after %d tries, want %v after %d", c.what, err, tries, c.want, c.tries)
			}
		})
	}
}

func TestDoEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := retry.Policy{Tries: 1000, First: time.Second, Longest: time.Minute}
		err := p.Do(ctx, retry.OnConflict, func(int) error { return errs.Conflict("met") })
		if !errs.Is(err, errs.KindTimeout) {
			t.Errorf("%v, want a timeout", err)
		}
	})
}
