package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/stats"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
)

const (
	increments = 2000
	told       = 100 // webhooks of the other application measured before the load
	pace       = 100 * time.Millisecond
)

// hotRow is an application in which every new row adds 1 to the same row, beside another application that has a
// webhook.
type hotRow struct {
	*platform
	other *platform
	row   string // path of the row

	mu       sync.Mutex
	received series // time from the write of a row to its webhook
}

// BenchmarkHotRow makes 2,000 increments of one row, in a burst and at 45 rows a second: all must be applied exactly
// once within 60 s. It also reports the p95 of another application's webhooks: without load, with 2,000 rows that fire
// nothing, and with both kinds of increments, which must be ≤ 2 times the quiet p95. A burst uses all processors of a
// laptop and slows everything down; the steady pace leaves some idle, so the remaining delay is waiting caused by the
// busy application.
func BenchmarkHotRow(b *testing.B) {
	other := start(b, func(cfg *cloud.Config) {
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // the receiver is on loopback
	})
	h := &hotRow{platform: other.application(b), other: other}
	receiver := httptest.NewServer(h)
	b.Cleanup(receiver.Close)
	other.makeTable(b, "told", "sent number")
	other.act(b, "told", "webhook", object{"url": receiver.URL})

	for _, name := range []string{"clicks", "plain", "totals"} {
		h.makeTable(b, name, "n integer")
	}
	var total struct{ ID string }
	h.call(b, "POST", fmt.Sprintf(rowsPath, "totals"), object{"n": 0}, &total)
	h.row = fmt.Sprintf(rowsPath, "totals") + total.ID + "/"
	h.act(b, "clicks", "table_operation", object{
		"table": "totals", "operation": "update", "where": object{"id": total.ID},
		"assign": []object{{"field": "n", "operator": "inc_by", "value": 1}},
	})

	once(b, func() {
		h.tell(b, pause(20)) // starts the programs and fills the caches
		before := h.tell(b, pause(told)).p(0.95)
		b.ReportMetric(ms(before), "quiet-p95-ms")
		meanwhile := func(name string, do func(context.Context) error) {
			took := h.tell(b, do)
			b.ReportMetric(ms(took.p(0.95)), name+"-p95-ms")
			b.ReportMetric(float64(took.p(0.95))/float64(before), name+"-of-quiet")
		}

		meanwhile("plain-rows", func(ctx context.Context) error { return h.write(ctx, "plain", 100, told*pace/20) })
		for i, way := range []struct {
			name  string
			each  int
			pause time.Duration
		}{{"burst", 100, 0}, {"steady", 5, 110 * time.Millisecond}} {
			before, began := h.Stats(), time.Now()
			meanwhile(way.name, func(ctx context.Context) error {
				defer func() { b.ReportMetric(time.Since(began).Seconds(), way.name+"-s") }()
				return h.increment(ctx, (i+1)*increments, way.each, way.pause)
			})
			b.Logf("%s: DynamoDB calls of an increment, with those of the rows and of the other application: %s",
				way.name, calls(before, h.Stats(), increments))

			must(b, h.Drain(b.Context()))
			if n, err := h.value(b.Context()); err != nil || n != (i+1)*increments {
				b.Fatalf("the row has %d, want %d: %v", n, (i+1)*increments, err)
			}
		}
	})
}

// application returns the same platform with a client for a new application.
func (p *platform) application(b *testing.B) *platform {
	made, err := demo.Seed{
		Client: p.database, Clock: clock.System,
	}.Plant(b.Context(), demo.Credentials{})
	must(b, err)
	other := *p
	other.client, err = api.ConnectAs(b.Context(), p.URL, made.ClientID, made.ClientSecret)
	must(b, err)
	return &other
}

// act creates a trigger with one action on new rows of a table.
func (p *platform) act(b *testing.B, table, action string, settings object) {
	p.call(b, "POST", triggersPath, object{
		"name": table, "type": "table", "condition": object{"table": table, "event": "create"},
		"actions": []object{{"type": action, "settings": settings}},
	}, nil)
}

// ServeHTTP records how long ago the row of a webhook was written.
func (h *hotRow) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	sent := sentAt(r)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.received = append(h.received, time.Since(sent))
}

// pause returns a function that waits as long as n webhooks take at the pace.
func pause(n int) func(context.Context) error {
	return func(context.Context) error { time.Sleep(time.Duration(n) * pace); return nil }
}

// tell writes rows of the other application at a steady pace while do runs, and returns the delays of their webhooks.
func (h *hotRow) tell(b *testing.B, do func(context.Context) error) series {
	done := make(chan error, 1)
	go func() { done <- do(b.Context()) }()
	h.mu.Lock()
	h.received = nil
	h.mu.Unlock()

	var writers sync.WaitGroup
	for sent, tick := 0, time.NewTicker(pace); ; sent++ {
		select {
		case err := <-done:
			must(b, err)
			writers.Wait()
			tick.Stop()
			return h.wait(b, sent)
		case <-tick.C:
			writers.Go(func() {
				row := object{"sent": time.Now().UnixMilli()}
				if err := h.other.send(b.Context(), "POST", fmt.Sprintf(rowsPath, "told"), row, nil); err != nil {
					b.Error(err)
				}
			})
		}
	}
}

// wait waits until n webhooks have arrived and returns their delays.
func (h *hotRow) wait(b *testing.B, n int) series {
	for limit := time.Now().Add(patient); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		got := h.received
		h.mu.Unlock()
		if len(got) >= n {
			return got
		}
	}
	b.Fatalf("fewer than %d webhooks came", n)
	return nil
}

// write creates 2,000 rows, each per request, with pauses between the requests.
func (h *hotRow) write(ctx context.Context, table string, each int, pause time.Duration) error {
	rows := make([]object, each)
	for i := range rows {
		rows[i] = object{"n": i}
	}
	for range increments / each {
		began := time.Now()
		if err := h.send(ctx, "POST", fmt.Sprintf(rowsPath, table), rows, nil); err != nil {
			return err
		}
		time.Sleep(pause - time.Since(began))
	}
	return nil
}

// increment creates 2,000 rows that each add 1, and waits until the hot row reaches a value.
func (h *hotRow) increment(ctx context.Context, until, each int, pause time.Duration) error {
	if err := h.write(ctx, "clicks", each, pause); err != nil {
		return err
	}
	for limit := time.Now().Add(20 * time.Minute); time.Now().Before(limit); time.Sleep(pace) {
		if n, err := h.value(ctx); err != nil || n >= until {
			return err
		}
	}
	return fmt.Errorf("the row does not become %d", until)
}

func (h *hotRow) value(ctx context.Context) (int, error) {
	var got struct{ N int }
	err := h.send(ctx, "GET", h.row, nil, &got)
	return got.N, err
}

// calls formats the DynamoDB calls per request between two snapshots: the sum and each operation. It leaves out the
// stream pollers, which call all the time.
func calls(before, after stats.Snapshot, requests int) string {
	total, parts := int64(0), []string{}
	for _, operation := range slices.Sorted(maps.Keys(after.DynamoDB)) {
		if strings.HasPrefix(operation, "Streams.") {
			continue
		}
		n := after.DynamoDB[operation] - before.DynamoDB[operation]
		if total += n; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", operation, float64(n)/float64(requests)))
		}
	}
	return fmt.Sprintf("%.2f: %s", float64(total)/float64(requests), strings.Join(parts, ", "))
}
