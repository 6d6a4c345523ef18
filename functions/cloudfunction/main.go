// Program cloudfunction serves the cloud function endpoints 1–9, and 404 for
// every path no other program serves.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/functions/cloudfunction/api"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/job"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/logging"
	"minicloud/shared/oauth"
	"minicloud/shared/queue"
	"minicloud/shared/sandbox/prelude"
	"minicloud/shared/sandbox/remote"
	"minicloud/shared/secretbox"
	"minicloud/shared/table"
)

func main() {
	var r env.Reader
	applications, functions := r.String("APPLICATIONS_TABLE"), r.String("FUNCTIONS_TABLE")
	jobs, keys := r.String("JOBS_TABLE"), r.String("IDEMPOTENCY_TABLE")
	free, personal := r.String("SANDBOX_FREE_FUNCTION"), r.String("SANDBOX_PERSONAL_FUNCTION")
	tables := r.String("TABLES_TABLE")
	jobQueue, secretsKey := r.String("JOB_QUEUE_URL"), r.String("SECRETS_KEY")
	origins := r.Default("ALLOWED_ORIGINS", "*")
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

	ids, runner := new(id.Source), remote.New(cfg, free, personal)
	store := &dynamo.Functions{Client: client, Table: functions}
	service := &cloudfunction.Service{
		Store: store, Checker: cloudfunction.SandboxChecker{Runner: runner}, IDs: ids, Clock: clock.System,
	}
	variables := &cloudfunction.Variables{Functions: service, Store: store, Sealer: &secretbox.Box{KMS: kms.NewFromConfig(cfg), KeyID: secretsKey}}
	apps := &dynamo.Applications{Client: client, Table: applications}
	hosts := &job.RunHosts{Applications: apps, Clock: clock.System}
	group := &api.Group{Functions: service, Tables: &table.Service{Schemas: &dynamo.Tables{Client: client, Name: tables}}, Variables: variables, Hosts: hosts, Clock: clock.System, Declarations: prelude.Declarations(), Jobs: &job.Service{
		Functions: service, Store: &dynamo.Jobs{Client: client, Table: jobs}, Runner: runner,
		Queue:     &queue.Jobs{Queue: queue.Queue{Client: sqs.NewFromConfig(cfg), URL: jobQueue}},
		Variables: variables, Hosts: hosts, IDs: ids, Clock: clock.System, Log: log,
	}}
	face := &httpapi.API{
		Routes:        group.Routes(),
		Authenticator: &oauth.Authenticator{Store: &dynamo.Tokens{Client: client, Table: applications}, Clock: clock.System},
		Runs:          &oauth.RunVerifier{Store: apps, Clock: clock.System},
		Replay:        &idempotency.Service{Store: &dynamo.IdempotencyKeys{Client: client, Table: keys}, Clock: clock.System},
		Origins:       origins, Log: log, Clock: clock.System,
	}
	lambdahttp.Start(face.Handler())
}
