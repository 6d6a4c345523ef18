package idp

import (
	"encoding/json"
	"fmt"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
)

// ProfileUpdate says which fields of the user a vendor's profile changes.
type ProfileUpdate string

// The updates of profiles.
const (
	Overwrite ProfileUpdate = "overwrite" // all that the vendor tells
	SetUnset  ProfileUpdate = "setnx"     // those without a value
	Keep      ProfileUpdate = "false"     // none; the profile is only in _provider
)

// field is the name of a vendor's user id in Account.Providers.
func field(v messaging.Vendor) string {
	if v == messaging.Alt {
		return "user_id"
	}
	return "openid"
}

// unionField is the member of Account.Providers by which logins with a union id find their user.
const unionField = "chat_unionid"

// names returns the names by which a login looks for the user, in this order.
func (i Identity) names(withUnion bool) (names []identifier.Name) {
	if withUnion && i.hasUnion() {
		names = append(names, i.unionName())
	}
	return append(names, identifier.OfIdentity(string(i.Vendor), field(i.Vendor), i.OpenID))
}

// hasUnion reports whether the identity has a union id by which users can be found: only those of chat, whose union ids
// are the same for mini programs and web pages.
func (i Identity) hasUnion() bool {
	return i.UnionID != "" && (i.Vendor == messaging.Chat || strings.HasPrefix(string(i.Vendor), chatProviders))
}

// chatProviders is the prefix of chat's login providers for web pages.
const chatProviders = "oauth-chat-"

func (i Identity) unionName() identifier.Name {
	return identifier.OfIdentity(string(messaging.Chat), "unionid", i.UnionID)
}

// providers is the decoded form of Account.Providers.
type providers map[string]any

func providersOf(a *user.Account) (providers, error) {
	p := providers{}
	if a.Providers == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(a.Providers), &p); err != nil {
		return nil, fmt.Errorf("providers of user %d: %w", a.UserID, err)
	}
	return p, nil
}

// at returns the member of a vendor.
func (p providers) at(v messaging.Vendor) map[string]any {
	if of, ok := p[string(v)].(map[string]any); ok {
		return of
	}
	return map[string]any{}
}

// text returns a text of a member, "" if it has none.
func text(of map[string]any, name string) string {
	told, _ := of[name].(string)
	return told
}

// claim adds an identity to an account.
type claim struct {
	Identity
	// Strict refuses an account that has another identity of the vendor: it is linked, not found by it.
	Strict bool
	// Union also claims the union id, and refuses an account that has another one.
	Union bool
	// Free reports whether no other user has the union id. Without Union, a union id is claimed only if it is free, so
	// that a later login with it finds the user.
	Free func(a *user.Account) (bool, error)
	// Told reports that the vendor told a profile.
	Told bool
}

// add changes Account.Providers. It returns errs.Invalid if the account has another identity.
func (c claim) add(a *user.Account) error {
	all, err := providersOf(a)
	if err != nil {
		return err
	}
	of, name := all.at(c.Vendor), field(c.Vendor)
	switch have := text(of, name); {
	case have == "":
		of[name] = c.OpenID
	case have != c.OpenID && c.Strict:
		return errs.Invalid("code: another %s user is linked to this user", c.Vendor)
	case have != c.OpenID:
		// Found by the union id: the user has another openid, of another app of the same owner, and keeps it.
	}

	if err := c.addUnion(a, all, of); err != nil {
		return err
	}
	if c.Told {
		c.Profile.tell(c.Vendor, of)
	}
	all[string(c.Vendor)] = of
	made, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("providers of user %d: %w", a.UserID, err)
	}
	a.Providers = string(made)
	return nil
}

// addUnion adds the union id to the member of the vendor, and claims it.
func (c claim) addUnion(a *user.Account, all providers, of map[string]any) error {
	if c.UnionID == "" {
		return nil
	}
	have := text(of, "unionid")
	if have == "" {
		of["unionid"] = c.UnionID
	}
	if !c.hasUnion() {
		return nil
	}

	claimed := text(all, unionField)
	if c.Union && (have != "" && have != c.UnionID || claimed != "" && claimed != c.UnionID) {
		return errs.Invalid("unionid: the user has another union id")
	}
	if claimed != "" {
		return nil
	}
	if !c.Union {
		free, err := c.Free(a)
		if err != nil || !free {
			return err
		}
	}
	all[unionField] = c.UnionID
	return nil
}
