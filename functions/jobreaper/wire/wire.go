// Package wire assembles program jobreaper.
package wire

import (
	"context"

	"minicloud/shared/job"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	jobs := &job.Service{Store: b.Jobs(), Queue: queues.Open(b).Jobs(), Clock: b.Clock, Log: b.Log}
	return func(ctx context.Context) error {
		done, err := jobs.Tick(ctx)
		if done != (job.Swept{}) {
			b.Log.InfoContext(
				ctx, "tick", "functions", done.Functions, "expired", done.Expired, "given_up", done.GivenUp, "resent", done.Resent,
			)
		}
		return err
	}
}
