// Program jobrunner runs the asynchronous jobs that the job queue brings.
package main

import (
	"minicloud/functions/jobrunner/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/outbound/callback"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	apps := &appdb.Applications{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")}
	store := &functiondb.Functions{Client: b.DynamoDB, Table: p.String("FUNCTIONS_TABLE")}
	jobs := &jobdb.Store{Client: b.DynamoDB, Table: p.String("JOBS_TABLE")}
	runner := b.Sandbox(p.String("SANDBOX_FREE_FUNCTION"), p.String("SANDBOX_PERSONAL_FUNCTION"))
	work := &queue.Jobs{Queue: b.Queue(p.String("JOB_QUEUE_URL"))}
	secrets := b.Secrets(p.String("SECRETS_KEY"))
	allowPrivate := p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" // the local cloud's tests only
	p.Ready()

	hosts := &job.RunHosts{Applications: apps, Clock: clock.System}
	functions := &cloudfunction.Service{Store: store, Clock: clock.System}
	group := &consumer.Group{Log: p.Log, Jobs: &job.Service{
		Functions: functions,
		Variables: &cloudfunction.Variables{Functions: functions, Store: store, Sealer: secrets},
		Store:     jobs, Runner: runner, Queue: work,
		Hosts: hosts,
		Callbacks: &job.Callbacks{
			Store: jobs, Keys: &job.CallbackKeys{Store: jobs, Sealer: secrets, Clock: clock.System},
			Depths: hosts, Poster: callback.New(allowPrivate), Queue: work, Clock: clock.System, Log: p.Log,
		},
		IDs: new(id.Source), Clock: clock.System, Log: p.Log,
	}}
	lambdabatch.Start(p.Log, group.Work)
}
