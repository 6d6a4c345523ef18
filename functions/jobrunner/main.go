// Program jobrunner runs the asynchronous jobs that the job queue brings.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/functions/jobrunner/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/logging"
	"minicloud/shared/queue"
	"minicloud/shared/sandbox/remote"
	"minicloud/shared/secretbox"
)

func main() {
	var r env.Reader
	applications, functions, jobs := r.String("APPLICATIONS_TABLE"), r.String("FUNCTIONS_TABLE"), r.String("JOBS_TABLE")
	free, personal := r.String("SANDBOX_FREE_FUNCTION"), r.String("SANDBOX_PERSONAL_FUNCTION")
	jobQueue, secretsKey := r.String("JOB_QUEUE_URL"), r.String("SECRETS_KEY")
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

	store := &dynamo.Functions{Client: client, Table: functions}
	service := &cloudfunction.Service{Store: store, Clock: clock.System}
	group := &consumer.Group{Log: log, Jobs: &job.Service{
		Functions: service,
		Variables: &cloudfunction.Variables{Functions: service, Store: store, Sealer: &secretbox.Box{KMS: kms.NewFromConfig(cfg), KeyID: secretsKey}},
		Store:     &dynamo.Jobs{Client: client, Table: jobs},
		Runner:    remote.New(cfg, free, personal),
		Queue:     &queue.Jobs{Queue: queue.Queue{Client: sqs.NewFromConfig(cfg), URL: jobQueue}},
		Hosts:     &job.RunHosts{Applications: &dynamo.Applications{Client: client, Table: applications}, Clock: clock.System},
		IDs:       new(id.Source), Clock: clock.System, Log: log,
	}}
	lambdabatch.Start(log, group.Work)
}
