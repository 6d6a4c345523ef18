package bench

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/page"
	"minicloud/shared/table"
)

// number returns an integer environment variable, or a default if it is not set.
func number(b *testing.B, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatalf("%s must be a number, not %q", variable, text)
	}
	return n
}

// BenchmarkLists lists and writes a table of ROWS=20000 rows with three indexes. The first page takes ≤ 8 ms, 20 rows
// by an index ≤ 15 ms, a total one more call; a change of a row takes ≤ 5 ms, of 1,000 rows ≤ 2 s.
func BenchmarkLists(b *testing.B) {
	n := number(b, "ROWS", 20_000)
	p := start(b)
	tableID := p.makeTable(b, "people", "name string indexed", "age integer indexed", "score integer indexed",
		"city string", "bio string", "hits integer")
	rows := fmt.Sprintf(rowsPath, strconv.FormatInt(tableID, 10))
	p.fill(b, rows, tableID, n)

	const low, high = 500000, 500000 + 1000003/400
	deep := min(n/10*9, page.MaxOffset)
	for _, q := range []struct {
		name, where, more string
	}{
		{name: "first_page"},
		{name: "at_the_largest_offset", more: fmt.Sprint("&offset=", deep)},
		{name: "one_by_an_index", where: fmt.Sprintf(`{"name":"person %07d"}`, n/2)},
		{name: "newest_of_an_index_1_percent", where: `{"age":37}`},
		{name: "newest_of_a_range_0.25_percent", where: fmt.Sprintf(`{"score":{"$range":[%d,%d]}}`, low, high)},
		{name: "newest_of_a_range_3_percent", where: `{"score":{"$lt":30000}}`},
		{name: "newest_of_a_range_10_percent", where: `{"score":{"$lt":100000}}`},
		{name: "newest_of_the_oldest_5_percent", where: fmt.Sprintf(
			`{"name":{"$range":["person %07d","person %07d"]}}`, n/20, n/10,
		)},
		{name: "lowest_of_a_range", where: fmt.Sprintf(`{"score":{"$gte":%d}}`, low), more: "&order_by=score"},
		{name: "first_page_and_total", more: "&return_total_count=1"},
		{name: "total_of_an_index_1_percent", where: `{"age":37}`, more: "&return_total_count=1"},
		{name: "newest_without_index_2_percent", where: `{"city":"city 7"}`},
		{name: "total_without_index", where: `{"city":"city 7"}`, more: "&return_total_count=1"},
	} {
		b.Run(q.name, func(b *testing.B) {
			path := rows + "?limit=20&where=" + url.QueryEscape(q.where) + q.more
			b.Logf("%s: %s", q.name, p.plan(b, path))
			p.each(b, "table", func() { p.call(b, "GET", path, nil, nil) })
		})
	}
	p.writes(b, rows, fmt.Sprintf("/oserve/v2.6/table/%d/record/", tableID))
}

// plan returns the query plan of a list and the number of scanned rows, from the response headers.
func (p *platform) plan(b *testing.B, path string) string {
	header, _, err := p.client.Do(b.Context(), "GET", path, "")
	must(b, err)
	return header.Get("X-Service-Plan") + ", " + header.Get("X-Service-Scanned") + " scanned"
}

// writes measures changes of one row, of many rows, and of one row by many clients.
func (p *platform) writes(b *testing.B, rows, updates string) {
	var list struct{ Objects []struct{ ID string } }
	p.call(b, "GET", rows+"?limit=1", nil, &list)
	row := updates + list.Objects[0].ID + "/"
	increment := func(column string) object { return object{column: object{"$incr_by": 1}} }
	for _, w := range []struct {
		name, method, path string
		body               object
	}{
		{"increment", "PUT", row, increment("hits")},
		{"increment_of_an_indexed_column", "PUT", row, increment("age")},
		{"create", "POST", rows, object{"name": "one more", "age": 5, "score": 5}},
		{"bulk_of_1000", "PUT", updates + "?limit=1000&where=%7B%7D", increment("hits")},
		{"bulk_of_1000_of_an_indexed_column", "PUT", updates + "?limit=1000&where=%7B%7D", increment("age")},
	} {
		b.Run(w.name, func(b *testing.B) {
			p.each(b, "table", func() { p.call(b, w.method, w.path, w.body, nil) })
		})
	}

	b.Run("increments_by_50_writers", func(b *testing.B) {
		once(b, func() {
			const writers, times = 50, 4
			hits := func() int {
				var row struct{ Hits int }
				p.call(b, "GET", rows+list.Objects[0].ID+"/", nil, &row)
				return row.Hits
			}
			before, began := hits(), time.Now()
			var group errgroup.Group
			for range writers * times {
				group.Go(func() error { return p.send(b.Context(), "PUT", row, increment("hits"), nil) })
			}
			must(b, group.Wait())
			b.ReportMetric(writers*times/time.Since(began).Seconds(), "increments/s")
			if got := hits() - before; got != writers*times {
				b.Errorf("%d of %d increments", got, writers*times)
			}
		})
	})
}

// person returns the fields of row i.
func person(i int) object {
	return object{
		"name": fmt.Sprintf("person %07d", i), "age": i * 7919 % 100, "score": i * 104729 % 1000003,
		"city": fmt.Sprintf("city %d", i*31%50), "bio": strings.Repeat(fmt.Sprintf("bio of %07d, ", i), 20), "hits": 0,
	}
}

// fill creates n rows and waits until they are counted.
func (p *platform) fill(b *testing.B, path string, tableID int64, n int) {
	const batch = 1000
	began := time.Now()
	for from := 0; from < n; from += batch {
		var drafts []object
		for i := from; i < min(from+batch, n); i++ {
			drafts = append(drafts, person(i))
		}
		p.call(b, "POST", path, drafts, nil)
	}
	b.Logf("%.0f rows/s created, 1,000 a request", float64(n)/time.Since(began).Seconds())
	p.counted(b, table.Collection(p.scope(), table.ID(tableID)), n)
}
