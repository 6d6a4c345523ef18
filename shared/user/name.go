package user

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/user/identifier"
)

// Name is a value that at most one user of an environment has: a login name, a phone or an identity at a vendor.
type Name struct {
	Kind string // "username", "email", "phone" or "<vendor>.<field>" of Account.Providers
	Key  string // the form by which names of this kind are compared
	text string // as entered, for the error message
}

// identityFields are the fields of a vendor in Account.Providers that identify a user. Functions may store others. A
// vendor tells the same unionid to all apps of one owner: logins find a user by the member <vendor>_unionid, which only
// one user has, while the field unionid is what the vendor told.
var identityFields = []string{"openid", "user_id"}

// unionSuffix is the end of the names of members of Account.Providers that are the union id at a vendor.
const unionSuffix = "_unionid"

// maxIdentity is the maximum length of an identity at a vendor, in bytes: it is part of a key.
const maxIdentity = 1024

// UsernameOf returns the Name of a username.
func UsernameOf(username string) Name {
	return Name{Kind: "username", Key: identifier.Fold(username), text: username}
}

// EmailOf returns the Name of an email address.
func EmailOf(email string) Name { return Name{Kind: "email", Key: identifier.Fold(email), text: email} }

// PhoneOf returns the Name of a phone number. It returns errs.Invalid if it is not a phone number.
func (s *Service) PhoneOf(phone string) (Name, error) {
	key, err := s.phoneKey(identifier.PlainPhone(phone))
	return Name{Kind: "phone", Key: key, text: phone}, err
}

// IdentityOf returns the Name of an identity at a vendor: field is openid, unionid or user_id.
func IdentityOf(vendor, field, value string) Name {
	return Name{Kind: vendor + "." + field, Key: value}
}

// Valid reports whether a user can have the name. No user has a longer one.
func (n Name) Valid() bool { return n.Key != "" && len(n.Kind)+len(n.Key) <= maxIdentity }

// Taken returns the errs.Duplicate for a name that another user has. It repeats what the caller entered, and no
// identity of a vendor.
func (n Name) Taken() error {
	if n.text == "" {
		return errs.Duplicate("%s belongs to another user", n.Kind)
	}
	return errs.Duplicate("%s %q is already taken", n.Kind, n.text)
}

// Names returns the unique names of the account.
func (a Account) Names() (names []Name) {
	if a.Username != "" {
		names = append(names, UsernameOf(a.Username))
	}
	if a.Email != "" {
		names = append(names, EmailOf(a.Email))
	}
	if a.PhoneKey != "" {
		names = append(names, Name{Kind: "phone", Key: a.PhoneKey, text: a.Phone})
	}
	return append(names, a.identities()...)
}

// Has reports whether the account has a name.
func (a Account) Has(name Name) bool {
	return slices.ContainsFunc(a.Names(), func(own Name) bool { return own.Kind == name.Kind && own.Key == name.Key })
}

// identities returns the identities in Providers, in a fixed order.
func (a Account) identities() (names []Name) {
	var providers map[string]any
	if a.Providers == "" || json.Unmarshal([]byte(a.Providers), &providers) != nil {
		return nil
	}
	add := func(vendor, field string, value any) {
		text, _ := value.(string)
		if name := IdentityOf(vendor, field, text); name.Valid() {
			names = append(names, name)
		}
	}
	for _, member := range slices.Sorted(maps.Keys(providers)) {
		if vendor, ok := strings.CutSuffix(member, unionSuffix); ok {
			add(vendor, "unionid", providers[member])
			continue
		}
		of, _ := providers[member].(map[string]any)
		for _, field := range identityFields {
			add(member, field, of[field])
		}
	}
	return names
}

// VendorID returns an id of the user at a vendor, such as user_id at alt; "" if there is none.
func (a Account) VendorID(vendor, field string) string {
	kind := vendor + "." + field
	for _, name := range a.identities() {
		if name.Kind == kind {
			return name.text
		}
	}
	return ""
}

// Proven reports whether somebody has proven to own the account otherwise than by its e-mail and its password.
func (a Account) Proven() bool { return a.PhoneVerified || len(a.identities()) > 0 }

// Emptied returns the account without names, password and identities. Its sessions end.
func (a Account) Emptied() Account {
	return Account{
		UserID: a.UserID, Generation: a.Generation + 1, UpdatedAt: a.UpdatedAt, Revision: a.Revision, Tokens: a.Tokens,
	}
}
