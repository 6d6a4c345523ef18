package login

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/secret/password"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/session"
)

// Caller is a user with a session, and the password that they give to confirm a change; nil = not given.
type Caller struct {
	session.Identity
	Address  string
	Password *string
}

// ChangeOwn changes the login of the caller. A new password needs the current one if there is one, and ends all other
// sessions.
//
// Errors: those of user.Service.ChangeAccount; errs.Invalid for a wrong current password, errs.TooMany after too many.
func (s *Service) ChangeOwn(
	ctx context.Context, scope tenant.Scope, who Caller, change user.AccountChange,
) (user.Account, error) {
	id := user.ID(who.User)
	if change.Email.Value != nil {
		change.Email = user.To(strings.ToLower(*change.Email.Value))
	}
	var confirmed password.Hash
	if change.NewPassword.Given {
		var err error
		if confirmed, err = s.confirm(ctx, scope, who); err != nil {
			return user.Account{}, err
		}
	}
	apply, err := s.Users.Changer(ctx, change)
	if err != nil {
		return user.Account{}, err
	}

	a, err := s.Users.EditAccountBy(ctx, scope, id, func(a *user.Account) error {
		// Another request may have changed the password or ended the session since.
		if change.NewPassword.Given && a.Password != confirmed {
			return errs.Invalid("password is incorrect")
		}
		if err := s.goesOn(ctx, scope, who, *a); err != nil {
			return err
		}
		apply(a)
		return nil
	}, func(old, next user.Account) error {
		w := Write{Old: old, New: next}
		if next.Generation != old.Generation {
			kept := who.Session
			kept.Generation = next.Generation
			w.Kept = &kept
		}
		return s.Store.WriteUser(ctx, scope, table.Table{}, w)
	})
	if err != nil || !change.NewPassword.Given {
		return a, err
	}
	return a, s.DeleteSessions(ctx, scope, id, who.Session.Digest)
}

// goesOn returns errs.Unauthenticated if the caller's session has ended in the account as read now. A new password
// raises the generation too, but the session that sets it goes on.
func (s *Service) goesOn(ctx context.Context, scope tenant.Scope, who Caller, a user.Account) error {
	if a.Generation == who.Session.Generation {
		return nil
	}
	live, err := s.live(ctx, scope, a.UserID, a.Generation)
	isCallers := func(one session.Session) bool { return one.Digest == who.Session.Digest }
	if err == nil && !slices.ContainsFunc(live, isCallers) {
		err = errs.Unauthenticated("the session has ended: log in again")
	}
	return err
}

// confirm returns the hash of the caller's password, "" if they have none, or an error unless the caller knows it.
// Attempts are limited as those of a login: a stolen session must not serve to guess the password.
func (s *Service) confirm(ctx context.Context, scope tenant.Scope, who Caller) (password.Hash, error) {
	id := user.ID(who.User)
	a, err := s.Users.Accounts.Account(ctx, scope, id)
	if err != nil {
		return "", err
	}
	// An earlier try of the same request has changed the password already.
	if a.Password == "" || a.Tokens.Has(writetoken.Of(ctx, "account", string(id.Row()))) {
		return a.Password, nil
	}
	if who.Password == nil {
		return "", errs.Invalid("password is required: the current one")
	}
	counted, err := s.attempt(ctx, scope, identifier.Name{Kind: "user", Key: strconv.FormatInt(who.User, 10)}, who.Address)
	if err != nil {
		return "", err
	}
	right, err := s.Users.Passwords.Matches(ctx, a.Password, *who.Password)
	if err != nil {
		return "", err
	}
	if !right {
		return "", errs.Invalid("password is incorrect")
	}
	return a.Password, counted.takeBack(ctx)
}

// Block blocks a user or ends the block. The sessions of a blocked user end, and every login is refused; the rows stay
// (C40). It returns errs.NotFound for an unknown user.
func (s *Service) Block(ctx context.Context, scope tenant.Scope, id user.ID, blocked bool) (user.Account, error) {
	if _, err := s.Users.Account(ctx, scope, id); err != nil {
		return user.Account{}, err
	}
	a, err := s.Users.EditAccount(ctx, scope, id, func(a *user.Account) {
		if blocked && !a.Blocked {
			a.Generation++
		}
		a.Blocked = blocked
	})
	if err != nil || !blocked {
		return a, err
	}
	return a, s.DeleteSessions(ctx, scope, id, "")
}

// CloseOwn closes the account of the caller as Close does. The password is needed if there is one.
//
// Errors: errs.Invalid for a wrong or missing password, errs.TooMany after too many, errs.Unauthenticated if the session
// ends before the account is closed.
func (s *Service) CloseOwn(ctx context.Context, scope tenant.Scope, who Caller) error {
	confirmed, err := s.confirm(ctx, scope, who)
	if err != nil {
		return err
	}
	return s.close(ctx, scope, user.ID(who.User), func(a user.Account) error {
		if a.ClosedAt != 0 {
			return nil // a lost answer is no refusal
		}
		// Another request may have changed the password or ended the session since.
		if a.Password != confirmed {
			return errs.Invalid("password is incorrect")
		}
		return s.goesOn(ctx, scope, who, a)
	})
}

// Close closes an account (C41): the sessions end, the names and the identities at vendors are free, and the record has
// only its id and times. Rows, files and orders stay. A repeated call completes what a crash left. It returns
// errs.NotFound for an unknown user.
func (s *Service) Close(ctx context.Context, scope tenant.Scope, id user.ID) error {
	return s.close(ctx, scope, id, func(user.Account) error { return nil })
}

// close closes an account unless check refuses the account as it is then.
func (s *Service) close(ctx context.Context, scope tenant.Scope, id user.ID, check func(user.Account) error) error {
	t, err := s.Users.ProfileTable(ctx, scope)
	if err != nil {
		return err
	}
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		// The groups count their members, so the user leaves them before the profile forgets them.
		if err := s.Users.LeaveGroups(ctx, scope, id); err != nil {
			return err
		}
		return s.empty(ctx, scope, t, id, check)
	})
	if err != nil {
		return err
	}
	// The sessions are among what is deleted here; their generation has ended already.
	return s.Users.Accounts.DeleteConsents(ctx, scope, id)
}

// empty empties the account and the profile in one transaction.
func (s *Service) empty(
	ctx context.Context, scope tenant.Scope, t table.Table, id user.ID, check func(user.Account) error,
) error {
	old, row, err := s.Store.User(ctx, scope, t, id)
	if err != nil {
		return err
	}
	if row.ID == "" {
		return errs.NotFound("user %d not found", id)
	}
	if err := check(old); err != nil {
		return err
	}
	if user.InGroups(row) {
		return errs.Conflict("user %d has joined a group meanwhile, try again", id)
	}
	now := s.Users.Clock.Now().Unix()
	next := old.Emptied()
	next.ClosedAt, next.UpdatedAt, next.Revision = cmp.Or(old.ClosedAt, now), now, old.Revision+1
	emptied := row
	emptied.Fields, emptied.Revision, emptied.UpdatedAt = user.EmptyProfile(t), row.Revision+1, now
	return s.Store.WriteUser(ctx, scope, t, Write{
		Old: old, New: next, Profile: &table.Change{Old: &row, New: &emptied},
	})
}
