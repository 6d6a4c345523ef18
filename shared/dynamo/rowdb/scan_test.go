package rowdb_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	diff "github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/table/shard"
)

// scanned returns a table with an index; some row ids end like the bounds of scans, others do not.
func scanned(t *testing.T) (*rowdb.Rows, table.Table, []table.Row) {
	t.Helper()
	rows := &rowdb.Rows{
		Client: dynamotest.Start(t, "RowsTable", "RowIndexesTable"), Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable",
	}
	in := indexed
	in.Columns = append(slices.Clone(in.Columns), table.Column{
		Column: value.Column{Name: "text", Type: value.String}, Key: "t1",
	})
	var all []table.Row
	var changes []table.Change
	first := id.First(time.Unix(1795262400, 0))
	for i := range 24 {
		row := table.Row{
			ID: in.FirstRowID(first + id.ID(4096*i)), Revision: 1, UpdatedAt: int64(i), CreatedBy: 9,
			Perm:   table.RowPerm{Read: []string{"user:*"}, Write: []string{"user:1"}},
			Fields: map[string]any{"n": int64(i % 5), "hits": int64(i), "text": fmt.Sprint("text ", i)},
		}
		if i%3 == 0 {
			row.ID = row.ID[:len(row.ID)-1] + "7"
		}
		all, changes = append(all, row), append(changes, table.Change{New: &row})
	}
	for _, err := range rows.Write(t.Context(), rowScope, in, changes) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return rows, in, all
}

// within returns the model's items with from ≤ key < to, in the order of a scan.
func within[T any](all []T, key func(T) string, from, to string, descending bool) (some []T) {
	for _, one := range all {
		if k := key(one); k >= from && (to == "" || k < to) {
			some = append(some, one)
		}
	}
	if descending {
		slices.Reverse(some)
	}
	return some
}

// TestScansAgreeWithAModel compares scans of rows and of an index, with every range, order, limit, filter and
// projection.
func TestScansAgreeWithAModel(t *testing.T) {
	rows, in, all := scanned(t)
	rng := rand.New(rand.NewPCG(1, 2))
	idOf := func(r table.Row) string { return string(r.ID) }
	entries := make([]table.Entry, len(all))
	for i, r := range all {
		entries[i] = in.Columns[0].Entry(r)
	}
	keyOf := table.Entry.Key
	slices.SortFunc(entries, func(a, b table.Entry) int { return cmp.Compare(keyOf(a), keyOf(b)) })

	for i := range 120 {
		bound := func(key func(int) string) string {
			if rng.IntN(3) == 0 {
				return ""
			}
			return key(rng.IntN(len(all)))
		}
		scan := table.RowScan{Descending: rng.IntN(2) == 0, IDsOnly: rng.IntN(4) == 0, Filter: randomFilter(rng)}
		scan.From = table.RowID(bound(func(i int) string { return idOf(all[i]) }))
		scan.To = table.RowID(bound(func(i int) string { return idOf(all[i]) }))
		if scan.To != "" && scan.To < scan.From {
			scan.From, scan.To = scan.To, scan.From
		}
		if only := rng.IntN(4); only > 0 && !scan.IDsOnly {
			scan.Only = [][]string{{"hits"}, {"n", "updated_at", "id"}, {"_read_perm", "created_by"}}[only-1]
		}
		limited := strings.HasSuffix(string(scan.To), "0") && scan.From < scan.To && rng.IntN(2) == 0
		looks := within(all, idOf, string(scan.From), string(scan.To), scan.Descending)
		if limited {
			scan.Limit = 1 + rng.IntN(5)
		}
		last := table.RowID("")
		if limited && scan.Limit <= len(looks) {
			looks = looks[:scan.Limit]
			last = looks[len(looks)-1].ID
		}
		want := []table.Row{}
		for _, r := range looks {
			if matches(scan.Filter, r) {
				want = append(want, chosen(scan, r))
			}
		}

		got, err := rows.ScanRows(t.Context(), rowScope, in, scan)
		if d := diff.Diff(want, got.Rows); d != "" || err != nil || limited && got.Last != last {
			t.Errorf("scan %d, %+v: %v, last %s, want %s (-want +got):\n%s", i, scan, err, got.Last, last, d)
		}
		if more := got.Scanned - len(looks); more < 0 || more > 1 || limited && more > 0 {
			t.Errorf("scan %d, %+v: %d rows are looked at, want %d", i, scan, got.Scanned, len(looks))
		}

		of := table.IndexScan{Descending: scan.Descending, Limit: rng.IntN(6), CountOnly: rng.IntN(3) == 0}
		of.From = bound(func(i int) string { return keyOf(entries[i]) })
		if of.To = bound(func(i int) string { return keyOf(entries[i]) }); of.To != "" && of.To < of.From {
			of.From, of.To = of.To, of.From
		}
		if of.To != "" && (of.CountOnly || of.Limit > 0) {
			of.To += "-" // a bound that is not an entry
		}
		found := within(entries, keyOf, of.From, of.To, of.Descending)
		if of.Limit > 0 {
			found = found[:min(len(found), of.Limit)]
		}
		step, err := rows.ScanIndex(t.Context(), rowScope, in, "n", of)
		if of.CountOnly {
			if step.Count != len(found) || len(step.Entries) > 0 || err != nil {
				t.Errorf("index scan %d, %+v: %d are counted, want %d, %v", i, of, step.Count, len(found), err)
			}
		} else if !slices.Equal(step.Entries, found) || err != nil {
			t.Errorf("index scan %d, %+v: %v, want %v, %v", i, of, step.Entries, found, err)
		}
	}
}

// TestScansMergeShards: steps over a table whose shards changed give every row once, in order, in any direction and with
// any limit; reads, changes and deletions by id find the rows.
func TestScansMergeShards(t *testing.T) {
	rows := &rowdb.Rows{
		Client: dynamotest.Start(t, "RowsTable", "RowIndexesTable"), Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable",
	}
	in := indexed
	in.Columns = append(slices.Clone(in.Columns), table.Column{
		Column: value.Column{Name: "text", Type: value.String}, Key: "t1",
	})
	first := id.First(time.Unix(1795262400, 0))
	in.Epochs = shard.Epochs{{From: first + 4096*80, Shards: 4}, {From: first + 4096*200, Shards: 7}, {From: first + 4096*260, Shards: 1}}
	var all []table.Row
	var changes []table.Change
	for i := range 300 {
		row := table.Row{ID: in.FirstRowID(first + id.ID(4096*i)), Revision: 1, Fields: map[string]any{"n": int64(i % 5), "hits": int64(i % 24), "text": "text 1"}}
		all, changes = append(all, row), append(changes, table.Change{New: &row})
	}
	if err := errors.Join(rows.Write(t.Context(), rowScope, in, changes)...); err != nil {
		t.Fatal(err)
	}
	idOf := func(r table.Row) string { return string(r.ID) }

	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		scan := table.RowScan{
			Descending: rng.IntN(2) == 0, Limit: rng.IntN(3) * (1 + rng.IntN(60)), IDsOnly: rng.IntN(2) == 0,
			Filter: randomFilter(rng), From: all[rng.IntN(150)].ID, To: all[150+rng.IntN(150)].ID,
		}
		var want, got []table.RowID
		for _, r := range within(all, idOf, string(scan.From), string(scan.To), scan.Descending) {
			if matches(scan.Filter, r) {
				want = append(want, r.ID)
			}
		}
		for at := scan; ; {
			step, err := rows.ScanRows(t.Context(), rowScope, in, at)
			if err != nil || at.Limit > 0 && len(step.Rows) > at.Limit {
				t.Fatalf("scan %d, %+v: %d rows, %v", i, at, len(step.Rows), err)
			}
			for _, r := range step.Rows {
				got = append(got, r.ID)
			}
			if step.Last == "" {
				break
			}
			if at.Descending {
				at.To = step.Last
			} else {
				at.From = step.Last + "0"
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("scan %d, %+v: %d rows, want %d", i, scan, len(got), len(want))
		}
	}

	ids := make([]table.RowID, len(all))
	changes = nil
	for i, r := range all {
		next := r
		next.Revision, next.Fields = 2, map[string]any{"n": int64(9), "hits": int64(i)}
		ids[i], changes = r.ID, append(changes, table.Change{Old: &r, New: &next})
	}
	if err := errors.Join(rows.Write(t.Context(), rowScope, in, changes)...); err != nil {
		t.Fatal(err)
	}
	found, err := rows.ReadRows(t.Context(), rowScope, in, ids)
	if err != nil || len(found) != len(all) || found[ids[222]].Fields["n"] != int64(9) {
		t.Errorf("%d rows are read, %v", len(found), err)
	}
	for done := false; !done; {
		if done, err = rows.PurgeRows(t.Context(), rowScope, in.ID, in.Epochs.Most()); err != nil {
			t.Fatal(err)
		}
	}
	if found, err = rows.ReadRows(t.Context(), rowScope, in, ids); err != nil || len(found) > 0 {
		t.Errorf("%d rows are left, %v", len(found), err)
	}
}

func randomFilter(rng *rand.Rand) table.Filter {
	operand := int64(rng.IntN(24))
	terms := []table.FilterTerm{
		{Key: "hits", Op: query.OpLt, Operand: operand}, {Key: "hits", Op: query.OpLte, Operand: operand},
		{Key: "hits", Op: query.OpGt, Operand: operand}, {Key: "hits", Op: query.OpGte, Operand: operand},
		{Key: "n", Op: query.OpEq, Operand: operand % 5}, {Key: "t1", Op: query.OpContains, Operand: "2"},
	}
	rng.Shuffle(len(terms), func(i, k int) { terms[i], terms[k] = terms[k], terms[i] })
	return terms[:rng.IntN(3)]
}

func matches(filter table.Filter, r table.Row) bool {
	for _, term := range filter {
		if term.Op == query.OpContains {
			if !strings.Contains(r.Fields["text"].(string), term.Operand.(string)) {
				return false
			}
			continue
		}
		c := cmp.Compare(r.Fields[term.Key].(int64), term.Operand.(int64))
		holds := map[query.Op]bool{
			query.OpEq: c == 0, query.OpLt: c < 0, query.OpLte: c <= 0, query.OpGt: c > 0, query.OpGte: c >= 0,
		}
		if !holds[term.Op] {
			return false
		}
	}
	return true
}

// chosen returns a row with only the fields that a scan names.
func chosen(scan table.RowScan, r table.Row) table.Row {
	if scan.IDsOnly {
		return table.Row{ID: r.ID}
	}
	if scan.Only == nil {
		return r
	}
	only := table.Row{ID: r.ID}
	for _, name := range scan.Only {
		switch name {
		case "_read_perm":
			only.Perm = r.Perm
		case "updated_at":
			only.UpdatedAt = r.UpdatedAt
		case "created_by":
			only.CreatedBy = r.CreatedBy
		case "hits", "n":
			only.Fields = map[string]any{name: r.Fields[name]}
		}
	}
	return only
}

// TestWritesWithOthers: all writes are made or none, and the error names the write that failed: the other one, or a
// row.
func TestWritesWithOthers(t *testing.T) {
	rows, in, all := scanned(t)
	in.Listeners.Delete = 0
	mark := func(n int64) []types.TransactWriteItem {
		it := dynamo.Key("mark", "mark")
		it["n"] = dynamo.Number(n)
		return []types.TransactWriteItem{dynamo.Put(rows.Indexes, it, "attribute_not_exists(n) OR n < :n", dynamo.Item{
			":n": dynamo.Number(n),
		})}
	}
	next := func(i int, fields map[string]any) table.Change {
		changed := all[i]
		changed.Revision, changed.Fields = 2, fields
		return table.Change{Old: &all[i], New: &changed}
	}
	stale := all[3]
	stale.Revision = 7
	n := map[string]any{"n": int64(100)}
	large, huge := map[string]any{"text": strings.Repeat("x", 401<<10)}, map[string]any{"text": []any{1e200}}
	for i, c := range []struct {
		first   []types.TransactWriteItem
		changes []table.Change
		marked  bool // the other write prevents the transaction
		refused map[int]errs.Kind
	}{
		{mark(1), []table.Change{next(0, n), {Old: &all[1]}}, false, nil},
		{mark(1), []table.Change{next(2, n)}, true, nil},
		{mark(2), []table.Change{next(2, n), {Old: &stale}}, false, map[int]errs.Kind{1: errs.KindConflict}},
		{mark(2), []table.Change{next(0, n), next(2, n)}, false, map[int]errs.Kind{0: errs.KindConflict}},
		{mark(2), []table.Change{next(2, n), next(4, large)}, false, map[int]errs.Kind{1: errs.KindInvalid}},
		{mark(2), []table.Change{next(2, huge), next(4, n)}, false, map[int]errs.Kind{0: errs.KindInvalid}},
		{nil, []table.Change{next(2, n), next(4, n)}, false, nil},
		{mark(2), nil, false, nil},
	} {
		refused, err := rows.WriteWith(t.Context(), rowScope, in, c.first, c.changes)
		kinds := map[int]errs.Kind{}
		for at, why := range refused {
			kinds[at] = errs.KindOf(why)
		}
		if marked := err != nil && dynamo.ConditionFailedAt(err, 0); marked != c.marked || err != nil && !marked ||
			len(kinds)+len(c.refused) > 0 && !diff.Equal(kinds, c.refused) {
			t.Errorf("write %d: refused %v, %v", i, refused, err)
		}
	}
	var ids []table.RowID
	for _, row := range all[:5] {
		ids = append(ids, row.ID)
	}
	got, err := rows.ReadRows(t.Context(), rowScope, in, ids)
	if err != nil || len(got) != 4 || got[all[0].ID].Revision != 2 || got[all[2].ID].Revision != 2 ||
		got[all[3].ID].Revision != 1 || got[all[4].ID].Revision != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
