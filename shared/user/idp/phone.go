package idp

import (
	"context"
	"errors"

	"minicloud/shared/errs"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// VerifyPhone gives the caller the phone number that the vendor tells, as verified, and returns the user as they see
// themselves.
//
// Errors: errs.Invalid without overwrite if the user has another number, for a code that the vendor refuses and for
// forged data; errs.Duplicate for the number of another user; errs.Unavailable if the vendor does not answer.
func (s *Service) VerifyPhone(
	ctx context.Context, scope tenant.Scope, who session.Identity, r Request, overwrite bool,
) (user.Profile, error) {
	at, err := s.open(ctx, scope, r.Vendor)
	if err != nil {
		return nil, err
	}
	key := ""
	if r.PhoneCode == "" {
		if key, err = s.keptKey(ctx, scope, user.ID(who.User), r.Vendor); err != nil {
			return nil, err
		}
	}
	number, err := s.phone(ctx, at, r, key)
	if err != nil {
		return nil, err
	}
	phone, err := s.provenPhone(ctx, number)
	if err != nil {
		return nil, err
	}

	return s.Logins.Amend(ctx, scope, user.ID(who.User), login.Arrival{Account: func(a *user.Account) error {
		if a.Phone != "" && a.PhoneKey != phone.Name.Key && !overwrite {
			return errs.Invalid("overwrite is false, and the user has another phone")
		}
		phone.Give(a, true)
		return nil
	}})
}

// phone returns the phone number that the vendor tells: for a phone code, or in encrypted data.
func (s *Service) phone(
	ctx context.Context, at *templatemessage.Account, r Request, sessionKey string,
) (string, error) {
	var told Phone
	var err error
	switch {
	case len(r.PhoneCode) > maxCode, r.PhoneCode == "" && !r.Data.hasEncrypted():
		return "", errs.Invalid("phone_code of at most %d bytes, or encryptedData and iv, is required", maxCode)
	case r.PhoneCode != "":
		told, err = s.phoneOfCode(ctx, at, r)
	default:
		told, err = r.Data.Phone(sessionKey, at.Identity.AppID)
	}
	if err != nil {
		return "", err
	}
	return told.Number()
}

// phoneOfCode asks the vendor for the number, with the access token of the environment.
func (s *Service) phoneOfCode(ctx context.Context, at *templatemessage.Account, r Request) (told Phone, err error) {
	err = at.Call(ctx, func(token string) (err error) {
		told, err = s.Phones.Phone(ctx, at.Identity, token, r.PhoneCode)
		return err
	})
	refusal, refused := errors.AsType[*templatemessage.Refusal](err)
	switch {
	case refused && refusal.Verdict != templatemessage.Later && refusal.Verdict != templatemessage.BadToken:
		return told, errs.Invalid("phone_code: %s refuses it (%s): %s", r.Vendor, refusal.Code, refusal.Message)
	// Without a token, or while another instance requests one.
	case err != nil && !errs.Is(err, errs.KindInvalid):
		return told, Unreachable(r.Vendor, err)
	}
	return told, err
}
