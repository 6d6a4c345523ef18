package idp

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// Associate links the identity of a code to the caller, and returns the identity. Linking one's own identity again
// changes nothing (C12).
//
// Errors: errs.Duplicate for the identity or, with WithUnion, the union id of another user; errs.Invalid if the caller
// has another identity of the vendor or another union id, and as Authenticate; errs.Unavailable if the vendor does not
// answer.
func (s *Service) Associate(ctx context.Context, scope tenant.Scope, who session.Identity, r Request) (Identity, error) {
	at, i, err := s.exchange(ctx, scope, r)
	if err != nil {
		return i, err
	}
	told := r.Authorized
	if r.Data.hasRaw() || r.Data.hasEncrypted() {
		told = true
		if i, err = r.Data.Verify(i.SessionKey, at.Identity.AppID, i); err != nil {
			return i, err
		}
	}

	var in login.Arrival
	apply(ctx, s.Logins, scope, &in, change{
		claim: claim{Identity: i, Strict: true, Union: r.WithUnion, Told: told}, authorized: told, update: r.Update,
	})
	if _, err := s.Logins.Amend(ctx, scope, user.ID(who.User), in); err != nil {
		return i, err
	}
	return i, s.keepKey(ctx, scope, user.ID(who.User), at, i)
}

// UpdateProfile writes the profile that the page sends into the caller: r.Data proves it, r.Told does not. It returns
// the user as they see themselves. Without a code, the data is of the session key of the last login.
//
// Errors are those of Associate.
func (s *Service) UpdateProfile(
	ctx context.Context, scope tenant.Scope, who session.Identity, r Request,
) (user.Profile, error) {
	i := Identity{Vendor: r.Vendor}
	c := change{update: r.Update}
	if r.Told != nil {
		i.Profile = r.Told.Clean()
	} else {
		proven, err := s.proven(ctx, scope, who, r)
		if err != nil {
			return nil, err
		}
		i, c.authorized = proven, true
	}

	c.claim = claim{Identity: i, Told: true}
	c.before = func(a *user.Account, next *claim) error {
		all, err := providersOf(a)
		if err != nil || r.Told != nil { // _provider has only what the vendor told
			return err
		}
		if have := text(all.at(r.Vendor), field(r.Vendor)); have == "" || have != i.OpenID {
			return errs.Invalid("the data is of another %s user than the one linked to this user", r.Vendor)
		}
		return nil
	}
	var in login.Arrival
	apply(ctx, s.Logins, scope, &in, c)
	return s.Logins.Amend(ctx, scope, user.ID(who.User), in)
}

// proven returns the identity whose profile the data proves: that of the code, or of the caller's last login.
func (s *Service) proven(
	ctx context.Context, scope tenant.Scope, who session.Identity, r Request,
) (i Identity, err error) {
	if !r.Data.hasRaw() && !r.Data.hasEncrypted() {
		return i, errs.Invalid("rawData and signature, or encryptedData and iv, are required")
	}
	at, err := s.open(ctx, scope, r.Vendor)
	if err != nil {
		return i, err
	}
	if r.Code != "" {
		if _, i, err = s.exchange(ctx, scope, r); err != nil {
			return i, err
		}
	} else {
		i = Identity{Vendor: r.Vendor, OpenID: who.OpenID}
		if i.SessionKey, err = s.keptKey(ctx, scope, user.ID(who.User), r.Vendor); err != nil {
			return i, err
		}
	}
	return r.Data.Verify(i.SessionKey, at.Identity.AppID, i)
}

// VendorOf returns the vendor of a path. qq is another word of the contract for tpay.
func VendorOf(name string) (v messaging.Vendor, err error) {
	if name == "qq" {
		return messaging.Tpay, nil
	}
	return v, v.ReadText(name)
}
