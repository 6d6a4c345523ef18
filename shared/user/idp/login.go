package idp

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// Service logs users of mini programs in.
type Service struct {
	// Accounts have the settings of the vendors, their secrets and their access tokens.
	Accounts  *templatemessage.Accounts
	Exchanges map[messaging.Vendor]Exchange
	Phones    PhoneExchange // of chat
	Logins    *login.Service
	Keys      KeyStore
}

// Login is the result of a login by a vendor.
type Login struct {
	login.Login
	Identity Identity
}

// Request is what the page of a mini program sends.
type Request struct {
	Vendor messaging.Vendor
	Code   string // one-time, of the vendor
	Data   Data   // signed or encrypted
	// PhoneCode is a one-time code for the phone number, instead of encrypted data.
	PhoneCode string
	// Told is a profile that the page tells itself, which nothing proves.
	Told *Profile
	// Create reports whether to create a user if there is none.
	Create bool
	// WithUnion looks for the user by the union id first, and claims it.
	WithUnion bool
	// Authorized asks the vendor for the profile, where it tells it to servers (alt).
	Authorized bool
	Update     ProfileUpdate // "" = SetUnset
	From       session.Sender
	Before     *session.Identity // the caller, nil = nobody
}

// maxCode is the maximum length of a code, in bytes.
const maxCode = 512

// SilentLogin logs in the user of a code by identity alone.
//
// Errors: errs.Invalid for a code that the vendor refuses, a vendor without settings, and an identity or union id of
// another user; errs.NotFound without such a user and Create; errs.Unavailable if the vendor does not answer;
// errs.Forbidden for a blocked user.
func (s *Service) SilentLogin(ctx context.Context, scope tenant.Scope, r Request) (Login, error) {
	r.Authorized = false
	at, i, err := s.exchange(ctx, scope, r)
	if err != nil {
		return Login{}, err
	}
	return s.enter(ctx, scope, r, at, i, login.Arrival{Names: i.names(r.WithUnion)}, change{claim: claim{Identity: i, Union: r.WithUnion}})
}

// Authenticate is SilentLogin with the user's profile, which the vendor has signed or encrypted, or tells us (alt). Its
// errors are those of SilentLogin, and errs.Invalid for missing or forged data.
func (s *Service) Authenticate(ctx context.Context, scope tenant.Scope, r Request) (Login, error) {
	r.Authorized = true
	at, i, err := s.exchange(ctx, scope, r)
	if err != nil {
		return Login{}, err
	}
	if r.Vendor != messaging.Alt {
		if !r.Data.hasRaw() && !r.Data.hasEncrypted() {
			return Login{}, errs.Invalid("rawData and signature, or encryptedData and iv, are required")
		}
		if i, err = r.Data.Verify(i.SessionKey, at.Identity.AppID, i); err != nil {
			return Login{}, err
		}
	}
	return s.enter(ctx, scope, r, at, i, login.Arrival{Names: i.names(r.WithUnion)}, change{
		claim: claim{Identity: i, Union: r.WithUnion, Told: true}, authorized: true, update: r.Update,
	})
}

// PhoneLogin logs in the user with a phone number that chat has verified. Without one it logs in the user of the code,
// who gets the number; without both it creates a user. A user who is found by the number gets the identity of the code if
// it belongs to nobody. Nothing is merged. Its errors are those of SilentLogin, and errs.Invalid if the user of the code
// has another number.
func (s *Service) PhoneLogin(ctx context.Context, scope tenant.Scope, r Request) (Login, error) {
	at, i, err := s.exchange(ctx, scope, r)
	if err != nil {
		return Login{}, err
	}
	number, err := s.phone(ctx, at, r, i.SessionKey)
	if err != nil {
		return Login{}, err
	}
	phone, err := s.provenPhone(ctx, number)
	if err != nil {
		return Login{}, err
	}

	names := i.names(false)
	owner := func() (user.ID, error) { return s.Logins.Users.Accounts.Owner(ctx, scope, names[0]) }
	mistaken := func(a user.Account) (bool, error) {
		if !phone.Mistaken(a) {
			return false, nil
		}
		id, err := owner()
		return id != a.UserID, err
	}
	in := login.Arrival{Names: append([]identifier.Name{phone.Name}, names...), Mistaken: mistaken}
	return s.enter(ctx, scope, r, at, i, in, change{
		claim: claim{Identity: i}, before: func(a *user.Account, c *claim) error {
			if a.PhoneKey != "" && a.PhoneKey != phone.Name.Key {
				return errs.Invalid("the user of this code has another phone: change it with phone-verification")
			}
			owner, err := owner()
			if err != nil {
				return err
			}
			// The number decides who logs in: an identity of another user stays theirs.
			if owner != 0 && owner != a.UserID {
				c.OpenID = ""
			}
			phone.Give(a, owner == a.UserID)
			return nil
		},
	})
}

// provenPhone is login.Service.ProvenPhone of a number that the vendor tells.
func (s *Service) provenPhone(ctx context.Context, number string) (login.ProvenPhone, error) {
	phone, err := s.Logins.ProvenPhone(ctx, number)
	if errs.Is(err, errs.KindInvalid) {
		err = errs.Invalid("the phone number of the vendor cannot be used: %s", errs.Message(err))
	}
	return phone, err
}

// exchange opens the account at the vendor and exchanges the code.
func (s *Service) exchange(
	ctx context.Context, scope tenant.Scope, r Request,
) (*templatemessage.Account, Identity, error) {
	if r.Code == "" || len(r.Code) > maxCode {
		return nil, Identity{}, errs.Invalid("code must be 1 to %d bytes", maxCode)
	}
	at, err := s.open(ctx, scope, r.Vendor)
	if err != nil {
		return nil, Identity{}, err
	}
	i, err := s.Exchanges[r.Vendor].Exchange(ctx, at.Identity, r.Code, r.Authorized)
	if err == nil && !i.names(false)[0].Valid() {
		err = Unreachable(r.Vendor, errs.Invalid("an openid that no user can have"))
	}
	return at, i, err
}

// open returns the account at the vendor. It returns errs.Invalid if the environment has none.
func (s *Service) open(ctx context.Context, scope tenant.Scope, v messaging.Vendor) (*templatemessage.Account, error) {
	at, err := s.Accounts.Open(ctx, scope, v)
	if errs.Is(err, errs.KindNotFound) || errs.Is(err, errs.KindInvalid) {
		return nil, errs.Invalid("logins by %s are not configured: set app_id and %s with PUT /oserve/v3/message-setting/%s/",
			v, v.SecretName(), v)
	}
	return at, err
}

// enter logs the user in and keeps the session key.
func (s *Service) enter(
	ctx context.Context, scope tenant.Scope, r Request, at *templatemessage.Account, i Identity, in login.Arrival,
	c change,
) (Login, error) {
	in.Method, in.From, in.Create, in.Before = app.LoginMethod(r.Vendor), r.From, r.Create, r.Before
	apply(ctx, s.Logins, scope, &in, c)
	made, err := s.Logins.Enter(ctx, scope, in)
	if err != nil {
		return Login{}, err
	}
	return Login{Login: made, Identity: i}, s.keepKey(ctx, scope, made.ID, at, i)
}
