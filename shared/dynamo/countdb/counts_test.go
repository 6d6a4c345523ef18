package countdb_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// TestCounts: sums added to nodes and kinds are read back, and an Add with a stale checkpoint adds nothing.
func TestCounts(t *testing.T) {
	l := &dynamotest.Lossy{}
	store := &countdb.Store{Client: l.Over(dynamotest.Start(t, "CountsTable")), Table: "CountsTable", Clock: clock.System}
	shard := count.Shard{Stream: "arn", Name: "shard-1"}
	start := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	r := rand.New(rand.NewPCG(5, 6))

	var at count.Sequence
	want := map[string]int{}
	for i := range 40 {
		d := count.Delta{}
		for range 5 {
			kind, n := fmt.Sprint("k", r.IntN(6)), id.First(start.Add(time.Duration(r.IntN(1e6))*time.Second))
			d.Add("7:production#12", kind, n, 1)
			d.Add("7:production#13", kind, n, 1)
			want[kind]++
		}

		l.Cut.Store(i%5 == 0) // the answer is lost
		to := count.Sequence(fmt.Sprint(i + 1))
		if err := store.Add(t.Context(), shard, at, to, d); err != nil {
			t.Fatal(err)
		}
		if err := store.Add(t.Context(), shard, at, to, d); !errs.Is(err, errs.KindConflict) {
			t.Fatalf("the same once more: %v", err)
		}
		at = to
	}

	if got, err := store.Checkpoint(t.Context(), shard); err != nil || got != at {
		t.Errorf("checkpoint %q (%v), want %q", got, err, at)
	}
	if got, err := store.Checkpoint(t.Context(), count.Shard{Stream: "arn", Name: "shard-2"}); err != nil || got != "" {
		t.Errorf("checkpoint of another shard %q, %v", got, err)
	}
	for kind, n := range want {
		tree := &count.Tree{Reader: store, Collection: "7:production#12", Kinds: func(k string) bool { return k == kind }}
		if got, err := tree.Total(t.Context()); err != nil || got != n {
			t.Errorf("%d of %s (%v), want %d", got, kind, err, n)
		}
	}
}

// TestRowCount: created and deleted rows count, and a sort key that is not a row id is an error.
func TestRowCount(t *testing.T) {
	const row = "00000000000fff0123456789"
	for name, tt := range map[string]struct {
		event, sk string
		by        int
		fails     bool
	}{
		"came":     {"INSERT", row, 1, false},
		"changed":  {"MODIFY", row, 0, false},
		"went":     {"REMOVE", row, -1, false},
		"no row":   {"INSERT", "nonsense", 0, true},
		"user row": {"INSERT", "0000000000004095", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var record events.DynamoDBEventRecord
			text := fmt.Sprintf(
				`{"eventName":%q,"dynamodb":{"Keys":{"pk":{"S":"7:production#12"},"sk":{"S":%q}},"SequenceNumber":"5"}}`, tt.event,
				tt.sk,
			)
			if err := json.Unmarshal([]byte(text), &record); err != nil {
				t.Fatal(err)
			}
			got, err := countdb.RowCount(record)
			if (err != nil) != tt.fails || err == nil && (got.By != tt.by || got.ID != 4095 ||
				got.Collection != "7:production#12") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
