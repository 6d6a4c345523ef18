package login

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
)

// counts is an in-memory AttemptStore whose counts do not expire.
type counts map[string]int

func (c counts) Attempt(_ context.Context, key string, most int, period time.Duration, _ time.Time) (time.Duration, error) {
	if c[key] >= most {
		return period, nil
	}
	c[key]++
	return 0, nil
}

func (c counts) TakeBack(_ context.Context, key string) error {
	if c[key]--; c[key] == 0 {
		delete(c, key)
	}
	return nil
}

// TestRefusedAttemptsCountNowhere: whichever counter is full, a refused attempt leaves all of them as they were.
func TestRefusedAttemptsCountNowhere(t *testing.T) {
	scope, ada := tenant.Scope{App: 7, Env: tenant.Production}, identifier.OfUsername("ada")
	for full, fill := range map[string]func(attempt func(name identifier.Name, address string)){
		"pair": func(attempt func(identifier.Name, string)) {
			for range PerPair {
				attempt(ada, "here")
			}
		},
		"name": func(attempt func(identifier.Name, string)) {
			for i := range PerName {
				attempt(ada, fmt.Sprint(i))
			}
		},
		"address": func(attempt func(identifier.Name, string)) {
			for i := range PerAddress {
				attempt(identifier.OfUsername(fmt.Sprint(i)), "here")
			}
		},
	} {
		counted := counts{}
		s := &Service{Users: &user.Service{Clock: clock.Fixed(time.Unix(1_790_000_000, 0))}, Attempts: counted}
		fill(func(name identifier.Name, address string) {
			if _, err := s.attempt(t.Context(), scope, name, address); err != nil {
				t.Fatalf("%s: %v", full, err)
			}
		})
		before := maps.Clone(counted)
		for range 3 {
			if _, err := s.attempt(t.Context(), scope, ada, "here"); !errs.Is(err, errs.KindTooMany) {
				t.Errorf("the %s is full: %v", full, err)
			}
		}
		if !maps.Equal(counted, before) {
			t.Errorf("the %s is full, and refused attempts count: %v", full, counted)
		}
	}
}
