package idp

import (
	"context"

	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
)

// change is what a login or a call of the user changes.
type change struct {
	claim claim // Vendor "" = no identity is added
	// before runs before the identity is added; it may change the account and the claim.
	before     func(a *user.Account, c *claim) error
	authorized bool          // the user lets the application read their profile
	update     ProfileUpdate // "" = SetUnset
}

// apply sets the changes of the account and of the profile.
func apply(ctx context.Context, logins *login.Service, scope tenant.Scope, in *login.Arrival, c change) {
	added := false
	in.Account = func(a *user.Account) error {
		next := c.claim // again the first one, because conflicts repeat the call
		next.Free = func(a *user.Account) (bool, error) {
			owner, err := logins.Users.Accounts.Owner(ctx, scope, next.unionName())
			return owner == 0 || owner == a.UserID, err
		}
		if c.before != nil {
			if err := c.before(a, &next); err != nil {
				return err
			}
		}
		if added = next.OpenID != ""; !added {
			return nil
		}
		return next.add(a)
	}

	in.Profile = map[string]any{}
	if c.update != Keep {
		in.Profile = c.claim.Profile.columns()
	}
	// The openid and the unionid at the top are those of chat, which payments and messages use.
	// A page's openid is another one.
	if c.claim.Vendor == messaging.Chat && c.claim.OpenID != "" {
		in.Profile["openid"] = c.claim.OpenID
	}
	if c.claim.OpenID != "" && c.claim.hasUnion() {
		in.Profile["unionid"] = c.claim.UnionID
	}
	if c.authorized {
		in.Profile["is_authorized"] = true
	}
	in.Update = func(name string, stored any) bool {
		unset := stored == nil || stored == "" || stored == int64(0) || stored == false
		if name == "openid" || name == "unionid" {
			return added && unset
		}
		return unset || c.update == Overwrite
	}
}
