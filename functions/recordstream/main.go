// Program recordstream hears of every record that comes or goes, from the tables' streams, and counts them.
package main

import (
	"minicloud/functions/recordstream/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	rows, jobs, orders := p.String("ROWS_TABLE"), p.String("JOBS_TABLE"), p.String("ORDERS_TABLE")
	p.Ready()

	group := &consumer.Group{
		Counter: &count.Counter{Store: counts},
		Readers: map[string]consumer.Reader{rows: countdb.RowCount, jobs: jobdb.Change, orders: orderdb.Change},
	}
	lambdabatch.StartStream(p.Log, group.Count)
}
