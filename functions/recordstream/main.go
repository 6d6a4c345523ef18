// Program recordstream hears of every record that comes or goes, from the tables' streams, and counts them.
package main

import (
	"context"
	"os"

	"minicloud/functions/recordstream/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/logging"
)

func main() {
	var r env.Reader
	counts, rows := r.String("COUNTS_TABLE"), r.String("ROWS_TABLE")
	log := logging.New(os.Stdout, r.Default("LOG_LEVEL", "info"))
	fatal := func(err error) {
		if err != nil {
			log.Error("cannot start", "error", err.Error())
			os.Exit(1)
		}
	}
	fatal(r.Err())
	client, err := dynamo.Open(context.Background())
	fatal(err)

	group := &consumer.Group{
		Counter: &count.Counter{Store: &dynamo.Counts{Client: client, Table: counts, Clock: clock.System}},
		Readers: map[string]consumer.Reader{rows: dynamo.RowCount},
	}
	lambdabatch.StartStream(log, group.Count)
}
