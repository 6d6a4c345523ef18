package login

import (
	"context"
	"strings"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/secret/password"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/session"
)

// Credentials are a login name and its password.
type Credentials struct {
	Method   app.LoginMethod // Username, Email or Phone
	Name     string
	Password string
	From     session.Sender
}

// Register creates a user with a login name and a password, and logs them in. If before is a temporary user, that user
// gets the name and keeps the id (C9); all their earlier sessions end. before is nil without a session.
//
// Errors: errs.Invalid, which names the field; errs.Duplicate if the name is taken; errs.TooMany after too many
// registrations from the address.
func (s *Service) Register(
	ctx context.Context, scope tenant.Scope, in Credentials, before *session.Identity,
) (Login, error) {
	change, err := change(in)
	if err != nil {
		return Login{}, err
	}
	if err := s.countRegistration(ctx, scope, in.From.Address); err != nil {
		return Login{}, err
	}
	apply, err := s.Users.Changer(ctx, change)
	if err != nil {
		return Login{}, err
	}
	return s.create(ctx, scope, before, Arrival{Method: in.Method, From: in.From, Account: func(a *user.Account) error {
		apply(a)
		return nil
	}})
}

// change returns the change of an account that sets the credentials. An email is stored in lower case.
func change(in Credentials) (c user.AccountChange, err error) {
	if err := password.Check("password", in.Password); err != nil {
		return c, err
	}
	c.NewPassword = user.To(in.Password)
	switch in.Method {
	case app.LoginUsername:
		c.Username = user.To(in.Name)
	case app.LoginEmail:
		c.Email = user.To(strings.ToLower(in.Name))
	case app.LoginPhone:
		c.Phone = user.To(in.Name)
	default:
		err = errs.Invalid("users do not register by %s", in.Method)
	}
	return c, err
}

// Anonymous creates a temporary user and logs them in. It returns errs.TooMany after too many from the address.
func (s *Service) Anonymous(ctx context.Context, scope tenant.Scope, from session.Sender) (Login, error) {
	if err := s.countRegistration(ctx, scope, from.Address); err != nil {
		return Login{}, err
	}
	return s.create(ctx, scope, nil, Arrival{Method: app.LoginAnonymous, From: from})
}

// create creates a user, or registers the temporary user before.
func (s *Service) create(ctx context.Context, scope tenant.Scope, before *session.Identity, in Arrival) (Login, error) {
	t, err := s.Users.ProfileTable(ctx, scope)
	if err != nil {
		return Login{}, err
	}
	if before == nil || !before.Temporary {
		return s.insert(ctx, scope, t, in)
	}

	var made Login
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		a, row, err := s.Store.User(ctx, scope, t, user.ID(before.User))
		if err != nil {
			return err
		}
		// Another request registered the user, or ended the session, since the token was verified.
		if row.ID == "" || !a.Temporary || a.Generation != before.Session.Generation {
			return errs.Unauthenticated("the session of the temporary user has ended: log in again")
		}
		made, err = s.change(ctx, scope, t, a, row, in, true)
		return err
	})
	return made, err
}

// insert creates a user. Two processes can draw the same id in the same millisecond, so it draws another one then.
func (s *Service) insert(ctx context.Context, scope tenant.Scope, t table.Table, in Arrival) (Login, error) {
	var made Login
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		row, err := s.Users.NewProfile(ctx, t, in.Profile)
		if err != nil {
			return err
		}
		a := user.Account{
			UserID: user.ID(row.ID.Number()), Temporary: in.Method == app.LoginAnonymous, UpdatedAt: row.UpdatedAt,
			Revision: 1,
		}
		if in.Account != nil {
			if err := in.Account(&a); err != nil {
				return err
			}
			a.Generation = 0 // there are no sessions that the first password could end
		}
		opened, token := s.newSession(a, in.Method, in.From)
		w := Write{
			Old: user.Account{UserID: a.UserID}, New: a, Profile: &table.Change{New: &row}, Session: &opened,
			Proof: in.Proof,
		}
		if a.Temporary {
			w.Expires = opened.ExpiresAt.Add(KeepTemporary)
		}
		made = s.answer(t, a, row, opened, token)
		made.New = true
		return s.Store.WriteUser(ctx, scope, t, w)
	})
	return made, err
}
