// Package login registers end users, logs them in and ends their sessions (client API, 2).
//
//	Register   a user with a login name and a password     register.go
//	LogIn      by name and password                        password.go
//	Anonymous  a temporary user                            register.go
//	Enter      by an identity that was proven otherwise    enter.go, proof.go
//	Sessions   lists and ends sessions                     sessions.go
//	Account    changes, blocks and closes accounts         account.go
//	Expire     deletes temporary users                     expire.go
//
// A user is created in one transaction: the profile, the account, the claims of its names and the first session. So no
// crash leaves a part of a user, and of two users with one name only one is created.
package login

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/session"
)

// Service logs end users in.
type Service struct {
	Users    *user.Service // with Passwords, Phones, Clock and IDs
	Store    Store
	Attempts AttemptStore
	// Lifetime is that of a session, at most session.MaxLifetime.
	Lifetime time.Duration
	// PerHour is the maximum number of registrations and anonymous logins per address and hour; 0 = no limit.
	PerHour int
}

// Write is a change of a user that happens in one transaction.
type Write struct {
	// Old and New are the account before and after. Old.Revision is 0 if the account is not stored yet.
	Old, New user.Account
	// Profile is the change of the user's row, nil = none.
	Profile *table.Change
	// Session is opened with the change, nil = none.
	Session *session.Session
	// Proof is spent with the change, nil = none.
	Proof *Proof
	// Kept is the session that goes on in the new generation of the account, nil = none. It must still exist.
	Kept *session.Session
	// Expires is when a new temporary user is deleted (Expire); zero = never.
	Expires time.Time
}

// Store stores sessions, and the users that logins create and change. Every read is consistent.
type Store interface {
	// User returns the account and the profile of a user in one read. Both are zero if there is no such user.
	User(ctx context.Context, scope tenant.Scope, t table.Table, id user.ID) (user.Account, table.Row, error)
	// WriteUser makes a change. It returns errs.Duplicate if another user has one of the new names or the id of a new
	// profile, errs.Conflict if the account or the row is not as it was read, errs.Unauthenticated if the session Kept has
	// ended, and Proof.Refused if the proof was spent.
	WriteUser(ctx context.Context, scope tenant.Scope, t table.Table, w Write) error
	// InsertSession adds a session. It does not check the account: a session of an old generation is not valid.
	InsertSession(ctx context.Context, scope tenant.Scope, id user.ID, s session.Session) error
	// InsertProven is InsertSession that spends a proof. It returns Proof.Refused if the proof was spent.
	InsertProven(ctx context.Context, scope tenant.Scope, id user.ID, s session.Session, p Proof) error
	// Sessions returns the sessions of a user in any order, including those that have ended.
	Sessions(ctx context.Context, scope tenant.Scope, id user.ID) ([]session.Session, error)
	// DeleteSessions deletes sessions. A missing session is no error.
	DeleteSessions(ctx context.Context, scope tenant.Scope, id user.ID, digests ...app.Digest) error
}

// Login is the result of every login (common answer L).
type Login struct {
	User    user.Profile // as in user.Own
	ID      user.ID
	Session session.Session
	Token   session.Token
	// ExpiresIn is the lifetime of the token in seconds.
	ExpiresIn int64
	// New reports that the login created the user, or registered a temporary one.
	New bool
}

// Allow returns errs.Disabled if the application has switched the login method off (C8).
func Allow(settings app.Settings, method app.LoginMethod) error {
	if !settings.Allows(method) {
		return errs.Disabled("the application has switched off the login method %s", method)
	}
	return nil
}

// errBlocked is returned for a login with the right credentials of a blocked user. Others do not learn that the user
// is blocked.
func errBlocked() error { return errs.Forbidden("this user is blocked") }

// open adds a session to a user whose credentials were verified.
func (s *Service) open(
	ctx context.Context, scope tenant.Scope, t table.Table, a user.Account, row table.Row, proof *Proof,
	method app.LoginMethod, from session.Sender,
) (Login, error) {
	if a.Blocked {
		return Login{}, errBlocked()
	}
	opened, token := s.newSession(a, method, from)
	made := s.answer(t, a, row, opened, token)
	if proof != nil { // spent last: a login that fails before can be repeated
		if err := s.makeRoom(ctx, scope, a, opened.Digest); err != nil {
			return Login{}, err
		}
		return made, s.Store.InsertProven(ctx, scope, a.UserID, opened, *proof)
	}

	var group errgroup.Group
	group.Go(func() error { return s.makeRoom(ctx, scope, a, opened.Digest) })
	group.Go(func() error { return s.Store.InsertSession(ctx, scope, a.UserID, opened) })
	return made, group.Wait()
}

func (s *Service) newSession(a user.Account, method app.LoginMethod, from session.Sender) (session.Session, session.Token) {
	return session.New(int64(a.UserID), a.Generation, method, from, s.Users.Clock.Now(), s.Lifetime)
}

func (s *Service) answer(
	t table.Table, a user.Account, row table.Row, opened session.Session, token session.Token,
) Login {
	return Login{
		User: user.Own(t, row, a), ID: a.UserID, Session: opened, Token: token, ExpiresIn: int64(s.Lifetime / time.Second),
	}
}

// makeRoom deletes the sessions of a user that have ended, and the oldest ones if the next would be too many (C3). The
// next one may have been inserted already; it does not count.
func (s *Service) makeRoom(ctx context.Context, scope tenant.Scope, a user.Account, next app.Digest) error {
	all, err := s.Store.Sessions(ctx, scope, a.UserID)
	if err != nil {
		return err
	}
	session.Sort(all)
	now, live := s.Users.Clock.Now(), 0
	var over []app.Digest
	for _, one := range all {
		// A session of a later generation was opened, or kept by a new password, after the account was read.
		if one.Digest == next || one.Generation > a.Generation {
			continue
		}
		if one.Live(a.Generation, now) && live < session.MaxSessions-1 {
			live++
			continue
		}
		over = append(over, one.Digest)
	}
	return s.Store.DeleteSessions(ctx, scope, a.UserID, over...)
}
