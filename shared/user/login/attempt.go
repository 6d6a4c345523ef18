package login

import (
	"context"
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
}

// attempt is a counted attempt to guess a password.
type attempt struct {
	service *Service
	keys    []string
}

// attempt counts an attempt under the pair of name and address, the name, and the address. It returns errs.TooMany if
// one of them has none left. A refused attempt counts nowhere: somebody who goes on after the limit of the pair does not
// use up the name's own limit, which would lock out its owner at every address.
//
// The keys contain a digest of the name, which is arbitrary text. Whether a user has the name makes no difference.
func (s *Service) attempt(ctx context.Context, scope tenant.Scope, name identifier.Name, address string) (attempt, error) {
	address = Network(address)
	digest := string(app.DigestOf(name.Kind + "#" + name.Key))
	made := attempt{service: s}
	for _, limit := range []struct {
		key  string
		most int
	}{
		{"pair#" + digest + "#" + address, PerPair}, {"name#" + digest, PerName}, {"address#" + address, PerAddress},
	} {
		key := scope.String() + "#attempt#" + limit.key
		wait, err := s.Attempts.Attempt(ctx, key, limit.most, Period, s.Users.Clock.Now())
		if err == nil && wait > 0 {
			err = TooMany("failed passwords", wait)
		}
		if err != nil {
			return attempt{}, joined(err, made.takeBack(ctx))
		}
		made.keys = append(made.keys, key)
	}
	return made, nil
}

// takeBack uncounts the attempt: the password was right, or the attempt was refused.
func (a attempt) takeBack(ctx context.Context) error {
	var group errgroup.Group
	for _, key := range a.keys {
		group.Go(func() error { return a.service.Attempts.TakeBack(ctx, key) })
	}
	return group.Wait()
}

// joined returns the error that takes precedence.
func joined(first, second error) error {
	if second != nil {
		return second
	}
	return first
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
