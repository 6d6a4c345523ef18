// Package hotrow measures a row that very many runs change at once, on a local cloud with the real programs: how long
// until all of them have had their effect, and how long the events of another application take meanwhile.
package hotrow

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
)

const (
	clicks  = 2000 // rows that each add 1 to the same row
	request = 100  // of them that one request makes, in the burst
	steady  = 5    // and at a steady pace
	warm    = 20
	quiet   = 100 // events of the other application that are measured before
	pace    = 100 * time.Millisecond
	between = 110 * time.Millisecond // requests at the steady pace: not in step with the other application's
	patient = 20 * time.Minute
)

const (
	tables   = "/oserve/v1.8/table/"
	rows     = "/oserve/v2.4/table/%s/record/"
	triggers = "/oserve/v3/trigger/"
)

type object = map[string]any

// bench is a cloud with two applications.
type bench struct {
	measure.Report
	cloud *cloud.Cloud
	busy  *api.Client // has the hot row
	other *api.Client // has a webhook

	mu       sync.Mutex
	sent     map[int]time.Time
	received map[int]time.Duration // from the request that made a row to the first webhook of it
}

// Run prints the figures.
func Run(ctx context.Context, r measure.Report) error {
	c, other, stop, err := api.Platform(ctx, func(cfg *cloud.Config) {
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // the receiver is on loopback
	})
	if err != nil {
		return err
	}
	defer stop()

	b := &bench{Report: r, cloud: c, other: other, sent: map[int]time.Time{}, received: map[int]time.Duration{}}
	if err := b.application(ctx); err != nil {
		return err
	}
	end, err := b.receiver(ctx)
	if err != nil {
		return err
	}
	defer end()
	row, err := b.counter(ctx)
	if err != nil {
		return err
	}

	if err := b.events(ctx, 0, func(n int) bool { return n < warm+quiet }); err != nil {
		return err
	}
	before := b.series(warm, warm+quiet)
	b.latency("event to webhook of another application, quiet", before, "")
	if err := b.inserted(ctx, warm+quiet, before); err != nil {
		return err
	}
	// The burst takes all processors of a laptop, which slows everything down. The steady pace leaves some idle, so
	// that what the other application still feels are waits for the busy one.
	next, err := b.hot(ctx, "in a burst", row, clicks, warm+2*quiet, before, func() error {
		return b.click(ctx, "clicks", request, 0)
	})
	if err != nil {
		return err
	}
	_, err = b.hot(ctx, "at 45 rows/s", row, 2*clicks, next, before, func() error {
		return b.click(ctx, "clicks", steady, between)
	})
	return err
}

// inserted prints what the other application feels of as many new rows that fire nothing: what is left of the hot row's
// figure is the triggers'.
func (b *bench) inserted(ctx context.Context, first int, before measure.Series) error {
	done := make(chan error, 1)
	go func() { done <- b.click(ctx, "plain", request, quiet*pace/(clicks/request)) }()
	err := b.events(ctx, first, func(n int) bool { return n < first+quiet })
	if failed := <-done; err == nil {
		err = failed
	}
	if err == nil {
		meanwhile := b.series(first, first+quiet)
		b.latency("  while 2,000 rows are inserted that fire nothing", meanwhile, "")
		b.ratio(meanwhile, before, "")
	}
	return err
}

func (b *bench) ratio(meanwhile, before measure.Series, bound string) {
	b.Row("  of the quiet p95", fmt.Sprintf("%.1f", float64(meanwhile.P(0.95))/float64(before.P(0.95))), bound, "")
}

// application plants the one that has the hot row.
func (b *bench) application(ctx context.Context) error {
	tables := map[string]string{}
	for _, t := range b.cloud.Template.Tables {
		tables[t.ID] = t.Name
	}
	planted, err := demo.Seed{
		Client: ddb.NewClient(b.cloud.Database), ApplicationsTable: tables["ApplicationsTable"], Clock: clock.System,
	}.Plant(ctx, demo.Credentials{})
	if err != nil {
		return err
	}
	b.busy, err = api.ConnectAs(ctx, b.cloud.URL, planted.ClientID, planted.ClientSecret)
	return err
}

// send calls the API and reads its answer into out, which may be nil.
func send(ctx context.Context, c *api.Client, method, path string, in, out any) error {
	body := ""
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = string(text)
	}
	answer, err := c.Call(ctx, method, path, body)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// table makes a table with one column of integers.
func table(ctx context.Context, c *api.Client, name string) error {
	return send(ctx, c, "POST", tables, object{"name": name, "schema": object{"fields": []object{
		{"name": "n", "type": "integer"},
	}}}, nil)
}

// onRow makes a trigger that acts on new rows of a table.
func onRow(ctx context.Context, c *api.Client, table, action string, settings object) (id int64, err error) {
	var made struct {
		ID int64 `json:"id"`
	}
	err = send(ctx, c, "POST", triggers, object{
		"name": table, "type": "table", "condition": object{"table": table, "event": "create"},
		"actions": []object{{"type": action, "settings": settings}},
	}, &made)
	return made.ID, err
}

// receiver makes the other application's webhook and receives it.
func (b *bench) receiver(ctx context.Context) (end func(), err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(b.receive)}
	go func() { _ = server.Serve(l) }()
	end = func() { _ = server.Close() }

	if err = table(ctx, b.other, "told"); err == nil {
		_, err = onRow(ctx, b.other, "told", "webhook", object{
			"url": fmt.Sprintf("http://%s/", l.Addr()),
		})
	}
	if err != nil {
		end()
	}
	return end, err
}

func (b *bench) receive(_ http.ResponseWriter, r *http.Request) {
	at := time.Now()
	body, _ := io.ReadAll(r.Body)
	var claims struct {
		N int `json:"n"`
	}
	if parts := strings.Split(string(body), "."); len(parts) == 3 {
		text, _ := base64.RawURLEncoding.DecodeString(parts[1])
		_ = json.Unmarshal(text, &claims)
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if _, again := b.received[claims.N]; !again {
		b.received[claims.N] = at.Sub(b.sent[claims.N])
	}
}

// counter makes the row, and the table whose new rows each add 1 to it.
func (b *bench) counter(ctx context.Context) (row string, err error) {
	var made struct {
		ID string `json:"id"`
	}
	for _, name := range []string{"clicks", "plain", "totals"} {
		if err := table(ctx, b.busy, name); err != nil {
			return "", err
		}
	}
	if err := send(ctx, b.busy, "POST", fmt.Sprintf(rows, "totals"), object{"n": 0}, &made); err != nil {
		return "", err
	}
	_, err = onRow(ctx, b.busy, "clicks", "table_operation", object{
		"table": "totals", "operation": "update", "where": object{"id": made.ID},
		"assign": []object{{"field": "n", "operator": "inc_by", "value": 1}},
	})
	return made.ID, err
}

// events makes rows of the other application at a steady pace, from number n on, as long as more are wanted, and waits
// for their webhooks.
func (b *bench) events(ctx context.Context, n int, more func(n int) bool) error {
	first := n
	var writers sync.WaitGroup
	var failed error
	for ; more(n) && ctx.Err() == nil; n++ {
		began := time.Now()
		writers.Go(func() {
			b.mu.Lock()
			b.sent[n] = time.Now()
			b.mu.Unlock()
			if err := send(ctx, b.other, "POST", fmt.Sprintf(rows, "told"), object{"n": n}, nil); err != nil {
				b.mu.Lock()
				failed = err
				b.mu.Unlock()
			}
		})
		time.Sleep(pace - time.Since(began))
	}
	writers.Wait()
	if failed != nil {
		return failed
	}
	for limit := time.Now().Add(patient); len(b.series(first, n)) < n-first; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil || time.Now().After(limit) {
			return fmt.Errorf("%d of %d webhooks came", len(b.series(first, n)), n-first)
		}
	}
	return nil
}

// series are the times of some events.
func (b *bench) series(from, to int) (s measure.Series) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := from; n < to; n++ {
		if took, ok := b.received[n]; ok {
			s = append(s, took)
		}
	}
	return s
}

func (b *bench) latency(what string, s measure.Series, bound string) {
	b.Row(what, fmt.Sprintf("%.1f ms", measure.MS(s.P(0.95))), bound, fmt.Sprintf(
		"p95; p50 %.1f ms, p99 %.1f ms, n %d", measure.MS(s.Median()), measure.MS(s.P(0.99)), len(s),
	))
}

// hot makes the rows that change one row until it has the value wanted, and prints how long that takes. The other
// application's events are those from number first on; it returns the number after the last.
func (b *bench) hot(
	ctx context.Context, name, row string, want, first int, before measure.Series, click func() error,
) (last int, err error) {
	done := make(chan error, 1)
	stats, began := b.cloud.Stats(), time.Now()
	var took time.Duration
	go func() {
		err := click()
		if err == nil {
			err = b.until(ctx, row, want)
		}
		took = time.Since(began)
		done <- err
	}()

	var failed error
	err = b.events(ctx, first, func(n int) bool {
		last = n
		select {
		case failed = <-done:
			return false
		default:
			return true
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return last, err
	}

	b.Row("2,000 increments of one row, "+name, fmt.Sprintf("%.1f s", took.Seconds()), "<= 60 s",
		"from the first request; each applied once")
	meanwhile := b.series(first, last)
	b.latency("event to webhook of the other, meanwhile", meanwhile, "<= 2 x quiet")
	b.ratio(meanwhile, before, "<= 2")
	b.Row("  DynamoDB calls of an increment", api.Calls(stats, b.cloud.Stats(), clicks), "",
		"with those of the rows and of the other application")
	return last, b.once(ctx, row, want)
}

// click makes the rows, some with each request and with pauses between them.
func (b *bench) click(ctx context.Context, table string, each int, pause time.Duration) error {
	drafts := make([]object, each)
	for i := range drafts {
		drafts[i] = object{"n": i}
	}
	for range clicks / each {
		began := time.Now()
		if err := send(ctx, b.busy, "POST", fmt.Sprintf(rows, table), drafts, nil); err != nil {
			return err
		}
		time.Sleep(pause - time.Since(began))
	}
	return nil
}

// value reads the hot row.
func (b *bench) value(ctx context.Context, row string) (int, error) {
	var got struct {
		N int `json:"n"`
	}
	err := send(ctx, b.busy, "GET", fmt.Sprintf(rows, "totals")+row+"/", nil, &got)
	return got.N, err
}

// until waits until the hot row has a value.
func (b *bench) until(ctx context.Context, row string, want int) error {
	for limit := time.Now().Add(patient); ; time.Sleep(pace) {
		n, err := b.value(ctx, row)
		if err != nil || n >= want {
			return err
		}
		if ctx.Err() != nil || time.Now().After(limit) {
			return fmt.Errorf("%d of %d increments were applied within %v", n, want, patient)
		}
	}
}

// once checks that nothing is added after all has come to rest.
func (b *bench) once(ctx context.Context, row string, want int) error {
	if err := b.cloud.Drain(ctx); err != nil {
		return err
	}
	n, err := b.value(ctx, row)
	if err == nil && n != want {
		err = fmt.Errorf("the row has %d, want %d", n, want)
	}
	return err
}
