package templatemessage

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/message/messaging"
	"minicloud/shared/retry"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// KeptToken is an access token as it is stored.
type KeptToken struct {
	Identity  string // messaging.VendorSetting.Identity that it was given to
	Sealed    sealed.Text
	Version   int64 // rises with each token
	RefreshAt time.Time
	Expires   time.Time
}

// TokenStore remembers one access token of each environment and vendor. Every read is consistent.
type TokenStore interface {
	// Token returns the zero one where there is none.
	Token(ctx context.Context, scope tenant.Scope, v messaging.Vendor) (KeptToken, error)
	// Lease lets its owner, and nobody else until then, ask for the token after that version. errs.Conflict where
	// another has the lease, or the token is of another version.
	Lease(
		ctx context.Context, scope tenant.Scope, v messaging.Vendor, version int64, owner string, now, until time.Time,
	) error
	// PutToken replaces the token and ends the lease, errs.Conflict where the owner does not have it any more.
	PutToken(ctx context.Context, scope tenant.Scope, v messaging.Vendor, next KeptToken, owner string) error
}

// Tokens has one access token for all instances: asking for one may end the one before, so instances must not ask one
// after the other. The instance that comes first when a token gets old asks for the next; the others use the old one as
// long as it is valid, and then wait a moment.
type Tokens struct {
	Store  TokenStore
	Givers map[messaging.Vendor]TokenGiver // a vendor that is not here has no tokens
	Sealer sealed.Sealer
	Clock  clock.Clock

	// recent has the token that this process used last, by tokenOf.bound. The vendor rejects an old one, and the caller
	// then asks for a later version.
	recent cache.Map[string, KeptToken]
}

// usable reports whether a token is that of who asks, later than the rejected one, and valid at a time.
func (k KeptToken) usable(of tokenOf, rejected int64, at time.Time) bool {
	return k.Identity == of.identity && k.Version > rejected && at.Before(k.Expires)
}

// Token is an access token in clear.
type Token struct {
	Value   string
	Version int64
}

const (
	// leaseTime is longer than asking for a token takes.
	leaseTime = 15 * time.Second
	// refreshBefore its end a token is replaced; of one that is short-lived, after three quarters of its life.
	refreshBefore = 5 * time.Minute
)

// tokenOf says whose token it is.
type tokenOf struct {
	scope    tenant.Scope
	vendor   messaging.Vendor
	identity string // names who asks
	who      Identity
}

func (o tokenOf) bound() string { return o.scope.String() + "#message-token#" + string(o.vendor) }

// get returns a token that is later than the rejected version, 0 for any. errs.Conflict where another instance is
// asking for it and has not got it yet.
func (s *Tokens) get(ctx context.Context, of tokenOf, rejected int64) (token Token, err error) {
	err = retry.Calls.Do(ctx, retry.OnConflict, func(int) error {
		token, err = s.try(ctx, of, rejected)
		return err
	})
	return token, err
}

func (s *Tokens) try(ctx context.Context, of tokenOf, rejected int64) (Token, error) {
	now := s.Clock.Now()
	kept, _ := s.recent.Get(of.bound())
	if !kept.usable(of, rejected, now) || !now.Before(kept.RefreshAt) {
		var err error
		if kept, err = s.Store.Token(ctx, of.scope, of.vendor); err != nil {
			return Token{}, fmt.Errorf("access token: %w", err)
		}
	}

	valid := kept.usable(of, rejected, now)
	if !valid || !now.Before(kept.RefreshAt) {
		next, err := s.ask(ctx, of, kept.Version, rejected > 0)
		if err == nil || !valid {
			return next, err
		}
		// Another instance is asking, or the vendor does not answer: this one is good for a while.
	}

	value, err := sealed.Open(ctx, s.Sealer, of.bound(), kept.Sealed)
	if err == nil {
		s.recent.Put(of.bound(), kept)
	}
	return Token{Value: value, Version: kept.Version}, err
}

// ask asks the vendor for a new token after a version. A lease lets one instance ask at a time.
func (s *Tokens) ask(ctx context.Context, of tokenOf, version int64, fresh bool) (Token, error) {
	now, owner := s.Clock.Now(), id.Hex(8)
	if err := s.Store.Lease(ctx, of.scope, of.vendor, version, owner, now, now.Add(leaseTime)); err != nil {
		return Token{}, err
	}

	value, lifetime, err := s.Givers[of.vendor].Token(ctx, of.who, fresh)
	if err != nil {
		return Token{}, fmt.Errorf("ask for an access token: %w", err)
	}
	// An empty token with status 200 would be stored and fail every message until it expires.
	if value == "" || lifetime <= 0 {
		return Token{}, errs.Unavailable(0, "the vendor gave no access token")
	}

	box, err := sealed.Seal(ctx, s.Sealer, of.bound(), value)
	if err != nil {
		return Token{}, err
	}
	next := KeptToken{
		Identity: of.identity, Sealed: box, Version: version + 1, Expires: now.Add(lifetime),
		// Refresh early, so that no message waits for a token.
		RefreshAt: now.Add(lifetime - min(refreshBefore, lifetime/4)),
	}
	return Token{Value: value, Version: next.Version}, s.Store.PutToken(ctx, of.scope, of.vendor, next, owner)
}
