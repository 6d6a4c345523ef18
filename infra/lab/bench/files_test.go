package bench

import (
	"database/sql"
	"fmt"
	"net/url"
	"testing"
	"time"

	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/file"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// creator is the user of all files.
const creator = 8_765_432

// BenchmarkFiles lists ROWS=100000 files, in turns with the same rows of a table with the same columns and indexes. Goal: files
// are listed as fast as rows.
func BenchmarkFiles(b *testing.B) {
	n := number(b, "ROWS", 100_000)
	p := start(b)
	tableID := p.makeTable(b, "photos", "name string indexed", "cdn_path string", "size integer indexed", "mime_type string",
		"media_type string", "category_id string indexed", "etag string", "named boolean", "creator integer indexed")
	schemas := &rowdb.Tables{Client: p.database, Name: p.table("TablesTable")}
	photos, err := schemas.Table(b.Context(), p.scope(), table.ID(tableID))
	must(b, err)
	var category struct{ ID string }
	p.call(b, "POST", "/oserve/v2.2/file-category/", object{"name": "photos"}, &category)
	names := []string{p.photos(b, n, category.ID, file.Table()), p.photos(b, n, category.ID, photos)}

	const files = "/oserve/v2.2/file/"
	filesOfUser, rowsOfUser := fmt.Sprintf(`{"created_by":%d}`, creator), fmt.Sprintf(`{"creator":%d}`, creator)
	rows := fmt.Sprintf(rowsPath, fmt.Sprint(tableID))
	for _, q := range []struct {
		name, files, rows, more string
		fromMiddle              bool // after the cursor of the record in the middle
	}{
		{name: "first_page"},
		{name: "one_by_name", files: fmt.Sprintf(`{"name":%q}`, names[0]), rows: fmt.Sprintf(`{"name":%q}`, names[1])},
		{name: "by_size", more: "&order_by=-size"},
		{name: "of_a_user", files: filesOfUser, rows: rowsOfUser},
		{
			name: "of_a_category", files: `{"category_name":"photos"}`, rows: fmt.Sprintf(`{"category_id":%q}`, category.ID),
		},
		{name: "first_page_and_total", more: "&return_total_count=1"},
		{name: "of_a_user_and_total", files: filesOfUser, rows: rowsOfUser, more: "&return_total_count=1"},
		{name: "at_the_largest_offset", more: fmt.Sprint("&offset=", min(n/10*9, page.MaxOffset))},
		{name: "from_the_middle", fromMiddle: true},
		{name: "from_the_middle_of_a_user", files: filesOfUser, rows: rowsOfUser, fromMiddle: true},
	} {
		if q.rows == "" {
			q.rows = q.files
		}
		b.Run(q.name, func(b *testing.B) {
			path := func(list, where, middle string) string {
				path := list + "?limit=20&where=" + url.QueryEscape(where) + q.more
				if q.fromMiddle {
					path += "&cursor=" + url.QueryEscape(p.cursorAfter(b, list, middle))
				}
				return path
			}
			asked := []string{path(files, q.files, names[0]), path(rows, q.rows, names[1])}
			b.Logf("%s: %s", q.name, p.plan(b, asked[0]))
			once(b, func() { p.turns(b, asked) })
		})
	}
}

// cursorAfter returns the cursor after the record of a name, in a list whose names have the order of its records.
func (p *platform) cursorAfter(b *testing.B, list, name string) string {
	b.Helper()
	var first struct{ Meta struct{ Next string } }
	p.call(b, "GET", list+"?limit=1&where="+url.QueryEscape(fmt.Sprintf(`{"name":{"$lte":%q}}`, name)), nil, &first)
	next, err := url.Parse(first.Meta.Next)
	must(b, err)
	return next.Query().Get("cursor")
}

// turns reads a list of files and one of rows in turns.
func (p *platform) turns(b *testing.B, asked []string) {
	const rounds, warm = 30, 3
	var times [2]series
	for n := range rounds + warm {
		for i, path := range asked {
			took := timed(func() { p.call(b, "GET", path, nil, nil) })
			if n >= warm {
				times[i] = append(times[i], took)
			}
		}
	}
	report(b, "files", times[0])
	report(b, "rows", times[1])
	b.ReportMetric(float64(times[0].median())/float64(times[1].median()), "files/rows")
}

// photos makes n rows of one user in each table. The first is written by the store, the others are copies of its items: each
// has its id in its name too. It returns the name of one in the middle.
func (p *platform) photos(b *testing.B, n int, category string, tables ...table.Table) (name string) {
	b.Helper()
	rows := &rowdb.Rows{
		Client: p.database, Table: p.table("RowsTable"), Indexes: p.table("RowIndexesTable"), Schemas: p.table("TablesTable"),
	}
	db, err := sql.Open("sqlite", "file:"+p.file+"?_pragma=busy_timeout(60000)")
	must(b, err)
	defer db.Close()
	ids, began := new(id.Source), time.Now()
	for _, t := range tables {
		at := string(t.FirstRowID(ids.New(began)))
		row := table.Row{ID: table.RowID(at), CreatedBy: creator, UpdatedAt: began.Unix(), Revision: 1, Perm: t.DefaultRowPerm, Fields: object{
			"name": "photo " + at, "cdn_path": at + ".png", "size": int64(1 << 20), "mime_type": "image/png", "media_type": "image",
			"category_id": category, "etag": fmt.Sprintf("%032x", 1), "named": false, "creator": int64(creator),
		}}
		must(b, rows.Write(b.Context(), p.scope(), t, []table.Change{{New: &row}})[0])
		collection := table.Collection(p.scope(), t.ID)
		p.counted(b, collection, 1)

		pk := fmt.Sprintf("%s#%d", p.scope(), t.ID)
		c := copies{original: at, reader: creator, readers: 1, n: n - 1}
		_, err := fmt.Sscanf(at[:16], "%x", &c.number)
		must(b, err)
		c.write(b, db, p.table("RowsTable"), pk)
		for _, column := range t.Columns {
			if column.Index != nil {
				c.write(b, db, p.table("RowIndexesTable"), pk+"#ix#"+column.Index.ID)
			}
		}
		p.count(b, collection, c)
		p.counted(b, collection, n)
		name = fmt.Sprintf("photo %016x%s", c.number-int64(n/2)*between, at[16:])
	}
	b.Logf("%d rows in %v", n*len(tables), time.Since(began).Round(time.Second))
	return name
}
