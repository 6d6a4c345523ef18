package login

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
)

// counts is an in-memory AttemptStore whose counts do not expire.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

func (c *counts) Attempt(_ context.Context, key string, most int, period time.Duration, _ time.Time) (time.Duration, error) {
	return c.count(period, map[string]int{key: most})
}

func (c *counts) AttemptOf(
	_ context.Context, key string, most int, part string, mostOfPart int, period time.Duration, _ time.Time,
) (time.Duration, error) {
	return c.count(period, map[string]int{key: most, key + part: mostOfPart})
}

func (c *counts) count(period time.Duration, limits map[string]int) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, most := range limits {
		if c.of[key] >= most {
			return period, nil
		}
	}
	for key := range limits {
		c.of[key]++
	}
	return 0, nil
}

func (c *counts) TakeBack(_ context.Context, key string) error { return c.takeBack(key) }

func (c *counts) TakeBackOf(_ context.Context, key, part string) error {
	return c.takeBack(key, key+part)
}

func (c *counts) takeBack(keys ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		if c.of[key]--; c.of[key] == 0 {
			delete(c.of, key)
		}
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
		counted := &counts{of: map[string]int{}}
		s := &Service{Users: &user.Service{Clock: clock.Fixed(time.Unix(1_790_000_000, 0))}, Attempts: counted}
		fill(func(name identifier.Name, address string) {
			if _, err := s.attempt(t.Context(), scope, name, address); err != nil {
				t.Fatalf("%s: %v", full, err)
			}
		})
		before := maps.Clone(counted.of)
		for range 3 {
			if _, err := s.attempt(t.Context(), scope, ada, "here"); !errs.Is(err, errs.KindTooMany) {
				t.Errorf("the %s is full: %v", full, err)
			}
		}
		if !maps.Equal(counted.of, before) {
			t.Errorf("the %s is full, and refused attempts count: %v", full, counted.of)
		}
	}
}
