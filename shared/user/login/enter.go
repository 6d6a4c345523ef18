package login

import (
	"context"
	"maps"
	"reflect"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/language/value/update"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/session"
)

// Arrival is a login of somebody who has proven to own an identity: by a vendor's code or a code sent to a phone.
type Arrival struct {
	Method app.LoginMethod
	From   session.Sender
	// Names are the identities to look up. The first one that a user has decides who logs in.
	Names []identifier.Name
	// Mistaken reports whether an account has a phone of Names by a mistake of its user; nil = none has. If somebody logs
	// in, it loses the phone before. It is called again after a conflict.
	Mistaken func(a user.Account) (bool, error)
	// Create reports whether to create a user if no user has one of the names.
	Create bool
	// Before is the temporary user who becomes the new one (C9), nil = none. If a user has one of the names, that user
	// logs in, and nothing of Before is merged.
	Before *session.Identity
	// Proof is spent by the login, nil = none.
	Proof *Proof
	// Account changes the account that logs in, such as adding its identity or verifying its phone; nil = no change. It
	// is called again after a conflict. An error ends the login.
	Account func(a *user.Account) error
	// Profile has the fields of a new user's profile by name. A temporary user who becomes a registered one gets those
	// that have no value yet, and every user those for which Update is true; nil = none of them.
	Profile map[string]any
	Update  func(name string, stored any) bool
}

// Enter logs in the user who has one of the names, or creates one. Two first logins of one identity at once make one
// user (C13): the account is written in one transaction with the claims of its names.
//
// Errors: errs.NotFound without such a user and Create; errs.Forbidden for a blocked user; errs.Duplicate if Account
// adds a name of another user.
func (s *Service) Enter(ctx context.Context, scope tenant.Scope, in Arrival) (Login, error) {
	t, err := s.Users.ProfileTable(ctx, scope)
	if err != nil {
		return Login{}, err
	}
	var entered Login
	err = retry.Writes.Do(ctx, onceMoreIfTaken(), func(int) error {
		entered, err = s.enter(ctx, scope, t, in)
		return err
	})
	return entered, err
}

// onceMoreIfTaken reports which errors to retry: conflicts, and the first time that a name was just taken, because
// another login of the same identity came first.
func onceMoreIfTaken() func(error) bool {
	taken := 0
	return func(err error) bool {
		if errs.Is(err, errs.KindDuplicate) {
			taken++
		}
		return errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindDuplicate) && taken == 1
	}
}

func (s *Service) enter(ctx context.Context, scope tenant.Scope, t table.Table, in Arrival) (Login, error) {
	var mistaken user.ID
	for _, name := range in.Names {
		owner, err := s.Users.Accounts.Owner(ctx, scope, name)
		if err != nil {
			return Login{}, err
		}
		if owner == 0 {
			continue
		}
		a, row, err := s.Store.User(ctx, scope, t, owner)
		if err != nil {
			return Login{}, err
		}
		// The user was deleted, closed the account or gave the name up since the claim was read.
		if row.ID == "" || !a.Has(name) {
			return Login{}, errs.Conflict("another request is changing the user, try again")
		}
		wrong, err := in.mistaken(a)
		if err != nil {
			return Login{}, err
		}
		if wrong {
			mistaken = a.UserID
			continue
		}
		if err := s.losePhone(ctx, scope, mistaken, in); err != nil {
			return Login{}, err
		}
		return s.change(ctx, scope, t, a, row, in, false)
	}
	if !in.Create {
		return Login{}, errs.NotFound("no user has this login, and create_user is false")
	}
	if err := s.countRegistration(ctx, scope, in.From.Address); err != nil {
		return Login{}, err
	}
	if err := s.losePhone(ctx, scope, mistaken, in); err != nil {
		return Login{}, err
	}
	return s.create(ctx, scope, in.Before, in)
}

// mistaken is Mistaken of an account that may log in: a blocked one is refused, whatever phone it has.
func (in Arrival) mistaken(a user.Account) (bool, error) {
	if in.Mistaken == nil || a.Blocked {
		return false, nil
	}
	return in.Mistaken(a)
}

// losePhone takes the phone from a user who has it by mistake, 0 = nobody. It is a write of its own, because a transaction
// cannot free and claim the same name; if the login fails afterwards, its owner has proven the phone anyway.
func (s *Service) losePhone(ctx context.Context, scope tenant.Scope, id user.ID, in Arrival) error {
	if id == 0 {
		return nil
	}
	_, err := s.Amend(ctx, scope, id, Arrival{Account: func(a *user.Account) error {
		wrong, err := in.mistaken(*a)
		if wrong {
			a.Phone, a.PhoneKey = "", ""
		}
		return err
	}})
	// A user who is gone has no phone.
	if errs.Is(err, errs.KindNotFound) {
		return nil
	}
	return err
}

// change logs a user in whose account and profile may change with it. register makes a temporary user a registered one.
func (s *Service) change(
	ctx context.Context, scope tenant.Scope, t table.Table, old user.Account, row table.Row, in Arrival, register bool,
) (Login, error) {
	if old.Blocked {
		return Login{}, errBlocked()
	}
	next := old
	if in.Account != nil {
		if err := in.Account(&next); err != nil {
			return Login{}, err
		}
	}
	if register {
		next.Temporary = false
		next.Generation = old.Generation + 1 // the old token ends (C9)
	}
	profile, err := s.updated(t, row, in, register)
	if err != nil {
		return Login{}, err
	}
	if next == old && profile == nil {
		return s.open(ctx, scope, t, old, row, in.Proof, in.Method, in.From)
	}

	// Not for next: its generation ends sessions that must go on if the write is refused.
	if err := s.makeRoom(ctx, scope, old, ""); err != nil {
		return Login{}, err
	}
	next.UpdatedAt, next.Revision = s.Users.Clock.Now().Unix(), old.Revision+1
	opened, token := s.newSession(next, in.Method, in.From)
	err = s.Store.WriteUser(ctx, scope, t, Write{
		Old: old, New: next, Profile: profile, Session: &opened, Proof: in.Proof,
	})
	if err != nil {
		return Login{}, err
	}
	if profile != nil {
		row = *profile.New
	}
	made := s.answer(t, next, row, opened, token)
	made.New = register
	return made, nil
}

// updated returns the change of the profile of a user who exists, nil if nothing changes.
func (s *Service) updated(t table.Table, row table.Row, in Arrival, register bool) (*table.Change, error) {
	sets := maps.Clone(in.Profile)
	maps.DeleteFunc(sets, func(name string, v any) bool {
		stored := row.Fields[name]
		fills := register && (stored == nil || stored == "" || stored == int64(0))
		wanted := fills || in.Update != nil && in.Update(name, stored)
		return !wanted || reflect.DeepEqual(stored, v)
	})
	if len(sets) == 0 {
		return nil, nil
	}
	operations, err := update.FromObject(sets, t.Schema(), nil)
	if err != nil {
		return nil, err
	}
	next, err := t.Applied(row, operations, s.Users.Clock.Now().Unix())
	return &table.Change{Old: &row, New: &next}, err
}
