// Package query measures lists over many rows on a local cloud: first and deep
// pages, filters with and without an index, totals, writes; and the same
// queries on PocketBase, whose rows lie in one SQLite file.
package query

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/template"
	"minicloud/shared/table"
)

const schema = `{"name": "people", "schema": {"fields": [
	{"name": "name", "type": "string", "indexed": true}, {"name": "age", "type": "integer", "indexed": true},
	{"name": "score", "type": "integer", "indexed": true}, {"name": "city", "type": "string"}, {"name": "bio", "type": "string"},
	{"name": "hits", "type": "integer"}]}}`

// question is one query, here and on PocketBase; "" there asks nothing.
type question struct {
	name, bound  string
	where, order string
	offset       int
	limit        int
	total        bool
	there        url.Values
}

// questions are asked of a table of n rows.
func questions(n int) []question {
	deep := n / 10 * 9
	pb := func(filter, sort string, page, perPage int, total bool) url.Values {
		v := url.Values{"sort": {sort}, "page": {strconv.Itoa(page)}, "perPage": {strconv.Itoa(perPage)}}
		if filter != "" {
			v.Set("filter", filter)
		}
		if !total {
			v.Set("skipTotal", "1")
		}
		return v
	}
	half := fmt.Sprintf("person %07d", n/2)
	from, to := fmt.Sprintf("person %07d", n/20), fmt.Sprintf("person %07d", n/10)
	low, high := 500000, 500000+1000003/400
	return []question{
		{name: "first page", bound: "≤ 8 ms", limit: 20, there: pb("", "-created", 1, 20, false)},
		{
			name: fmt.Sprintf("page at offset %d", deep), bound: "≤ 1.5 × first", offset: deep, limit: 20,
			there: pb("", "-created", deep/20+1, 20, false),
		},
		{
			name: "one by an indexed name", bound: "≤ 15 ms", where: `{"name":"` + half + `"}`, limit: 20,
			there: pb(`name="`+half+`"`, "-created", 1, 20, false),
		},
		{
			name: "newest 20 of an indexed age (1 %)", bound: "≤ 15 ms", where: `{"age":37}`, limit: 20,
			there: pb("age=37", "-created", 1, 20, false),
		},
		{name: "newest 20 of an indexed range (0.25 %)", bound: "≤ 15 ms", where: fmt.Sprintf(
			`{"score":{"$range":[%d,%d]}}`, low, high,
		), limit: 20,
			there: pb(fmt.Sprintf("score>=%d && score<%d", low, high), "-created", 1, 20, false)},
		{name: "newest 20 of an indexed range (3 %)", where: `{"score":{"$lt":30000}}`, limit: 20,
			there: pb("score<30000", "-created", 1, 20, false)},
		{name: "newest 20 of an indexed range (10 %)", where: `{"score":{"$lt":100000}}`, limit: 20,
			there: pb("score<100000", "-created", 1, 20, false)},
		{name: "newest 20 of the oldest 5 % by an index", where: `{"name":{"$range":["` + from + `","` + to + `"]}}`,
			limit: 20, there: pb(`name>="`+from+`" && name<"`+to+`"`, "-created", 1, 20, false)},
		{name: "lowest 20 of an indexed range", bound: "≤ 15 ms", where: fmt.Sprintf(
			`{"score":{"$gte":%d}}`, low,
		), order: "score", limit: 20,
			there: pb(fmt.Sprintf("score>=%d", low), "score", 1, 20, false)},
		{name: "first page and total", bound: "+ 1 call", limit: 20, total: true, there: pb("", "-created", 1, 20, true)},
		{
			name: "total of an indexed age (1 %)", where: `{"age":37}`, limit: 1, total: true,
			there: pb("age=37", "-created", 1, 1, true),
		},
		{
			name: "newest 20 of a city, no index (2 %)", where: `{"city":"city 7"}`, limit: 20,
			there: pb(`city="city 7"`, "-created", 1, 20, false),
		},
		{
			name: "total of a city, no index: all rows", where: `{"city":"city 7"}`, limit: 1, total: true,
			there: pb(`city="city 7"`, "-created", 1, 1, true),
		},
	}
}

func (q question) path(rows string) string {
	v := url.Values{
		"limit": {strconv.Itoa(q.limit)}, "offset": {strconv.Itoa(q.offset)}, "where": {q.where}, "order_by": {q.order},
	}
	if q.total {
		v.Set("return_total_count", "1")
	}
	return rows + "?" + v.Encode()
}

// Run prints the figures for ROWS rows (100,000).
func Run(ctx context.Context, r measure.Report) error {
	rows := 100_000
	if text := os.Getenv("ROWS"); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("ROWS: %w", err)
		}
	}

	c, client, stop, err := api.Platform(ctx)
	if err != nil {
		return err
	}
	defer stop()
	there := pocketbase(ctx, r, c.Root(), rows)
	p := people{Client: client, cloud: c}
	if err := p.fill(ctx, r, rows); err != nil {
		return err
	}

	for _, q := range questions(rows) {
		if err := p.ask(ctx, r, q, rows, there[q.name]); err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
	}

	return p.writes(ctx, r)
}

// people is the table that is measured.
type people struct {
	*api.Client
	cloud         *cloud.Cloud
	id            table.ID
	rows, updates string // paths
}

// fill creates the rows, a thousand per request, two requests at a time.
func (p *people) fill(ctx context.Context, r measure.Report, rows int) error {
	answer, err := p.Call(ctx, "POST", "/oserve/v1.8/table/", schema)
	if err != nil {
		return err
	}

	var made struct{ ID int64 }
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}

	p.rows = fmt.Sprintf("/oserve/v2.4/table/%d/record/", made.ID)
	p.updates = fmt.Sprintf("/oserve/v2.6/table/%d/record/", made.ID)
	p.id = table.ID(made.ID)
	const batch = 1000
	begin := time.Now()
	begun := min(rows, throughAPI)
	work := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range 2 {
		wg.Go(func() {
			for from := range work {
				if _, err := p.Call(ctx, "POST", p.rows, drafts(from, min(from+batch, begun))); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}

	for from := 0; from < begun; from += batch {
		work <- from
	}

	close(work)
	wg.Wait()
	r.Row(
		fmt.Sprintf("create %d rows of 3 indexes, 1000 a request", begun),
		fmt.Sprintf("%.0f rows/s", float64(begun)/time.Since(begin).Seconds()), "", "",
	)
	if failed != nil || begun == rows {
		return failed
	}

	begin = time.Now()
	if err := p.plant(ctx, begun, rows); err != nil {
		return fmt.Errorf("plant rows: %w", err)
	}

	r.Row(
		fmt.Sprintf("put %d more into the file, and recount", rows-begun),
		fmt.Sprintf("%.0f rows/s", float64(rows-begun)/time.Since(begin).Seconds()), "", "",
	)

	return nil
}

// throughAPI is how many rows are created as callers create them; the others
// only have to be there.
const throughAPI = 5000

// named returns the name of a table of the template.
func (p *people) named(logicalID string) string {
	i := slices.IndexFunc(p.cloud.Template.Tables, func(t *template.Table) bool { return t.ID == logicalID })
	return p.cloud.Template.Tables[i].Name
}

func draft(i int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("person %07d", i), "age": i * 7919 % 100, "score": i * 104729 % 1000003,
		"city": fmt.Sprintf("city %d", i*31%50),
		"bio":  strings.Repeat(fmt.Sprintf("bio of %07d, ", i), 20), "hits": 0,
	}
}

func drafts(from, to int) string {
	list := make([]map[string]any, to-from)
	for i := range list {
		list[i] = draft(from + i)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // nothing but texts and numbers
	}
	return string(text)
}

// ask measures one question.
func (p *people) ask(ctx context.Context, r measure.Report, q question, rows int, there float64) error {
	path := q.path(p.rows)
	begin := time.Now()
	if _, err := p.Call(ctx, "GET", path, ""); err != nil {
		return err
	}

	n := int(min(max(3*time.Second/max(time.Since(begin), time.Millisecond), 3), 300))
	before := p.cloud.Stats()
	s, err := measure.Times(0, n, func() error {
		_, err := p.Call(ctx, "GET", path, "")
		return err
	})
	if err != nil {
		return err
	}

	after := p.cloud.Stats()
	r.Series(q.name, s, q.bound)
	plan, scanned, err := p.explained(ctx, path)
	if err != nil {
		return err
	}

	remark := api.Calls(before, after, n)
	if there > 0 {
		remark += fmt.Sprintf("; PocketBase %.2f ms, ratio %.1f", there, measure.MS(s.Median())/there)
	}

	r.Row("  "+plan, scanned+" scanned", "", remark)
	if q.total && strings.Contains(plan, "scan") {
		r.Row("  a scan reads", fmt.Sprintf("%.0f rows/s", float64(rows)/s.Median().Seconds()), "", "")
	}

	return nil
}

// explained returns what the answer says about itself.
func (p *people) explained(ctx context.Context, path string) (plan, scanned string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Base+path, nil)
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Authorization", "Bearer "+p.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.Header.Get("X-Service-Plan"), resp.Header.Get("X-Service-Scanned"), err
}

// writes measures changes of rows.
func (p *people) writes(ctx context.Context, r measure.Report) error {
	answer, err := p.Call(ctx, "GET", p.rows+"?limit=1", "")
	if err != nil {
		return err
	}

	var list struct {
		Objects []struct{ ID string }
	}
	if err := json.Unmarshal(answer, &list); err != nil || len(list.Objects) == 0 {
		return fmt.Errorf("no row to change: %w", err)
	}

	id := list.Objects[0].ID
	for _, c := range []struct{ name, bound, method, path, body string }{
		{"increment of one row", "≤ 5 ms", "PUT", p.updates + id + "/", `{"hits":{"$incr_by":1}}`},
		{"change of an indexed field of one row", "≤ 5 ms", "PUT", p.updates + id + "/", `{"age":{"$incr_by":1}}`},
		{"create one row", "", "POST", p.rows, `{"name":"one more","age":5,"score":5}`},
	} {
		s, err := measure.Times(20, 200, func() error {
			_, err := p.Call(ctx, c.method, c.path, c.body)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}

		r.Series(c.name, s, c.bound)
	}

	for _, c := range []struct{ name, body string }{
		{"bulk update of 1,000 rows", `{"hits":{"$incr_by":1}}`},
		{"bulk update of 1,000 rows, indexed field", `{"age":{"$incr_by":1}}`},
	} {
		s, err := measure.Times(0, 3, func() error {
			_, err := p.Call(ctx, "PUT", p.updates+"?limit=1000&where=%7B%7D", c.body)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}

		r.Series(c.name, s, "≤ 2000 ms")
	}

	return p.increments(ctx, r, id)
}

// increments has 50 writers count in one row.
func (p *people) increments(ctx context.Context, r measure.Report, id string) error {
	put, get := p.updates+id+"/", p.rows+id+"/"
	hits := func() (int, error) {
		answer, err := p.Call(ctx, "GET", get, "")
		if err != nil {
			return 0, err
		}
		var row struct{ Hits int }
		return row.Hits, json.Unmarshal(answer, &row)
	}
	before, err := hits()
	if err != nil {
		return err
	}

	begin := time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 50 {
		wg.Go(func() {
			for range 4 {
				if _, callErr := p.Call(ctx, "PUT", put, `{"hits":{"$incr_by":1}}`); callErr != nil {
					mu.Lock()
					err = callErr
					mu.Unlock()
				}
			}
		})
	}

	wg.Wait()
	if err != nil {
		return err
	}

	took := time.Since(begin)
	after, err := hits()
	r.Row(
		"increments of one row by 50 writers", fmt.Sprintf("%d of 200 lost", before+200-after), "= 0",
		fmt.Sprintf("%.0f/s", 200/took.Seconds()),
	)

	return err
}

// pocketbase asks PocketBase the same and returns its medians in milliseconds
// by question; none where it cannot be built.
func pocketbase(ctx context.Context, r measure.Report, root string, rows int) map[string]float64 {
	var questionsThere bytes.Buffer
	for _, q := range questions(rows) {
		fmt.Fprintf(&questionsThere, "%s\t%s\n", q.name, q.there.Encode())
	}

	cmd := exec.CommandContext(ctx, "go", "run", ".", strconv.Itoa(rows))
	cmd.Dir = filepath.Join(root, "infra", "lab", "bench", "pocketbase")
	cmd.Env = append(os.Environ(), "GOWORK=off") // a module of its own
	cmd.Stdin = &questionsThere
	out, err := cmd.Output()
	if err != nil {
		r.Row("PocketBase", "not measured", "", err.Error())
		return nil
	}

	medians := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if ms, err := strconv.ParseFloat(text, 64); err == nil {
			medians[name] = ms
		}
	}

	return medians
}
