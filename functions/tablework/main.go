// Program tablework builds indexes and purges what removed tables and indexes
// left behind, as the table work queue asks.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/functions/tablework/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/id"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/logging"
	"minicloud/shared/queue"
	"minicloud/shared/table"
)

func main() {
	var r env.Reader
	tables, rows, indexes := r.String("TABLES_TABLE"), r.String("ROWS_TABLE"), r.String("ROW_INDEXES_TABLE")
	workQueue := r.String("TABLE_WORK_QUEUE_URL")
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

	group := &consumer.Group{Log: log, Tables: &table.Service{
		Schemas: &dynamo.Tables{Client: client, Name: tables},
		Rows:    &dynamo.Rows{Client: client, Table: rows, Indexes: indexes},
		Worker:  &queue.TableWork{Queue: queue.Queue{Client: sqs.NewFromConfig(cfg), URL: workQueue}},
		Clock:   clock.System, IDs: new(id.Source),
	}}
	lambdabatch.Start(log, group.Work)
}
