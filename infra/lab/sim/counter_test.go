package sim_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"minicloud/functions/recordstream/consumer"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/dynamotest"
	"minicloud/infra/local/template"
	"minicloud/infra/recount/books"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

var seeds = flag.Int("seeds", 12, "how many seeds each scenario is played with")

var shop = tenant.Scope{App: 7, Env: tenant.Production}

// counter is the program recordstream.
func counter(i *sim.Instance) any {
	return lambdabatch.AdaptStream(slog.New(slog.DiscardHandler), (&consumer.Group{
		Counter: &count.Counter{Store: i.Backend.Counts()},
		Readers: map[string]consumer.Reader{"RowsTable": countdb.RowCount},
	}).Count)
}

// tables is a program that writes rows.
func tables(i *sim.Instance) any {
	return &manage.Service{
		Rows:   i.Backend.Rows(),
		Counts: i.Backend.Counts(),
		Clock:  clock.System, IDs: new(id.Source),
	}
}

// TestCountersMeetEveryFault: whatever befalls the counter and the writers, in the end the counters are what is there.
func TestCountersMeetEveryFault(t *testing.T) {
	for seed := range uint64(*seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { countUnderFaults(t, seed) })
	}
}

// TestSeedRepeatsRun: all that happens follows from the seed.
func TestSeedRepeatsRun(t *testing.T) {
	if a, b := countUnderFaults(t, 3), countUnderFaults(t, 3); a != b {
		t.Error("the same seed was played in two ways")
	}
}

func countUnderFaults(t *testing.T, seed uint64) (trace string) {
	cryptotest.SetGlobalRandom(t, seed)
	synctest.Test(t, func(t *testing.T) {
		db := memdb.New(clock.System, "TablesTable", "RowsTable*", "RowIndexesTable", "CountsTable")
		w := sim.New(seed, db, &template.Template{Functions: []*template.Function{{Environment: map[string]string{
			"TABLES_TABLE": "TablesTable", "ROWS_TABLE": "RowsTable", "ROW_INDEXES_TABLE": "RowIndexesTable",
			"COUNTS_TABLE": "CountsTable",
		}}}})
		mapping := &sim.Mapping{
			StreamEvent: template.StreamEvent{
				Batch: template.Batch{Size: 20, PartialAnswer: true}, Name: "Rows", Table: "RowsTable", FromStart: true,
				Bisect: true, MaxRetries: -1, Tumbling: 15 * time.Minute,
			},
			Program: "recordstream", Start: counter, Shards: 2,
			Handler: func(handlers any) sim.StreamHandler { return handlers.(sim.StreamHandler) },
		}
		w.Follow(mapping)

		in := table.Table{ID: 5, Name: "things", Columns: []table.Column{
			{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"},
		}}
		random := w.Random("scenario")
		for range 25 {
			_, _ = w.Do("table", tables, func(ctx context.Context, handlers any) error {
				return write(ctx, handlers.(*manage.Service), in, random)
			})
			time.Sleep(random.Jitter(time.Duration(random.IntN(300)) * time.Millisecond))
		}

		w.Rates = sim.Rates{}
		for !w.Drained(mapping) {
			time.Sleep(time.Second)
		}
		compareCounts(t, w)
		t.Logf("%d calls, %d deaths", w.Steps(), w.Deaths)
		trace = w.Trace()
		w.Stop()
	})
	return trace
}

// write inserts or deletes some rows; whether it succeeds is not asked.
func write(ctx context.Context, s *manage.Service, in table.Table, random sim.Random) error {
	if random.IntN(3) > 0 {
		drafts := make([]map[string]any, 1+random.IntN(3))
		for i := range drafts {
			drafts[i] = map[string]any{"n": float64(i)}
		}
		s.Insert(ctx, shop, in, drafts, table.Author{})
		return nil
	}
	_, err := s.DeleteMatching(ctx, shop, in, table.Query{Page: page.Request{Limit: 2}}, table.Origin{})
	return err
}

func compareCounts(t *testing.T, w *sim.World) {
	i := w.Instance("checker", tables)
	counts := i.Backend.Counts()
	rows := i.Backend.Rows()
	report, err := (&books.Recount{Base: rows, Books: counts, Looks: 1}).Run(t.Context())
	if err != nil || len(report.Drifts) > 0 || report.Records != len(w.DB.Items("RowsTable")) {
		t.Errorf("recount: %+v, %v", report, err)
	}
	dynamotest.CheckLevels(t, counts, table.Collection(shop, 5))
}
