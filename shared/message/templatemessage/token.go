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

// KeptToken is a stored access token.
type KeptToken struct {
	Identity  string // messaging.VendorSetting.Identity for which it was given
	Sealed    sealed.Text
	Version   int64 // increases with each token
	RefreshAt time.Time
	Expires   time.Time
	Leased    time.Time // until when an instance has the right to request the next token, zero = no instance has it
}

// TokenStore stores one access token per environment and vendor. All reads are consistent.
type TokenStore interface {
	// Token returns a KeptToken without a version if there is no token.
	Token(ctx context.Context, scope tenant.Scope, v messaging.Vendor) (KeptToken, error)
	// Lease gives owner the exclusive right, until a time, to request the token that follows version. It returns
	// errs.Conflict if another owner has the lease or the token has another version.
	Lease(
		ctx context.Context, scope tenant.Scope, v messaging.Vendor, version int64, owner string, now, until time.Time,
	) error
	// PutToken replaces the token and ends the lease. It returns errs.Conflict if owner no longer has the lease.
	PutToken(ctx context.Context, scope tenant.Scope, v messaging.Vendor, next KeptToken, owner string) error
}

// Tokens shares one access token between all instances: a new token may revoke the previous one, so instances must not
// request tokens independently. When a token gets old, the first instance requests the next one. The others use the old
// token while it is valid, and then wait.
type Tokens struct {
	Store  TokenStore
	Givers map[messaging.Vendor]TokenGiver // a vendor without an entry has no tokens
	Sealer sealed.Sealer
	Clock  clock.Clock

	// recent caches the last used token by tokenOf.bound. If the cached token is outdated, the vendor rejects it and
	// the caller asks for a later version.
	recent cache.Map[string, KeptToken]
}

// usable reports whether the token belongs to the identity, is newer than the rejected version, and is valid at a time.
func (k KeptToken) usable(of tokenOf, rejected int64, at time.Time) bool {
	return k.Identity == of.identity && k.Version > rejected && at.Before(k.Expires)
}

// Token is a decrypted access token.
type Token struct {
	Value   string
	Version int64
}

const (
	// leaseTime is longer than a request for a token takes.
	leaseTime = 15 * time.Second
	// refreshBefore is how long before its expiry a token is replaced, at most a quarter of its lifetime.
	refreshBefore = 5 * time.Minute
)

// tokenOf identifies the owner of a token.
type tokenOf struct {
	scope    tenant.Scope
	vendor   messaging.Vendor
	identity string // of the setting, messaging.VendorSetting.Identity
	who      Identity
}

func (o tokenOf) bound() string { return o.scope.String() + "#message-token#" + string(o.vendor) }

// get returns a token that is newer than the rejected version, 0 for any. It returns errs.Conflict while another
// instance is requesting it.
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
	leased := now.Before(kept.Leased) // to another instance: a write would only be refused
	if leased && !valid {
		return Token{}, errs.Conflict("another instance is asking for the access token")
	}
	if !leased && (!valid || !now.Before(kept.RefreshAt)) {
		next, err := s.ask(ctx, of, kept.Version, rejected > 0)
		if err == nil || !valid {
			return next, err
		}
		// Another instance is requesting, or the vendor does not answer: use the current token while it is valid.
	}

	value, err := sealed.Open(ctx, s.Sealer, of.bound(), kept.Sealed)
	if err == nil {
		s.recent.Put(of.bound(), kept)
	}
	return Token{Value: value, Version: kept.Version}, err
}

// ask requests the token that follows version from the vendor. A lease allows one instance at a time.
func (s *Tokens) ask(ctx context.Context, of tokenOf, version int64, fresh bool) (Token, error) {
	now, owner := s.Clock.Now(), id.Hex(8)
	if err := s.Store.Lease(ctx, of.scope, of.vendor, version, owner, now, now.Add(leaseTime)); err != nil {
		return Token{}, err
	}

	value, lifetime, err := s.Givers[of.vendor].Token(ctx, of.who, fresh)
	if err != nil {
		return Token{}, fmt.Errorf("ask for an access token: %w", err)
	}
	// A vendor may answer 200 with an empty token; stored, it would fail every message until it expires.
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
