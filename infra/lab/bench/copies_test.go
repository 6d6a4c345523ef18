package bench

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/table"
)

// notes makes n rows, 20 for each reader. One row is written by the API. The others are copies of its items and of its
// entry in the index of readers, made by the database itself in its file: 1,000,000 take half a minute, where the API
// writes 120 a second. The stream has no records of them, so their counters are written here too.
func (p *platform) notes(b *testing.B, rows string, tableID int64, n int, me int64) {
	b.Helper()
	began := time.Now()
	var first struct{ ID string }
	reader := fmt.Sprintf("user:%d", me)
	p.call(b, "POST", rows, object{"text": fmt.Sprintf("note %0200d", 0), "n": 0, "read_perm": []string{reader}}, &first)
	collection := table.Collection(p.scope(), table.ID(tableID))
	p.counted(b, collection, 1)

	pk := fmt.Sprintf("%s#%d", p.scope(), tableID)
	c := copies{original: first.ID, reader: me, readers: max(n/20, 1), n: n - 1}
	_, err := fmt.Sscanf(first.ID[:16], "%x", &c.number)
	must(b, err)
	db, err := sql.Open("sqlite", "file:"+p.file+"?_pragma=busy_timeout(60000)")
	must(b, err)
	defer db.Close()
	c.write(b, db, p.table("RowsTable"), pk)
	c.write(b, db, p.table("RowIndexesTable"), pk+"#ix#"+table.ReadersIndex)
	p.count(b, collection, c)
	b.Logf("%d rows in %v", n, time.Since(began).Round(time.Second))
	p.counted(b, collection, n)
}

// copies are n copies of a row with earlier ids: an id has 16 digits of time and number before the random ones. The i-th
// copy is for the reader i modulo readers.
type copies struct {
	original   string
	number     int64
	reader     int64
	readers, n int
}

// between is the distance of two copies: 1,024 are created in a second.
const between = 1 << 12

// write copies the items of the original in one partition, in steps, so that the database serves others meanwhile.
func (c copies) write(b *testing.B, db *sql.DB, name, pk string) {
	b.Helper()
	const step = 20_000
	for from := 1; from <= c.n; from += step {
		done, err := db.Exec(fmt.Sprintf(`
			WITH RECURSIVE copy(i, id, reader) AS (
				VALUES (?1, printf('%%016llx', ?3 - ?1*?4) || substr(?5, 17), ?6 + ?1 %% ?7)
				UNION ALL
				SELECT i+1, printf('%%016llx', ?3 - (i+1)*?4) || substr(?5, 17), ?6 + (i+1) %% ?7 FROM copy WHERE i < ?2)
			INSERT INTO %q (pk, sk, item_json, item_size, hash_prefix)
			SELECT o.pk, replace(replace(o.sk, ?5, id), 'user:' || ?6, 'user:' || reader),
				replace(replace(o.item_json, ?5, id), 'user:' || ?6, 'user:' || reader), o.item_size, o.hash_prefix
			FROM copy, (SELECT * FROM %[1]q WHERE pk = ?8 AND instr(sk, ?5) > 0) o`, name),
			from, min(from+step-1, c.n), c.number, between, c.original, c.reader, c.readers, "S:"+pk)
		must(b, err)
		if written, _ := done.RowsAffected(); written != int64(min(step, c.n-from+1)) {
			b.Fatalf("%d items are written to %s", written, name)
		}
	}
}

// count adds the copies to the counters of their collection.
func (p *platform) count(b *testing.B, collection count.Collection, c copies) {
	b.Helper()
	delta := count.Delta{}
	for i := 1; i <= c.n; i++ {
		id := table.RowID(fmt.Sprintf("%016x%s", c.number-int64(i)*between, c.original[16:]))
		delta.Add(collection, "", id.Number(), 1)
	}
	store := &countdb.Store{Client: p.database, Table: p.table("CountsTable")}
	for key, children := range delta {
		some := map[int]int{}
		for child, by := range children {
			if some[child] = by; len(some) == count.MaxChildren {
				must(b, dynamo.WriteItem(b.Context(), p.database, store.AddToNode(key, some)))
				some = map[int]int{}
			}
		}
		must(b, dynamo.WriteItem(b.Context(), p.database, store.AddToNode(key, some)))
	}
}
