package login

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
)

// LogIn logs a user in by name and password. Whether a user has the name shows neither in the error nor in the time: an
// unknown name costs the same reads and the same hash.
//
// Errors: errs.Invalid for an unknown name and a wrong password; errs.TooMany after too many failed passwords;
// errs.Forbidden for a blocked user with the right password.
func (s *Service) LogIn(ctx context.Context, scope tenant.Scope, in Credentials) (Login, error) {
	name, err := s.nameOf(in)
	if err != nil {
		return Login{}, err
	}
	t, err := s.Users.ProfileTable(ctx, scope)
	if err != nil {
		return Login{}, err
	}

	// The user is found while the attempt is counted; the password is checked afterwards.
	var owner user.ID
	var group errgroup.Group
	group.Go(func() (err error) { owner, err = s.Users.Accounts.Owner(ctx, scope, name); return err })
	counted, err := s.attempt(ctx, scope, name, in.From.Address)
	if unknown := group.Wait(); err == nil {
		err = unknown
	}
	if err != nil {
		return Login{}, err
	}
	a, row, err := s.holder(ctx, scope, t, owner)
	if err != nil {
		return Login{}, err
	}

	right, err := s.Users.Passwords.Matches(ctx, cmp.Or(a.Password, s.Users.Passwords.Decoy()), in.Password)
	if err != nil {
		return Login{}, err
	}
	// An unknown name, a user without a password and a wrong password have the same error.
	if !right || a.Password == "" {
		return Login{}, errs.Invalid("the login name or the password is incorrect")
	}
	group.Go(func() error { return counted.takeBack(ctx) })
	opened, err := s.open(ctx, scope, t, a, row, nil, in.Method, in.From)
	if uncounted := group.Wait(); err == nil {
		err = uncounted
	}
	return opened, err
}

// nameOf returns the name in credentials. A phone that is none is unknown, as any other name would be.
func (s *Service) nameOf(in Credentials) (identifier.Name, error) {
	switch in.Method {
	case app.LoginEmail:
		return identifier.OfEmail(in.Name), nil
	case app.LoginPhone:
		name, err := s.Users.PhoneOf(in.Name)
		if errs.Is(err, errs.KindInvalid) {
			return identifier.Name{Kind: name.Kind, Key: in.Name}, nil
		}
		return name, err
	case app.LoginUsername:
		return identifier.OfUsername(in.Name), nil
	}
	return identifier.Name{}, errs.Invalid("users do not log in with a password by %s", in.Method)
}

// holder returns the account and the profile of the owner of a name. For a name of nobody it makes the same read and
// returns an account without a password.
func (s *Service) holder(
	ctx context.Context, scope tenant.Scope, t table.Table, owner user.ID,
) (user.Account, table.Row, error) {
	a, row, err := s.Store.User(ctx, scope, t, owner)
	if row.ID == "" {
		a = user.Account{}
	}
	return a, row, err
}
