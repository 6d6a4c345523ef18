package login

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Amend changes the account and the profile of a user in one transaction, and returns the user as they see themselves.
// Only the changes of in are used: Account, Profile, Update and Proof. A change without effect and Proof writes
// nothing.
//
// Errors: errs.NotFound for an unknown user and a closed account; errs.Duplicate if Account adds a name of another
// user; the error of Proof if it was spent.
func (s *Service) Amend(ctx context.Context, scope tenant.Scope, id user.ID, in Arrival) (user.Profile, error) {
	t, err := s.Users.ProfileTable(ctx, scope)
	if err != nil {
		return nil, err
	}
	var amended user.Profile
	err = retry.Writes.Do(ctx, onceMoreIfTaken(), func(int) error {
		amended, err = s.amend(ctx, scope, t, id, in)
		return err
	})
	return amended, err
}

func (s *Service) amend(
	ctx context.Context, scope tenant.Scope, t table.Table, id user.ID, in Arrival,
) (user.Profile, error) {
	old, row, err := s.Store.User(ctx, scope, t, id)
	if err != nil {
		return nil, err
	}
	if row.ID == "" || old.ClosedAt > 0 { // nothing can be added to a closed account
		return nil, errs.NotFound("user %d not found", id)
	}

	next := old
	if in.Account != nil {
		if err := in.Account(&next); err != nil {
			return nil, err
		}
	}
	profile, err := s.updated(t, row, in, false)
	if err != nil {
		return nil, err
	}
	if next == old && profile == nil && in.Proof == nil {
		return user.Own(t, row, old), nil
	}

	next.UpdatedAt, next.Revision = s.Users.Clock.Now().Unix(), old.Revision+1
	if err := s.Store.WriteUser(ctx, scope, t, Write{
		Old: old, New: next, Profile: profile, Proof: in.Proof,
	}); err != nil {
		return nil, err
	}
	if profile != nil {
		row = *profile.New
	}
	return user.Own(t, row, next), nil
}
