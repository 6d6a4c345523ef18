// Program user serves the user endpoints 14–19, user groups and the state of
// bulk operations.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/functions/user/api"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/logging"
	"minicloud/shared/oauth"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// parallelHashes bounds what passwords take of this program's 512 MB.
const parallelHashes = 4

func main() {
	var r env.Reader
	applications, keys := r.String("APPLICATIONS_TABLE"), r.String("IDEMPOTENCY_TABLE")
	schemas, users := r.String("TABLES_TABLE"), r.String("USERS_TABLE")
	rows := &dynamo.Rows{Table: r.String("ROWS_TABLE"), Indexes: r.String("ROW_INDEXES_TABLE")}
	bulkQueue, origins := r.String("BULK_QUEUE_URL"), r.Default("ALLOWED_ORIGINS", "*")
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
	rows.Client = client

	ids, tokens := new(id.Source), &dynamo.Tokens{Client: client, Table: applications}
	tables := &table.Service{Schemas: &dynamo.Tables{Client: client, Name: schemas}, Rows: rows, Clock: clock.System, IDs: ids}
	group := &api.Group{Users: &user.Service{
		Tables:   tables,
		Accounts: &dynamo.Accounts{Client: client, Table: users},
		Groups:   &dynamo.Groups{Client: client, Table: users, Rows: rows},
		Bulk: &bulk.Service{
			Tables: tables, Store: &dynamo.BulkOperations{Client: client, Rows: rows},
			Queue: &queue.Bulk{Queue: queue.Queue{Client: sqs.NewFromConfig(cfg), URL: bulkQueue}},
			Clock: clock.System, IDs: ids,
		},
		Passwords: user.NewPasswords(parallelHashes), Phones: phone.Key, Clock: clock.System, IDs: ids,
	}}
	face := &httpapi.API{
		Routes:        group.Routes(),
		Authenticator: &oauth.Authenticator{Store: tokens, Clock: clock.System},
		Runs:          &oauth.RunVerifier{Store: tokens, Clock: clock.System},
		Replay:        &idempotency.Service{Store: &dynamo.IdempotencyKeys{Client: client, Table: keys}, Clock: clock.System},
		Origins:       origins, Log: log, Clock: clock.System,
	}
	lambdahttp.Start(face.Handler())
}
