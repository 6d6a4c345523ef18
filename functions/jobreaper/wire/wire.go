// Package wire assembles program jobreaper.
package wire

import (
	"context"
	"errors"
	"sync"

	"minicloud/shared/job"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	jobs := &job.Service{Store: b.Jobs(), Queue: queues.Open(b).Jobs(), Clock: b.Clock, Log: b.Log}
	sessions := b.EndUserSessions()
	logins := &login.Service{Store: sessions, Users: &user.Service{
		Tables: b.Tables(), Accounts: b.Accounts(), Groups: b.Groups(), Clock: b.Clock,
	}}
	return func(ctx context.Context) error {
		var users int
		var failed error
		var expiring sync.WaitGroup
		expiring.Go(func() { users, failed = logins.Expire(ctx, sessions) })
		done, err := jobs.Tick(ctx)
		expiring.Wait()

		if done != (job.Swept{}) || users > 0 {
			b.Log.InfoContext(
				ctx, "tick", "functions", done.Functions, "expired", done.Expired, "given_up", done.GivenUp, "resent", done.Resent,
				"temporary_users", users,
			)
		}
		return errors.Join(err, failed)
	}
}
