// Package backend opens, for a program, the AWS services that the platform stands
// on. Nothing here makes a call: the first one happens when a request needs it.
package backend

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/bus"
	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/idempotency"
	"minicloud/shared/oauth"
	"minicloud/shared/program"
	"minicloud/shared/queue"
	"minicloud/shared/sandbox/remote"
	"minicloud/shared/secretbox"
	"minicloud/shared/trigger"
)

// Backend is the AWS account as one program sees it.
type Backend struct {
	DynamoDB *dynamodb.Client

	cfg aws.Config
	sqs *sqs.Client
}

// Open reads the AWS_* environment; Ready ends the program when something of it is missing.
func Open(p *program.Program) *Backend {
	cfg := config(&p.Reader)
	return &Backend{DynamoDB: dynamo.New(cfg), cfg: cfg}
}

// Queue is the queue of that address.
func (b *Backend) Queue(url string) queue.Queue { return queue.Queue{Client: b.queues(), URL: url} }

// Letters is the dead-letter queue of that address, to look into and to repair.
func (b *Backend) Letters(url string) *queue.Letters {
	return &queue.Letters{Client: b.queues(), URL: url}
}

// Again sends what lies in a dead-letter queue to the queue of that address.
func (b *Backend) Again(url string) *queue.Again { return &queue.Again{Queue: b.Queue(url)} }

func (b *Backend) queues() *sqs.Client {
	if b.sqs == nil {
		b.sqs = sqs.NewFromConfig(b.cfg)
	}
	return b.sqs
}

// Bus is the event bus of that name.
func (b *Backend) Bus(name string) *bus.Bus {
	return &bus.Bus{Client: eventbridge.NewFromConfig(b.cfg), Name: name}
}

// Config is for clients of what only one program uses.
func (b *Backend) Config() aws.Config { return b.cfg }

// Engine fires events: triggers, log and tables are the names of tables, actions is the address of the queue of runs.
func (b *Backend) Engine(p *program.Program, triggers, log, tables, actions string) *trigger.Engine {
	runs := &triggerdb.Runs{Client: b.DynamoDB, Table: log}
	return &trigger.Engine{
		Triggers: &triggerdb.Triggers{Client: b.DynamoDB, Table: triggers},
		Schemas:  &rowdb.Tables{Client: b.DynamoDB, Name: tables},
		Runs:     runs, Evaluations: runs, Queue: &queue.Actions{Queue: b.Queue(actions)}, Wakes: runs,
		Clock: clock.System, Log: p.Log,
	}
}

// Secrets seals with the KMS key of that id.
func (b *Backend) Secrets(keyID string) *secretbox.Box {
	return &secretbox.Box{KMS: kms.NewFromConfig(b.cfg), KeyID: keyID}
}

// Sandbox runs code in the sandbox functions of the two plans.
func (b *Backend) Sandbox(free, personal string) *remote.Runner {
	return remote.New(b.cfg, free, personal)
}

// Tables are those that every program with callers has: of applications and their tokens, of Idempotency-Keys, of the
// console's accounts, and of what these changed.
type Tables struct{ Applications, Keys, Console, Audit string }

// API is a face for callers with an access token, a run token or a console token, without routes.
func (b *Backend) API(p *program.Program, t Tables, origins string) *httpapi.API {
	applications := &appdb.Applications{Client: b.DynamoDB, Table: t.Applications}
	callers := &oauth.Authenticator{Store: &appdb.Tokens{Client: b.DynamoDB, Table: t.Applications}, Clock: clock.System}
	runs := &oauth.RunVerifier{Store: applications, Clock: clock.System}
	return &httpapi.API{
		Authenticator: callers, Likely: callers.Likely,
		Runs: runs, Depths: runs,
		Consoles: &console.Verifier{Store: applications, Clock: clock.System},
		Audit:    &consoledb.Audit{Client: b.DynamoDB, Table: t.Audit, Accounts: t.Console},
		Replay:   &idempotency.Service{Store: &claimdb.Store{Client: b.DynamoDB, Table: t.Keys}, Clock: clock.System},
		Origins:  origins, Log: p.Log, Clock: clock.System,
	}
}
