// Command recount compares counters with the records they count, prints the difference of each wrong counter, and
// repairs them on request:
//
//	make recount            for the running local cloud
//	make recount REPAIR=1
//
// For a deployed stack, ROWS_TABLE, TABLES_TABLE, JOBS_TABLE, ORDERS_TABLE and COUNTS_TABLE name the tables, and the
// AWS_* environment the account. The command reads every record, at the price of a scan. Writes may continue while it runs.
// The stream's consumer must not be more than -pause behind: records that it has not counted yet would look missing.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"time"

	"minicloud/infra/local/account"
	"minicloud/infra/recount/books"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/rowdb"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	repair := flag.Bool("repair", false, "add what is missing")
	pause := flag.Duration("pause", 10*time.Second, "between two looks at what differs: longer than counters are behind")
	flag.Parse()

	if err := run(ctx, *repair, *pause, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// errDrift makes the command fail if counters are wrong and are not repaired.
var errDrift = errors.New("counters are wrong: REPAIR=1 adds what is missing")

// looks is the maximum number of times that a changing range is read.
const looks = 12

func run(ctx context.Context, repair bool, pause time.Duration, out io.Writer) error {
	cfg, names, err := account.Open(ctx, "ROWS_TABLE", "TABLES_TABLE", "JOBS_TABLE", "ORDERS_TABLE", "COUNTS_TABLE")
	if err != nil {
		return err
	}
	client := dynamo.New(cfg)

	wrong := 0
	for _, base := range []books.Base{
		&rowdb.Rows{Client: client, Table: names["ROWS_TABLE"], Schemas: names["TABLES_TABLE"]},
		&jobdb.Store{Client: client, Table: names["JOBS_TABLE"]},
		&orderdb.Store{Client: client, Table: names["ORDERS_TABLE"]},
	} {
		recount := books.Recount{
			Base: base, Books: &countdb.Store{Client: client, Table: names["COUNTS_TABLE"], Clock: clock.System},
			Pause: pause, Looks: looks, Repair: repair,
		}
		found, err := recount.Run(ctx)
		if err != nil {
			return err
		}
		Print(out, found)
		wrong += len(found.Drifts)
	}

	if wrong > 0 && !repair {
		return errDrift
	}
	return nil
}

// Print writes the differences by collection.
func Print(out io.Writer, found books.Report) {
	fmt.Fprintf(out, "%d collections with %d records\n", found.Collections, found.Records)

	wrong := map[count.Collection][]books.Drift{}
	for _, d := range found.Drifts {
		wrong[d.Collection] = append(wrong[d.Collection], d)
	}
	for _, c := range slices.Sorted(maps.Keys(wrong)) {
		fmt.Fprintf(out, "%s: %d counters are wrong, the total by %+d\n", c, len(wrong[c]), -found.Total[c])
		slices.SortFunc(wrong[c], func(a, b books.Drift) int {
			return cmp.Or(cmp.Compare(a.Node.Prefix, b.Node.Prefix), cmp.Compare(a.Kind, b.Kind))
		})
		for _, d := range wrong[c][:min(len(wrong[c]), mostShown)] {
			fmt.Fprintf(out, "  from %s %s: %+d in %d places\n",
				d.Node.First(0).Time().UTC().Format(time.RFC3339), d.Kind, -d.Sum(), len(d.Children))
		}
	}

	for _, key := range found.Restless {
		since := key.Node.First(0).Time().UTC().Format(time.RFC3339)
		fmt.Fprintf(out, "%s from %s: never stopped changing, not known\n", key.Collection, since)
	}
}

// mostShown is the maximum number of wrong counters printed per collection.
const mostShown = 20
