package identifier

import (
	"slices"

	"minicloud/shared/errs"
)

// Name is a value that at most one user of an environment has: a login name, a phone or an identity at a vendor.
type Name struct {
	Kind string // "username", "email", "phone" or "<vendor>.<field>" of user.Account.Providers
	Key  string // the form by which names of this kind are compared
	text string // as entered, for the error message
}

// maxIdentity is the maximum length of an identity at a vendor, in bytes: it is part of a key.
const maxIdentity = 1024

// OfUsername returns the Name of a username.
func OfUsername(username string) Name {
	return Name{Kind: "username", Key: Fold(username), text: username}
}

// OfEmail returns the Name of an email address.
func OfEmail(email string) Name { return Name{Kind: "email", Key: Fold(email), text: email} }

// OfPhone returns the Name of a phone number with its key.
func OfPhone(key, phone string) Name { return Name{Kind: "phone", Key: key, text: phone} }

// OfIdentity returns the Name of an identity at a vendor: field is openid, unionid or user_id.
func OfIdentity(vendor, field, value string) Name {
	return Name{Kind: vendor + "." + field, Key: value}
}

// OfLogin returns the names by which a user may log in with a text: phoneKey is its key if it is a phone number,
// else "".
func OfLogin(text, phoneKey string) []Name {
	names := []Name{OfUsername(text), OfEmail(text), OfPhone(phoneKey, text)}
	return slices.DeleteFunc(names, func(n Name) bool { return !n.Valid() })
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
