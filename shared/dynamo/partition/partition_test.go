package partition_test

import (
	"slices"
	"testing"
	"time"

	"minicloud/shared/dynamo/partition"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/table/shard"
	"minicloud/shared/tenant"
)

var (
	shardScope = tenant.Scope{App: 7, Env: tenant.Production}
	shardDay   = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
)

// plain is the partition of rows in a table without shards.
var plain = string(table.Collection(shardScope, 12))

// sharded applies numbers of shards to a table, an hour apart.
func sharded(t *testing.T, numbers ...int) table.Table {
	t.Helper()
	in := table.Table{ID: 12, Name: "things"}
	for i, n := range numbers {
		var err error
		if in, err = in.Changed(table.Definition{Shards: &n}, shardDay.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// TestShardsOfNewRows: a change has effect on rows that are created twenty minutes later, and rows never move.
func TestShardsOfNewRows(t *testing.T) {
	in, later := sharded(t, 1, 4), sharded(t, 1, 4, 16, 1)
	seen := map[string]bool{}
	for i := range 2000 {
		at := shardDay.Add(time.Duration(i) * 3 * time.Second)
		row := in.FirstRowID(id.First(at) + id.ID(i))
		pk := partition.Of(shardScope, in, row)
		if changed := at.Before(shardDay.Add(80 * time.Minute)); changed != (pk == plain) {
			t.Errorf("%s: %s", at, pk)
		}
		if other := partition.Of(shardScope, later, row); other != pk {
			t.Errorf("%s moves from %s to %s", row, pk, other)
		}
		if partition.Collection(pk) != table.Collection(shardScope, 12) {
			t.Errorf("%s is of %s", pk, partition.Collection(pk))
		}
		seen[pk] = true
	}
	for _, pk := range partition.All(shardScope, 12, in.Epochs.Most()) {
		if !seen[pk] {
			t.Errorf("%s has no rows", pk)
		}
		delete(seen, pk)
	}
	if len(seen) > 0 || later.Epochs.Now() != 1 || later.Epochs.Most() != 16 || in.Epochs.Now() != 4 {
		t.Errorf("left %v, %d, %d, %d shards", seen, later.Epochs.Now(), later.Epochs.Most(), in.Epochs.Now())
	}
	if fresh := sharded(t, 4); partition.Of(shardScope, fresh, fresh.FirstRowID(0)) == plain {
		t.Error("the first rows of a new table are in one partition")
	}
}

// TestPiecesCoverRanges: the pieces of a range follow each other, and name the partitions of their rows.
func TestPiecesCoverRanges(t *testing.T) {
	for _, in := range []table.Table{sharded(t), sharded(t, 4), sharded(t, 1, 4), sharded(t, 1, 4, 16, 1, 2)} {
		row := func(minutes int) table.RowID {
			return in.FirstRowID(id.First(shardDay.Add(time.Duration(minutes) * time.Minute)))
		}
		for from := -10; from < 320; from += 30 {
			for to := from + 1; to < 330; to += 30 {
				pieces := partition.Pieces(shardScope, in, row(from), row(to))
				if pieces[0].From != row(from) || pieces[len(pieces)-1].To != row(to) {
					t.Fatalf("%d to %d: %v", from, to, pieces)
				}
				for i, p := range pieces[1:] {
					if p.From != pieces[i].To {
						t.Errorf("%d to %d: %v", from, to, pieces)
					}
				}
				for at := from; at < to; at += 3 {
					i := slices.IndexFunc(pieces, func(p partition.Piece) bool { return row(at) >= p.From && row(at) < p.To })
					if !slices.Contains(pieces[i].Partitions, partition.Of(shardScope, in, row(at))) {
						t.Errorf("minute %d is not in %v", at, pieces[i])
					}
				}
			}
		}
		open := partition.Pieces(shardScope, in, "", "")
		if len(open) == 0 || open[0].From > in.FirstRowID(0) || open[len(open)-1].To != "" {
			t.Errorf("everything: %v", open)
		}
		if empty := partition.Pieces(shardScope, in, row(5), row(5)); len(empty) > 0 {
			t.Errorf("nothing: %v", empty)
		}
	}
}

// TestRefusesShards: numbers out of range, built-in tables, changes that come too soon and too many of them.
func TestRefusesShards(t *testing.T) {
	in := sharded(t, 1, 4)
	soon, after := shardDay.Add(79*time.Minute), shardDay.Add(81*time.Minute)
	many := sharded(t, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1)
	for name, c := range map[string]struct {
		in     table.Table
		shards int
		at     time.Time
		kind   errs.Kind
	}{
		"none":      {in, 0, after, errs.KindInvalid},
		"many":      {in, shard.Max + 1, after, errs.KindInvalid},
		"built in":  {table.Table{ID: table.UserProfiles, Revision: 3}, 2, after, errs.KindInvalid},
		"too soon":  {in, 8, soon, errs.KindConflict},
		"too often": {many, 3, shardDay.Add(99 * time.Hour), errs.KindInvalid},
	} {
		if _, err := c.in.Changed(table.Definition{Shards: &c.shards}, c.at); !errs.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	four := 4
	if same, err := in.Changed(table.Definition{Shards: &four}, soon); err != nil || len(same.Epochs) != 1 {
		t.Errorf("the same number: %+v, %v", same, err)
	}
}
