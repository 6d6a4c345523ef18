// Package actions measures webhooks on a local cloud with the real programs: how long from the write of a row to the
// receipt, how many a second, and what dead receivers do to the others.
package actions

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

	"minicloud/infra/bench/api"
	"minicloud/infra/bench/measure"
	"minicloud/infra/local/cloud"
)

const (
	groups  = 100 // triggers, each of which waits for the rows of its group
	each    = 10  // webhooks of a trigger: 1,000 receivers, every one a host of its own
	dead    = 5   // groups whose receivers die: 50 of 1,000
	paced   = 200 // rows that come one after the other
	pace    = 100 * time.Millisecond
	burst   = 200 // rows that come at once
	patient = 2 * time.Minute
)

type object = map[string]any

// bench is a cloud and its receivers.
type bench struct {
	measure.Report
	client *api.Client

	mu       sync.Mutex
	dying    bool
	received measure.Series
	last     time.Time
}

// Run prints the figures.
func Run(ctx context.Context, r measure.Report) error {
	_, client, stop, err := api.Platform(ctx, func(cfg *cloud.Config) {
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // receivers are on loopback
	})
	if err != nil {
		return err
	}
	defer stop()

	b := &bench{Report: r, client: client}
	port, end, err := b.listen()
	if err != nil {
		return err
	}
	defer end()
	if err := b.plant(ctx, port); err != nil {
		return err
	}
	return b.measure(ctx)
}

// listen serves all receivers at one port: 127.1.<group>.<number> are hosts of their own.
func (b *bench) listen() (port int, end func(), err error) {
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		return 0, nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(b.receive)}
	go func() { _ = server.Serve(l) }()
	return l.Addr().(*net.TCPAddr).Port, func() { _ = server.Close() }, nil
}

// receive notes how long ago the row was written. The receivers of the first groups die, when they are told to: they
// take requests and do not answer.
func (b *bench) receive(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	at := time.Now()
	var claims struct {
		Group int     `json:"group"`
		Sent  float64 `json:"sent"`
	}
	if parts := strings.Split(string(body), "."); len(parts) == 3 {
		text, _ := base64.RawURLEncoding.DecodeString(parts[1])
		_ = json.Unmarshal(text, &claims)
	}

	b.mu.Lock()
	dying := b.dying && claims.Group < dead
	if claims.Group >= dead {
		b.received = append(b.received, at.Sub(time.UnixMilli(int64(claims.Sent))))
		b.last = at
	}
	b.mu.Unlock()
	if dying {
		<-r.Context().Done()
	}
}

// plant makes the table and its triggers.
func (b *bench) plant(ctx context.Context, port int) error {
	if err := b.post(ctx, "/oserve/v1.8/table/", object{"name": "told", "schema": object{"fields": []object{
		{"name": "group", "type": "integer"}, {"name": "sent", "type": "number"},
	}}}); err != nil {
		return err
	}
	for g := range groups {
		var hooks []object
		for n := range each {
			url := fmt.Sprintf("http://127.1.%d.%d:%d/", g, n+1, port)
			hooks = append(hooks, object{"type": "webhook", "settings": object{"url": url}})
		}
		if err := b.post(ctx, "/oserve/v3/trigger/", object{
			"name": fmt.Sprint("group ", g), "type": "table", "trace": false, "actions": hooks,
			"condition": object{"table": "told", "event": "create", "rules": []object{
				{"field": "group", "operator": "=", "value": g},
			}},
		}); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) post(ctx context.Context, path string, in any) error {
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	_, err = b.client.Call(ctx, "POST", path, string(text))
	return err
}

func (b *bench) write(ctx context.Context, group int) error {
	sent := float64(time.Now().UnixMilli())
	return b.post(ctx, "/oserve/v2.4/table/told/record/", object{"group": group, "sent": sent})
}

func (b *bench) measure(ctx context.Context) error {
	if _, err := b.run(ctx, groups, 0); err != nil { // everything is started, every trigger is known
		return err
	}
	well, err := b.run(ctx, paced, pace)
	if err != nil {
		return err
	}
	b.Row("row to receipt, 100 webhooks/s", fmt.Sprintf("%.1f ms", measure.MS(well.P(0.95))), "p95 <= 150 ms",
		fmt.Sprintf("p50 %.1f ms, n %d", measure.MS(well.Median()), len(well)))

	began := time.Now()
	all, err := b.run(ctx, burst, 0)
	if err != nil {
		return err
	}
	took := b.last.Sub(began).Seconds()
	b.Row("webhooks of rows that come at once", fmt.Sprintf("%.0f/s", float64(len(all))/took), ">= 600/s",
		fmt.Sprintf("%d in %.1f s, with the writes", len(all), took))

	b.mu.Lock()
	b.dying = true
	b.mu.Unlock()
	if _, err := b.run(ctx, paced, pace); err != nil { // until everybody knows it
		return err
	}
	ill, err := b.run(ctx, paced, pace)
	if err != nil {
		return err
	}
	b.Row("the others, with 50 of 1,000 dead", fmt.Sprintf("%.1f ms", measure.MS(ill.P(0.95))), "p95 +10 %",
		fmt.Sprintf("p50 %.1f ms, %+.0f %%", measure.MS(ill.Median()), 100*(float64(ill.P(0.95))/float64(well.P(0.95))-1)))
	return nil
}

// run writes rows of all groups in turn and waits for what the living receive of them.
func (b *bench) run(ctx context.Context, n int, pause time.Duration) (measure.Series, error) {
	b.mu.Lock()
	b.received = nil
	b.mu.Unlock()
	want := 0
	for i := range n {
		group := i % groups
		if group >= dead {
			want += each
		}
		began := time.Now()
		if err := b.write(ctx, group); err != nil {
			return nil, err
		}
		time.Sleep(pause - time.Since(began))
	}

	for limit := time.Now().Add(patient); ; time.Sleep(10 * time.Millisecond) {
		b.mu.Lock()
		got := b.received
		b.mu.Unlock()
		switch {
		case len(got) >= want:
			return got[:want:want], nil
		case time.Now().After(limit):
			return nil, fmt.Errorf("%d of %d webhooks came within %v", len(got), want, patient)
		}
	}
}
