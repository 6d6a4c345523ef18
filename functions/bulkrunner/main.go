// Program bulkrunner goes on with bulk updates and deletions in the background.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/functions/bulkrunner/consumer"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/id"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/logging"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

func main() {
	var r env.Reader
	schemas := r.String("TABLES_TABLE")
	rows := &dynamo.Rows{Table: r.String("ROWS_TABLE"), Indexes: r.String("ROW_INDEXES_TABLE")}
	bulkQueue := r.String("BULK_QUEUE_URL")
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

	ids := new(id.Source)
	group := &consumer.Group{Log: log, Clock: clock.System, Bulk: &bulk.Service{
		Tables:  &table.Service{Schemas: &dynamo.Tables{Client: client, Name: schemas}, Rows: rows, Clock: clock.System, IDs: ids},
		Store:   &dynamo.BulkOperations{Client: client, Rows: rows},
		Queue:   &queue.Bulk{Queue: queue.Queue{Client: sqs.NewFromConfig(cfg), URL: bulkQueue}},
		Grammar: user.Grammar, Clock: clock.System, IDs: ids,
	}}
	lambdabatch.Start(log, group.Work)
}
