package smscode

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// Logins logs end users in by codes, and verifies their phones. A code is spent in the transaction of the login: if that
// fails or the program dies, the user can try the same code again.
type Logins struct {
	// Codes verifies only: Settings, Sender and Claims are not needed.
	Codes  *Codes
	Logins *login.Service
}

// LoginRequest is a login by a code.
type LoginRequest struct {
	Phone, Code string
	Create      bool // a user if nobody has the phone
	From        session.Sender
	Before      *session.Identity // the caller, nil = nobody
}

// LogIn logs in the user of a phone who entered its code. Whether the phone has a user shows only to callers with the
// right code.
//
// Errors: those of Verify for the phone and the code; those of login.Service.Enter.
func (s *Logins) LogIn(ctx context.Context, scope tenant.Scope, r LoginRequest) (login.Login, error) {
	number, err := s.Codes.Phones(identifier.PlainPhone(r.Phone))
	if err != nil {
		return login.Login{}, err
	}
	// Logins have no Idempotency-Key, so no earlier try can have spent the code.
	proof, _, err := s.Codes.check(ctx, scope, number, r.Code, 0)
	if err != nil {
		return login.Login{}, err
	}
	return s.Logins.EnterByPhone(ctx, scope, r.Phone, login.Arrival{
		Method: app.LoginSMS, From: r.From, Create: r.Create, Before: r.Before, Proof: &proof,
	})
}

// VerifyOwn marks the phone of a user as verified if the code was sent to it, and returns the user as they see
// themselves. It returns errs.Invalid if the user has no phone, and for a rejected code.
func (s *Logins) VerifyOwn(ctx context.Context, scope tenant.Scope, id user.ID, code string) (user.Profile, error) {
	a, err := s.Logins.Users.Account(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	if a.Phone == "" {
		return nil, errs.Invalid("the user has no phone: set one with PUT /hserve/v2.2/user/account/")
	}
	number, err := s.Codes.Phones(a.Phone)
	if err != nil {
		return nil, err
	}
	proof, spent, err := s.Codes.check(ctx, scope, number, code, id)
	if err != nil {
		return nil, err
	}
	if spent {
		return s.Logins.Amend(ctx, scope, id, login.Arrival{}) // no change
	}
	return s.Logins.VerifyPhone(ctx, scope, id, a.Phone, &proof)
}
