package maillink

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/login"
)

// errToken is the error of every rejected token. It does not reveal the reason.
var errToken = errs.Invalid("token is wrong, was used or has expired: ask for another mail")

// Found is a valid token.
type Found struct {
	Application app.Application
	Scope       tenant.Scope
	Kept
}

// Find returns a valid token of a kind without spending it. in is the environment that the caller names, nil = none. It
// returns errs.Invalid for any other token.
func (s *Links) Find(ctx context.Context, token Token, kind Kind, in *tenant.Scope) (f Found, err error) {
	handle, env, ok := token.environment()
	if !ok {
		return f, errToken
	}
	f.Application, err = s.Applications.ByHandle(ctx, handle)
	if errs.Is(err, errs.KindNotFound) {
		return f, errToken
	}
	if err != nil {
		return f, err
	}
	f.Scope = tenant.Scope{App: f.Application.ID, Env: env}
	if _, known := f.Application.Environment(env); !known || in != nil && *in != f.Scope {
		return f, errToken
	}
	f.Kept, err = s.Store.Token(ctx, f.Scope, app.DigestOf(string(token)))
	if errs.Is(err, errs.KindNotFound) || err == nil && (f.Kind != kind || f.Spent || !s.now().Before(f.Expires)) {
		return f, errToken
	}
	return f, err
}

// Verify marks the address of a token as verified, and spends the token. With takeOver the owner of the mailbox says that
// somebody else made the account: see login.TakeOverEmail. It returns errs.Invalid for a token that is not valid.
func (s *Links) Verify(ctx context.Context, token Token, in *tenant.Scope, takeOver bool) error {
	f, err := s.Find(ctx, token, Verify, in)
	if err != nil {
		return err
	}
	return s.amend(ctx, f, func(a *user.Account) {
		if takeOver && !a.EmailVerified {
			login.TakeOverEmail(a)
			return
		}
		a.EmailVerified = true
	})
}

// Reset sets a new password, spends the token and ends all sessions of the user.
//
// Errors: errs.Invalid for a bad password and for a token that is not valid.
func (s *Links) Reset(ctx context.Context, token Token, in *tenant.Scope, newPassword string) error {
	if err := password.Check("new_password", newPassword); err != nil {
		return err
	}
	f, err := s.Find(ctx, token, Reset, in)
	if err != nil {
		return err
	}
	set, err := s.Logins.Users.Changer(ctx, user.AccountChange{NewPassword: user.To(newPassword)})
	if err != nil {
		return err
	}
	if err := s.amend(ctx, f, set); err != nil {
		return err
	}
	return s.Logins.DeleteSessions(ctx, f.Scope, f.User, "")
}

// amend changes the account of a token and spends the token in one transaction, if the account still has the address,
// and, for a new password, has not changed it since.
func (s *Links) amend(ctx context.Context, f Found, edit func(*user.Account)) error {
	proof := &login.Proof{Key: f.ProofKey(), ID: string(f.Digest), By: id.Hex(16), Refused: errToken}
	_, err := s.Logins.Amend(ctx, f.Scope, f.User, login.Arrival{Proof: proof, Account: func(a *user.Account) error {
		void := a.Email == "" || identifier.OfEmail(a.Email).Key != f.Email
		if f.Kind == Reset {
			void = void || !a.EmailVerified || a.Generation != f.Generation
		}
		if void {
			return errToken
		}
		edit(a)
		return nil
	}})
	if errs.Is(err, errs.KindNotFound) { // the user is gone
		return errToken
	}
	return err
}
