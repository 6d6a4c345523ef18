package login

import (
	"context"
	"slices"

	"minicloud/shared/app"
	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/session"
)

// End ends the session of a user.
func (s *Service) End(ctx context.Context, scope tenant.Scope, who session.Identity) error {
	return s.Store.DeleteSessions(ctx, scope, user.ID(who.User), who.Session.Digest)
}

// Sessions lists the sessions of a user that have not ended, newest first. It returns errs.NotFound for an unknown user.
func (s *Service) Sessions(
	ctx context.Context, scope tenant.Scope, id user.ID, req page.Request,
) (page.Page[session.Session], error) {
	if err := req.Validate(); err != nil {
		return page.Page[session.Session]{}, err
	}
	a, err := s.Users.Account(ctx, scope, id)
	if err != nil {
		return page.Page[session.Session]{}, err
	}
	return s.list(ctx, scope, id, a.Generation, req)
}

// OwnSessions is Sessions for the caller, whose account was read with the session.
func (s *Service) OwnSessions(
	ctx context.Context, scope tenant.Scope, who session.Identity, req page.Request,
) (page.Page[session.Session], error) {
	if err := req.Validate(); err != nil {
		return page.Page[session.Session]{}, err
	}
	return s.list(ctx, scope, user.ID(who.User), who.Session.Generation, req)
}

func (s *Service) list(
	ctx context.Context, scope tenant.Scope, id user.ID, generation int64, req page.Request,
) (page.Page[session.Session], error) {
	all, err := s.live(ctx, scope, id, generation)
	return page.Of(all, req, func(session.Session) int { return wireSize }, session.Session.Cursor), err
}

// wireSize is an upper bound of the size of a session in a response, in bytes.
const wireSize = 1000

// live returns the sessions of a user that have not ended, newest first.
func (s *Service) live(ctx context.Context, scope tenant.Scope, id user.ID, generation int64) ([]session.Session, error) {
	all, err := s.Store.Sessions(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	session.Sort(all)
	now := s.Users.Clock.Now()
	return slices.DeleteFunc(all, func(one session.Session) bool { return !one.Live(generation, now) }), nil
}

// EndOne ends the caller's session with this id. It returns errs.NotFound if the caller has no such session.
func (s *Service) EndOne(ctx context.Context, scope tenant.Scope, who session.Identity, sessionID string) error {
	one, err := s.One(ctx, scope, who, sessionID)
	if err != nil {
		return err
	}
	return s.Store.DeleteSessions(ctx, scope, user.ID(who.User), one.Digest)
}

// One returns the caller's session with this id. It returns errs.NotFound if the caller has no such session.
func (s *Service) One(
	ctx context.Context, scope tenant.Scope, who session.Identity, sessionID string,
) (session.Session, error) {
	all, err := s.live(ctx, scope, user.ID(who.User), who.Session.Generation)
	if err != nil {
		return session.Session{}, err
	}
	i := slices.IndexFunc(all, func(one session.Session) bool { return one.ID() == sessionID })
	if i < 0 {
		return session.Session{}, errs.NotFound("session %q not found", clip.Text(sessionID, clip.Name))
	}
	return all[i], nil
}

// EndAll ends all sessions of a user. It returns errs.NotFound for an unknown user.
//
// The generation ends them at once; the items are deleted afterwards, so that nothing of them stays.
func (s *Service) EndAll(ctx context.Context, scope tenant.Scope, id user.ID) error {
	if _, err := s.Users.EditAccount(ctx, scope, id, func(a *user.Account) { a.Generation++ }); err != nil {
		return err
	}
	return s.DeleteSessions(ctx, scope, id, "")
}

// DeleteSessions deletes the sessions of a user, whose generation has ended already, except one.
func (s *Service) DeleteSessions(ctx context.Context, scope tenant.Scope, id user.ID, but app.Digest) error {
	all, err := s.Store.Sessions(ctx, scope, id)
	if err != nil {
		return err
	}
	var digests []app.Digest
	for _, one := range all {
		if one.Digest != but {
			digests = append(digests, one.Digest)
		}
	}
	return s.Store.DeleteSessions(ctx, scope, id, digests...)
}
