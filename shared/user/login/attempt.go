package login

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user/identifier"
)

// Limits of failed passwords within Period (C10).
const (
	PerPair    = 10  // for one login name from one address
	PerName    = 100 // for one login name
	PerAddress = 100 // from one address
	Period     = 15 * time.Minute
)

// AttemptStore counts attempts. An attempt is counted before its password is checked, so that concurrent attempts have
// the same limit as consecutive ones.
type AttemptStore interface {
	// Attempt counts an attempt under a key and returns 0. If the key already has most attempts, it returns the time to
	// wait. The first attempt starts a period, after which the count is reset.
	Attempt(ctx context.Context, key string, most int, period time.Duration, now time.Time) (wait time.Duration, err error)
	// TakeBack decrements the count of a key.
	TakeBack(ctx context.Context, key string) error
	// AttemptOf counts an attempt under a key and a part of it, whose own limit is mostOfPart: both or none.
	AttemptOf(
		ctx context.Context, key string, most int, part string, mostOfPart int, period time.Duration, now time.Time,
	) (wait time.Duration, err error)
	// TakeBackOf decrements the counts of a key and a part of it.
	TakeBackOf(ctx context.Context, key, part string) error
}

// attempt is a counted attempt to guess a password.
type attempt struct {
	service       *Service
	name, address string // keys, "" = not counted
	from          string // the part of the name's key
}

// attempt counts an attempt under the name, the pair of name and address, and the address. It returns errs.TooMany if
// one of them has none left. A refused attempt counts nowhere: somebody who goes on after the limit of the pair does not
// use up the name's own limit, which would lock out its owner at every address. So the pair is a part of the name's key,
// and one write counts both or none.
//
// The keys contain a digest of the name, which is arbitrary text. Whether a user has the name makes no difference.
func (s *Service) attempt(ctx context.Context, scope tenant.Scope, name identifier.Name, address string) (attempt, error) {
	prefix, now := scope.String()+"#attempt#", s.Users.Clock.Now()
	made := attempt{
		service: s, name: prefix + "name#" + string(app.DigestOf(name.Kind+"#"+name.Key)),
		address: prefix + "address#" + Network(address), from: Network(address),
	}
	var group errgroup.Group
	var waits [2]time.Duration
	var failed [2]error
	group.Go(func() error {
		waits[0], failed[0] = s.Attempts.AttemptOf(ctx, made.name, PerName, made.from, PerPair, Period, now)
		return nil
	})
	group.Go(func() error {
		waits[1], failed[1] = s.Attempts.Attempt(ctx, made.address, PerAddress, Period, now)
		return nil
	})
	_ = group.Wait() // the errors are in failed

	err, wait := errors.Join(failed[:]...), max(waits[0], waits[1])
	if err == nil && wait == 0 {
		return made, nil
	}
	if err == nil {
		err = TooMany("failed passwords", wait)
	}
	if waits[0] > 0 || failed[0] != nil {
		made.name = ""
	}
	if waits[1] > 0 || failed[1] != nil {
		made.address = ""
	}
	return attempt{}, cmp.Or(made.takeBack(ctx), err)
}

// takeBack uncounts the attempt: the password was right, or the attempt was refused.
func (a attempt) takeBack(ctx context.Context) error {
	var group errgroup.Group
	if a.name != "" {
		group.Go(func() error { return a.service.Attempts.TakeBackOf(ctx, a.name, a.from) })
	}
	if a.address != "" {
		group.Go(func() error { return a.service.Attempts.TakeBack(ctx, a.address) })
	}
	return group.Wait()
}

// countRegistration counts a new user of an address. It returns errs.TooMany if the address has none left.
func (s *Service) countRegistration(ctx context.Context, scope tenant.Scope, address string) error {
	if s.PerHour == 0 {
		return nil
	}
	key := scope.String() + "#attempt#registration#" + Network(address)
	wait, err := s.Attempts.Attempt(ctx, key, s.PerHour, time.Hour, s.Users.Clock.Now())
	if err == nil && wait > 0 {
		err = TooMany("new users from this address", wait)
	}
	return err
}

// Network returns what limits count as one address. An IPv6 address stands for its /64: one subscriber has all of them.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}

// TooMany returns the errs.TooMany of a limit of an address or a name.
func TooMany(what string, wait time.Duration) error {
	seconds := int((wait + time.Second - 1) / time.Second)
	return errs.TooMany(seconds, "too many %s: try again in %d seconds", what, seconds)
}
