package login

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// KeepTemporary is how long a temporary user stays after their last session (C9).
const KeepTemporary = 30 * 24 * time.Hour

// Expiry is an entry of the due list of temporary users. It is written with the user. A registration leaves it there:
// whoever takes it when it is due finds a registered user.
type Expiry struct {
	Scope tenant.Scope
	User  user.ID
	At    time.Time // seconds
	Shard int       // set by the store
}

// ExpiryStore stores the due list of temporary users, and deletes them.
type ExpiryStore interface {
	// Expired returns the entries whose time has come, earliest first. Fewer than limit are all there are.
	Expired(ctx context.Context, now time.Time, limit int) ([]Expiry, error)
	// MoveExpiry replaces an entry by one at another time; a zero time removes it. It returns errs.Conflict if another
	// tick has taken the entry.
	MoveExpiry(ctx context.Context, e Expiry, to time.Time) error
	// DeleteUser deletes the account, the profile and the entry of a user in one transaction. It returns errs.Conflict if
	// one of them is not as it was read.
	DeleteUser(ctx context.Context, e Expiry, t table.Table, a user.Account, row table.Row) error
}

const (
	// expiredAtOnce is the number of entries per read.
	expiredAtOnce = 100
	// expireRounds is the maximum number of reads per tick; the remaining entries are due at the next tick.
	expireRounds = 10
	// deletedAtOnce is the number of users that are deleted concurrently.
	deletedAtOnce = 10
)

// Expire deletes the temporary users whose time has come, and returns their number. Their rows stay. A user who cannot
// be deleted stays due and does not stop the others; the error has all of them. Without such users it costs one query
// per shard of the list.
func (s *Service) Expire(ctx context.Context, store ExpiryStore) (deleted int, err error) {
	for range expireRounds {
		due, err := store.Expired(ctx, s.Users.Clock.Now(), expiredAtOnce)
		if err != nil {
			return deleted, err
		}

		gone, failed := make([]bool, len(due)), make([]error, len(due))
		var group errgroup.Group
		group.SetLimit(deletedAtOnce)
		for i, e := range due {
			group.Go(func() error {
				var err error
				if gone[i], err = s.expire(ctx, store, e); err != nil {
					failed[i] = fmt.Errorf("temporary user %d of %s: %w", e.User, e.Scope, err)
				}
				return nil
			})
		}
		_ = group.Wait() // no entry returns an error

		for _, one := range gone {
			if one {
				deleted++
			}
		}
		// After a failure, the next read would return the failed entries again.
		if err := errors.Join(failed...); err != nil || len(due) < expiredAtOnce {
			return deleted, err
		}
	}
	return deleted, nil
}

// expire deletes the user of an entry. What it does before the transaction can be repeated, and the entry goes in the
// transaction, so the next tick completes what a crash interrupted.
func (s *Service) expire(ctx context.Context, store ExpiryStore, e Expiry) (gone bool, err error) {
	t, err := s.Users.ProfileTable(ctx, e.Scope)
	if err != nil {
		return false, err
	}
	a, row, err := s.Store.User(ctx, e.Scope, t, e.User)
	if err != nil {
		return false, err
	}
	// The user was registered or deleted, or an administrator gave them a login.
	if row.ID == "" || !a.Temporary || len(a.Names()) > 0 {
		return false, taken(store.MoveExpiry(ctx, e, time.Time{}))
	}

	sessions, err := s.Store.Sessions(ctx, e.Scope, e.User)
	if err != nil {
		return false, err
	}
	var last time.Time
	var digests []app.Digest
	for _, one := range sessions {
		if digests = append(digests, one.Digest); one.ExpiresAt.After(last) {
			last = one.ExpiresAt
		}
	}
	if at := last.Add(KeepTemporary); at.After(s.Users.Clock.Now()) {
		return false, taken(store.MoveExpiry(ctx, e, at))
	}

	if user.InGroups(row) {
		if err := s.Users.LeaveGroups(ctx, e.Scope, e.User); err != nil {
			return false, err
		}
		a, row, err = s.Store.User(ctx, e.Scope, t, e.User)
		if err != nil || user.InGroups(row) { // joined meanwhile: the next tick tries again
			return false, err
		}
	}
	if err := s.Users.Accounts.DeleteConsents(ctx, e.Scope, e.User); err != nil {
		return false, err
	}
	if err := s.Store.DeleteSessions(ctx, e.Scope, e.User, digests...); err != nil {
		return false, err
	}
	err = store.DeleteUser(ctx, e, t, a, row)
	return err == nil, taken(err)
}

// taken returns no error if another tick, or a change of the user, came first: the entry is then gone or due again.
func taken(err error) error {
	if errs.Is(err, errs.KindConflict) {
		return nil
	}
	return err
}
