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
	counter := count.Counter{Store: store}
	shard := count.Shard{Stream: "arn", Name: "shard-1"}
	start := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	r := rand.New(rand.NewPCG(5, 6))

	want, at := map[string]int{}, 0
	for i := range 40 {
		var changes []count.Change
		for range 5 {
			kind, n := fmt.Sprint("k", r.IntN(6)), id.First(start.Add(time.Duration(r.IntN(1e6))*time.Second))
			for _, c := range []count.Collection{"7:production#12", "7:production#13"} {
				at++
				changes = append(changes, count.Change{
					Sequence: count.Sequence(fmt.Sprint(at)), Collection: c, Kind: kind, ID: n, By: 1,
				})
			}
			want[kind]++
		}
		l.Cut.Store(i%5 == 0) // the answer is lost
		for range 2 {
			if done, err := counter.Count(t.Context(), shard, changes); err != nil || done != len(changes) {
				t.Fatal(done, err)
			}
		}
	}

	for kind, n := range want {
		tree := &count.Tree{Reader: store, Collection: "7:production#12", Kinds: func(k string) bool { return k == kind }}
		if got, err := tree.Total(t.Context()); err != nil || got != n {
			t.Errorf("%d of %s (%v), want %d", got, kind, err, n)
		}
	}
}

// TestCheckpoints: a counter has a checkpoint for each shard, tells which if another is expected, and forgets those of
// shards that ended three days ago.
func TestCheckpoints(t *testing.T) {
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	client := dynamotest.Start(t, "CountsTable")
	store := &countdb.Store{Client: client, Table: "CountsTable", Clock: func() time.Time { return now }}
	key := count.Key{Collection: "7:production#12", Kind: "k"}
	add := func(shard string, from, to count.Sequence) (count.Sequence, error) {
		return store.Add(t.Context(), key, count.Shard{Stream: "arn", Name: shard}, from, to, map[int]int{3: 1})
	}
	for i, c := range []struct {
		shard    string
		from, to count.Sequence
		at       count.Sequence
		conflict bool
	}{
		{"a", "", "10", "10", false}, {"a", "", "10", "10", true}, {"a", "1", "20", "10", true}, {"a", "10", "12", "12", false},
		{"b", "12", "13", "", true}, {"b", "", "5", "5", false}, {"a", "12", "30", "30", false},
	} {
		at, err := add(c.shard, c.from, c.to)
		if at != c.at || errs.Is(err, errs.KindConflict) != c.conflict || err != nil && !c.conflict {
			t.Errorf("%d: %q, %v", i, at, err)
		}
	}

	now = now.Add(50 * time.Hour)
	if _, err := add("b", "5", "6"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(30 * time.Hour)
	if _, err := add("c", "", "1"); err != nil {
		t.Fatal(err)
	}
	for shard, want := range map[string]count.Sequence{"a": "", "b": "6", "c": "1"} {
		if at, err := add(shard, "none", "7"); at != want || !errs.Is(err, errs.KindConflict) {
			t.Errorf("%s: %q, %v, want %q", shard, at, err, want)
		}
	}
	nodes, err := store.Node(t.Context(), key.Collection, count.Root)
	if err != nil || len(nodes) != 1 || nodes[0].Sum != 6 || nodes[0].Children[3] != 6 {
		t.Errorf("%+v, %v", nodes, err)
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
