package manage_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
)

// recount compares the index entries with the rows.
func recount(t *testing.T, s *manage.Service, in table.Table) {
	t.Helper()
	rows := everything(t, s, scope, in)
	for _, c := range in.Columns {
		if c.Index != nil {
			sameEntries(t, s, in, c, rows)
		}
	}
}

func sameEntries(t *testing.T, s *manage.Service, in table.Table, c table.Column, rows []table.Row) {
	t.Helper()
	var want, got []string
	for _, row := range rows {
		want = append(want, c.Entry(row).Key())
	}
	for from := ""; ; {
		step, err := s.Rows.ScanIndex(t.Context(), scope, in, c.Index.ID, table.IndexScan{From: from})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range step.Entries {
			got = append(got, e.Key())
		}
		if step.Last == "" {
			break
		}
		from = step.Last + "0"
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries of %s: %s", c.Name, diff)
	}
}

// badConnection drops one in nine responses and one in twenty requests.
type badConnection struct {
	dynamodb.HTTPClient
	lost atomic.Int64
}

func (l *badConnection) Do(r *http.Request) (*http.Response, error) {
	if rand.IntN(20) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	answer, err := l.HTTPClient.Do(r)
	if err != nil || rand.IntN(9) > 0 {
		return answer, err
	}
	answer.Body.Close()
	l.lost.Add(1)
	return nil, io.ErrUnexpectedEOF
}

// overBadConnection returns the store with a client that loses calls and retries as in production.
func overBadConnection(rows *rowdb.Rows) (*rowdb.Rows, *badConnection) {
	at, l := rows.Client.Options(), &badConnection{}
	as := dynamo.New(aws.Config{Region: at.Region, Credentials: at.Credentials, BaseEndpoint: at.BaseEndpoint}).Options()
	client := dynamodb.New(as, func(o *dynamodb.Options) { l.HTTPClient, o.HTTPClient = o.HTTPClient, l })
	return &rowdb.Rows{Client: client, Table: rows.Table, Indexes: rows.Indexes, Schemas: rows.Schemas}, l
}

// TestEntriesAndCountersStayExact runs concurrent inserts, changes and deletions with lost responses, canceled calls,
// an index built by dying workers, and recounts.
func TestEntriesAndCountersStayExact(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	in := create(
		t, s, "things", column("name", value.String, true), column("n", value.Integer, true),
		column("note", value.String, false),
	)
	sound := s.Rows
	stormy, connection := overBadConnection(s.Rows.(*rowdb.Rows))
	s.Rows = stormy
	st := &storm{Service: s}
	if st.rage(t, in, 15); st.broken.Load() == 0 || connection.lost.Load() == 0 {
		t.Errorf("%d calls were broken off, %d answers lost", st.broken.Load(), connection.lost.Load())
	}
	in, err := s.Modify(
		t.Context(), scope, in.ID,
		definition(
			"", column("name", value.String, true), column("n", value.Integer, true), column("note", value.String, true),
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	clock.move(table.Grace + time.Second)
	var wg sync.WaitGroup
	wg.Go(func() { st.rage(t, in, 15) })
	task := worker.take()[0]
	deaths := 0
	for built := in; !built.Columns[2].Usable(); deaths++ {
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(time.Duration(5+deaths)*2*time.Millisecond))
		_ = s.Work(ctx, task) // canceled or finished
		cancel()
		if built, err = s.Table(t.Context(), scope, in.ID); err != nil || deaths == 1000 {
			t.Fatalf("after %d deaths: %v", deaths, err)
		}
	}
	wg.Wait()
	s.Rows = sound
	recount(t, s, in)
}

// storm runs many concurrent writers.
type storm struct {
	*manage.Service
	mu     sync.Mutex
	known  []table.RowID
	broken atomic.Int64 // calls that failed
}

// rage runs eight writers with the given number of calls each, a quarter of which are canceled.
func (st *storm) rage(t *testing.T, in table.Table, times int) {
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 11))
			for range times {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				if r.IntN(4) == 0 {
					cancel()
					ctx, cancel = context.WithTimeout(t.Context(), rand.N(8*time.Millisecond))
				}
				st.mu.Lock()
				victim := table.RowID("000000000000000000000000")
				if len(st.known) > 0 {
					victim = st.known[r.IntN(len(st.known))]
				}
				st.mu.Unlock()
				made, err := disturb(ctx, t, st.Service, in, r, victim)
				cancel()
				st.mu.Lock()
				st.known = append(st.known, made...)
				st.mu.Unlock()
				if err != nil && !errs.Is(err, errs.KindNotFound) {
					st.broken.Add(1)
				}
			}
		})
	}
	wg.Wait()
}

func disturb(
	ctx context.Context, t *testing.T, s *manage.Service, in table.Table, r *rand.Rand, victim table.RowID,
) (made []table.RowID, err error) {
	some := table.Query{Page: page.Request{Limit: 1 + r.IntN(30), Offset: r.IntN(5)}}
	switch r.IntN(8) {
	case 0, 1:
		var drafts []map[string]any
		for range 1 + r.IntN(40)*r.IntN(2) {
			drafts = append(drafts, map[string]any{"name": pick(r, words), "n": r.IntN(9), "note": pick(r, words)})
		}
		for _, o := range s.Insert(ctx, scope, in, drafts, author) {
			made, err = append(made, o.Row.ID), o.Err
		}
	case 2:
		_, err = s.Update(
			ctx, scope, in, victim,
			operations(t, in, fmt.Sprintf(`{"n": {"$incr_by": %d}, "name": "x%d"}`, r.IntN(5), r.IntN(5))), table.Author{},
		)
	case 3:
		_, err = s.Update(ctx, scope, in, victim, operations(t, in, `{"note": "changed"}`), table.Author{})
	case 4:
		_, err = s.Update(ctx, scope, in, victim, operations(t, in, `{"n": null}`), table.Author{Origin: table.Origin{Quiet: true}})
	case 5:
		_, err = s.UpdateMatching(ctx, scope, in, some, operations(t, in, `{"n": {"$incr_by": 1}}`), table.Origin{})
	case 6:
		_, err = s.DeleteMatching(ctx, scope, in, some, table.Origin{Quiet: r.IntN(2) == 0})
	default:
		_, err = s.Delete(ctx, scope, in, victim, table.Author{Origin: table.Origin{Quiet: r.IntN(2) == 0}})
	}
	return made, err
}
