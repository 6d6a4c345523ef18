// Program jobreaper runs every minute: it sends delayed jobs whose time comes, and
// ends open jobs whose worker died or never came.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/shared/clock"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/job"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	jobs := &job.Service{
		Store: &jobdb.Store{Client: b.DynamoDB, Table: p.String("JOBS_TABLE")},
		Queue: &queue.Jobs{Queue: b.Queue(p.String("JOB_QUEUE_URL"))},
		Clock: clock.System, Log: p.Log,
	}
	p.Ready()

	lambda.Start(func(ctx context.Context) error {
		done, err := jobs.Tick(ctx)
		if done != (job.Swept{}) {
			p.Log.InfoContext(
				ctx, "tick", "functions", done.Functions, "expired", done.Expired, "given_up", done.GivenUp, "resent", done.Resent,
			)
		}
		return err
	})
}
