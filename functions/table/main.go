// Program table serves tables and their rows (D29).
package main

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/functions/table/api"
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
)

func main() {
	var r env.Reader
	applications, keys := r.String("APPLICATIONS_TABLE"), r.String("IDEMPOTENCY_TABLE")
	tables, rows, indexes := r.String("TABLES_TABLE"), r.String("ROWS_TABLE"), r.String("ROW_INDEXES_TABLE")
	workQueue, bulkQueue := r.String("TABLE_WORK_QUEUE_URL"), r.String("BULK_QUEUE_URL")
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

	store, queues, ids := &dynamo.Rows{Client: client, Table: rows, Indexes: indexes}, sqs.NewFromConfig(cfg), new(id.Source)
	service := &table.Service{
		Schemas: &dynamo.Tables{Client: client, Name: tables}, Rows: store,
		Worker: &queue.TableWork{Queue: queue.Queue{Client: queues, URL: workQueue}},
		Clock:  clock.System, IDs: ids,
	}
	group := &api.Group{Tables: service, Bulk: &bulk.Service{
		Tables: service, Store: &dynamo.BulkOperations{Client: client, Rows: store},
		Queue: &queue.Bulk{Queue: queue.Queue{Client: queues, URL: bulkQueue}},
		Clock: clock.System, IDs: ids,
	}}
	face := &httpapi.API{
		Routes:        group.Routes(),
		Authenticator: &oauth.Authenticator{Store: &dynamo.Tokens{Client: client, Table: applications}, Clock: clock.System},
		Runs:          &oauth.RunVerifier{Store: &dynamo.Applications{Client: client, Table: applications}, Clock: clock.System},
		Replay:        &idempotency.Service{Store: &dynamo.IdempotencyKeys{Client: client, Table: keys}, Clock: clock.System},
		Origins:       origins, Log: log, Clock: clock.System,
	}
	lambdahttp.Start(face.Handler())
}
