// Package clientrate limits the calls of end users per minute of the clock (C43).
//
// Many processes serve the calls of one user, so they share a counter for each key and minute: of the user, the address
// or the application. A process counts in memory and does not write for each call. It reserves calls from the counter in
// growing quotas, and needs no write for the first calls:
//
//	free     limit/100 calls per process pass without a reservation, so that an ordinary user never causes a write
//	quota    each reservation is half of the calls that the process has passed so far, at least 1
//	budget   all processes together may reserve 1.5 x limit
//
// A process thus has at most a third of its reserved calls left when the budget is exhausted, so at least limit calls
// pass. At most 1.5 x limit plus the free calls pass: not over 2 x limit while at most 50 processes serve the key in the
// minute. A process makes at most 12 reservations per key and minute, for any limit.
package clientrate

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/logging"
)

// Store stores the counters that processes share.
type Store interface {
	// Reserve adds calls to the counter of a key in the minute that begins at the given time, and returns the sum of all
	// reservations.
	Reserve(ctx context.Context, key string, minute time.Time, calls int) (sum int, err error)
}

// Limiter limits the calls that one process serves. Its fields must not change after the first call.
type Limiter struct {
	Store Store
	Clock clock.Clock
	Log   *slog.Logger

	mu     sync.Mutex
	minute time.Time
	counts map[string]*count // of this minute
}

// count is what this process knows of one key in one minute.
type count struct {
	mu       sync.Mutex // held during a reservation: concurrent calls wait for it instead of reserving too
	passed   int
	reserved int // by this process, within the budget
	sum      int // of all processes, when this process last reserved
}

// Call is a call to be counted.
type Call struct {
	Application app.Application
	Scope       tenant.Scope
	User        int64 // 0 = nobody, who has no limit per user
	Address     string
}

// freeShare is the part of a limit that each process passes without a reservation.
const freeShare = 100

// Allow counts a call. It returns errs.TooMany with the seconds until the next minute if the user, the address or the
// application is over its limit; a refused call counts for none of them.
func (l *Limiter) Allow(ctx context.Context, call Call) error {
	rate, now := call.Application.Settings.Rate(), l.Clock.Now()
	if call.User == 0 {
		rate.User = 0
	}
	var passed []*count
	for _, key := range []struct {
		who, name string
		limit     int
	}{
		{"user", fmt.Sprintf("%s#user#%d", call.Scope, call.User), rate.User},
		{"address", fmt.Sprintf("%d#address#%s", call.Application.ID, call.Address), rate.Address},
		{"application", fmt.Sprintf("%d#application", call.Application.ID), rate.Application},
	} {
		if key.limit == 0 {
			continue
		}
		c := l.count(key.name, now)
		if !l.pass(ctx, c, key.name, key.limit, now) {
			for _, earlier := range passed {
				earlier.giveBack()
			}
			return errs.TooMany(60-now.Second(), "over the limit of %d calls per minute of this %s, wait for the next minute", key.limit, key.who)
		}
		passed = append(passed, c)
	}
	return nil
}

// count returns the count of a key. Counts of earlier minutes are dropped.
func (l *Limiter) count(key string, now time.Time) *count {
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute := now.Truncate(time.Minute); l.counts == nil || minute.After(l.minute) {
		l.minute, l.counts = minute, map[string]*count{}
	}
	c := l.counts[key]
	if c == nil {
		c = new(count)
		l.counts[key] = c
	}
	return c
}

// pass counts a call and reports whether it is within the limit.
func (l *Limiter) pass(ctx context.Context, c *count, key string, limit int, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.passed >= limit/freeShare+c.reserved && !l.reserve(ctx, c, key, limit, now) {
		return false
	}
	c.passed++
	return true
}

// reserve reserves the next quota of a key, and reports whether any of it is within the budget.
func (l *Limiter) reserve(ctx context.Context, c *count, key string, limit int, now time.Time) bool {
	budget := limit + limit/2
	if c.sum >= budget {
		return false
	}
	quota := max(1, c.passed/2)
	sum, err := l.Store.Reserve(ctx, key, now.Truncate(time.Minute), quota)
	if err != nil {
		// A busy store must not end the service: the calls pass.
		logging.OrNone(l.Log).WarnContext(ctx, "calls are not counted", "error", err.Error())
		c.reserved += quota
		return true
	}

	// Reservations add up in an order; this one covers the calls from sum-quota to sum.
	c.sum = sum
	granted := min(quota, budget-(sum-quota))
	c.reserved += max(0, granted)
	return granted > 0
}

// giveBack takes back a call that another limit refused.
func (c *count) giveBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed--
}
