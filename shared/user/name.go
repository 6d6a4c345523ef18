package user

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"minicloud/shared/user/identifier"
)

// identityFields are the fields of a vendor in Account.Providers that identify a user. Functions may store others. A
// vendor tells the same unionid to all apps of one owner: logins find a user by the member <vendor>_unionid, which only
// one user has, while the field unionid is what the vendor told.
var identityFields = []string{"openid", "user_id"}

// unionSuffix is the end of the names of members of Account.Providers that are the union id at a vendor.
const unionSuffix = "_unionid"

// PhoneOf returns the name of a phone number. It returns errs.Invalid if it is not a phone number.
func (s *Service) PhoneOf(phone string) (identifier.Name, error) {
	key, err := s.phoneKey(identifier.PlainPhone(phone))
	return identifier.OfPhone(key, phone), err
}

// Names returns the unique names of the account.
func (a Account) Names() (names []identifier.Name) {
	if a.Username != "" {
		names = append(names, identifier.OfUsername(a.Username))
	}
	if a.Email != "" {
		names = append(names, identifier.OfEmail(a.Email))
	}
	if a.PhoneKey != "" {
		names = append(names, identifier.OfPhone(a.PhoneKey, a.Phone))
	}
	return append(names, a.identities()...)
}

// Has reports whether the account has a name.
func (a Account) Has(name identifier.Name) bool {
	return slices.ContainsFunc(a.Names(), func(own identifier.Name) bool { return own.Kind == name.Kind && own.Key == name.Key })
}

// identities returns the identities in Providers, in a fixed order.
func (a Account) identities() (names []identifier.Name) {
	var providers map[string]any
	if a.Providers == "" || json.Unmarshal([]byte(a.Providers), &providers) != nil {
		return nil
	}
	add := func(vendor, field string, value any) {
		text, _ := value.(string)
		if name := identifier.OfIdentity(vendor, field, text); name.Valid() {
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
			return name.Key
		}
	}
	return ""
}

// Proven reports whether somebody has proven that an e-mail, a phone or an identity of the account is theirs.
func (a Account) Proven() bool { return a.EmailVerified || a.PhoneVerified || len(a.identities()) > 0 }

// Emptied returns the account without names, password and identities. Its sessions end.
func (a Account) Emptied() Account {
	return Account{
		UserID: a.UserID, Generation: a.Generation + 1, UpdatedAt: a.UpdatedAt, Revision: a.Revision, Tokens: a.Tokens,
	}
}
