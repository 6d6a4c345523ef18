// Program jobreaper runs every minute: it sends delayed jobs whose time comes,
// ends open jobs whose worker died or never came, and sums up the hours of their
// histories that have passed.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/job"
	"minicloud/shared/logging"
	"minicloud/shared/queue"
)

func main() {
	var r env.Reader
	jobs, jobQueue := r.String("JOBS_TABLE"), r.String("JOB_QUEUE_URL")
	log := logging.New(os.Stdout, r.Default("LOG_LEVEL", "info"))
	fatal := func(err error) {
		if err != nil {
			log.Error("cannot start", "error", err.Error())
			os.Exit(1)
		}
	}
	fatal(r.Err())
	cfg, err := config.LoadDefaultConfig(context.Background())
	fatal(err)
	client := dynamo.New(cfg)

	service := &job.Service{
		Store: &dynamo.Jobs{Client: client, Table: jobs}, Clock: clock.System, Log: log,
		Queue: &queue.Jobs{Queue: queue.Queue{Client: sqs.NewFromConfig(cfg), URL: jobQueue}},
	}
	lambda.Start(func(ctx context.Context) error {
		done, err := service.Tick(ctx)
		if done != (job.Reaped{}) {
			log.InfoContext(ctx, "tick", "functions", done.Functions, "dead", done.Dead, "given_up", done.GivenUp, "resent", done.Resent)
		}
		return err
	})
}
