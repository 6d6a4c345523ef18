// Package actions measures webhooks on a local cloud with the real programs: how long from the write of a row to the
// receipt, how many a second beside what the local cloud could do without our code, and what dead receivers do to the
// others.
package actions

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/cloud"
)

// A group is a trigger that waits for the rows of its group. Each of its webhooks goes to a host of its own.
//
//	plain     half of what a round tells
//	standIn   the other half, in rounds without dead receivers
//	withDead  the other half, in rounds with them: the first receiver of each group is dead, 50 of 1,000
const (
	half    = 50
	round   = 2 * half
	groups  = 3 * half
	each    = 10 // webhooks of a trigger
	pace    = 100 * time.Millisecond
	pairs   = 4 // of rounds without dead receivers and with them
	burst   = 4 // rounds whose rows come at once
	atOnce  = 2 // that write them
	patient = 2 * time.Minute
)

// standIns and withDead are the groups of a round in the order they are told.
func standIns(i int) int { return i%2*half + i%round/2 }
func withDead(i int) int { return i%2*2*half + i%round/2 }

// isDead tells which receivers die, and isMeasured whose deliveries count: those of which each round has as many.
func isDead(group, number int) bool { return group >= 2*half && !isMeasured(number) }
func isMeasured(number int) bool    { return number > 0 }

type object = map[string]any

// bench is a cloud and its receivers.
type bench struct {
	measure.Report
	cloud  *cloud.Cloud
	client *api.Client

	mu       sync.Mutex
	dying    bool
	received measure.Series
	last     time.Time
}

// Run prints the figures.
func Run(ctx context.Context, r measure.Report) error {
	c, client, stop, err := api.Platform(ctx, func(cfg *cloud.Config) {
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // receivers are on loopback
	})
	if err != nil {
		return err
	}
	defer stop()

	b := &bench{Report: r, cloud: c, client: client}
	port, end, err := b.listen()
	if err != nil {
		return err
	}
	defer end()
	if err := b.plant(ctx, port); err != nil {
		return err
	}
	if err := b.rate(ctx, port); err != nil {
		return err
	}
	return b.beside(ctx)
}

// address is where a receiver listens: all at one port, each as a host of its own.
func address(group, number, port int) string {
	return fmt.Sprintf("127.1.%d.%d:%d", group, number+1, port)
}

// listen serves all receivers.
func (b *bench) listen() (port int, end func(), err error) {
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		return 0, nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(b.receive)}
	go func() { _ = server.Serve(l) }()
	return l.Addr().(*net.TCPAddr).Port, func() { _ = server.Close() }, nil
}

// receive notes how long ago the row was written. Receivers that have died take requests and do not answer.
func (b *bench) receive(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	at := time.Now()
	var claims struct {
		Sent float64 `json:"sent"`
	}
	if parts := strings.Split(string(body), "."); len(parts) == 3 {
		text, _ := base64.RawURLEncoding.DecodeString(parts[1])
		_ = json.Unmarshal(text, &claims)
	}
	var group, number int
	_, _ = fmt.Sscanf(r.Host, "127.1.%d.%d:", &group, &number)
	number--

	b.mu.Lock()
	dying := b.dying && isDead(group, number)
	if isMeasured(number) && claims.Sent > 0 {
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
			url := "http://" + address(g, n, port) + "/"
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

// rate prints how many a second are delivered, and what takes the time.
func (b *bench) rate(ctx context.Context, port int) error {
	for range 2 { // everything is started, every trigger is known
		if _, err := b.run(ctx, burst*round, 0, standIns); err != nil {
			return err
		}
	}
	if err := b.floor(ctx, port); err != nil {
		return err
	}

	before, used := b.cloud.Stats(), processors()
	began := time.Now()
	all, err := b.run(ctx, burst*round, 0, standIns)
	if err != nil {
		return err
	}
	took := b.last.Sub(began).Seconds()
	if err := b.cloud.Drain(ctx); err != nil {
		return err
	}

	deliveries := burst * round * each
	b.Row("webhooks of rows that come at once", fmt.Sprintf("%.0f/s", float64(deliveries)/took), ">= 600/s", fmt.Sprintf(
		"%d in %.1f s, with the writes of %d rows; p95 %.0f ms", deliveries, took, burst*round, measure.MS(all.P(0.95)),
	))
	b.shares(processors().since(used, deliveries))
	after := b.cloud.Stats()
	b.Row("  DynamoDB calls each", api.Calls(before, after, deliveries), "", "with those of the rows")
	batches := after.Invoke[actionrunner] - before.Invoke[actionrunner]
	billed := float64(after.Billed[actionrunner]-before.Billed[actionrunner]) / float64(deliveries)
	b.Row("  deliveries of an invocation", fmt.Sprintf("%.1f", float64(deliveries)/float64(batches)), "",
		fmt.Sprintf("at most 10; billed %.1f ms each", billed))

	steady, err := b.run(ctx, 2*round, pace/2, standIns)
	if err != nil {
		return err
	}
	b.latency("row to receipt, 200 webhooks/s", steady, "p95 <= 150 ms", "")
	return nil
}

// actionrunner is the function that delivers.
const actionrunner = "ActionrunnerFunction"

// ours are the programs that take part in a delivery.
var ours = []string{"actionrunner", "recordtrigger", "table"}

// usage is processor time by program; "" is all, with this process: the local cloud, the receivers, and who writes.
type usage map[string]time.Duration

func processors() usage {
	u := usage{"": measure.Processor(""), dynoxide: measure.Processor(dynoxide)}
	for _, p := range ours {
		u[p] = measure.Processor(p)
	}
	return u
}

// since is the processor time of each of n.
func (u usage) since(before usage, n int) usage {
	each := usage{}
	for p := range u {
		each[p] = (u[p] - before[p]) / time.Duration(n)
	}
	return each
}

// shares prints whose processor time a delivery takes. Programs in the cloud share no processor with their database:
// what two would deliver that had nothing else to do is what our code can do.
func (b *bench) shares(each usage) {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f", measure.MS(d)) }
	var mine time.Duration
	var parts []string
	for _, p := range ours {
		mine += each[p]
		parts = append(parts, p+" "+ms(each[p]))
	}
	b.Row("  processor time each", ms(each[""])+" ms", "", fmt.Sprintf(
		"our programs %s (%s), the local database %s, the local cloud and receivers %s", ms(mine),
		strings.Join(parts, ", "), ms(each[dynoxide]), ms(each[""]-mine-each[dynoxide]),
	))
	b.Row("  two processors for our programs alone", fmt.Sprintf("%.0f/s", 2/mine.Seconds()), ">= 600/s", "by that time")
}

// latency prints how long it took from row to receipt.
func (b *bench) latency(what string, s measure.Series, bound, remark string) {
	b.Row(what, fmt.Sprintf("%.1f ms", measure.MS(s.P(0.95))), bound, fmt.Sprintf(
		"p50 %.1f ms, p99 %.1f ms, n %d%s", measure.MS(s.Median()), measure.MS(s.P(0.99)), len(s), remark,
	))
}

// beside prints what dead receivers do to the others. Rounds with them and without take turns, in an order in which
// neither is always first: a machine is not as fast at all times. What is due again of dead receivers comes in both; so
// the rounds before anybody died are there to compare, too.
func (b *bench) beside(ctx context.Context) error {
	var before, well, ill measure.Series
	for range 2 {
		s, err := b.run(ctx, round, pace, standIns)
		if err != nil {
			return err
		}
		before = append(before, s...)
	}
	b.latency("row to receipt, 100 webhooks/s", before, "p95 <= 150 ms", "")

	b.mu.Lock()
	b.dying = true
	b.mu.Unlock()
	died, err := b.run(ctx, round, pace, withDead)
	if err != nil {
		return err
	}
	b.latency("the others, while 50 of 1,000 die", died, "", "")
	if _, err := b.run(ctx, round, pace, withDead); err != nil { // until everybody knows it
		return err
	}

	var ratios []float64
	for pair := range pairs {
		rounds := []func(int) int{standIns, withDead}
		if pair%2 == 1 {
			slices.Reverse(rounds)
		}

		var both [2]measure.Series
		for i, groups := range rounds {
			s, err := b.run(ctx, round, pace, groups)
			if err != nil {
				return err
			}
			both[(i+pair)%2] = s
		}
		well, ill = append(well, both[0]...), append(ill, both[1]...)
		ratios = append(ratios, float64(both[1].P(0.95))/float64(both[0].P(0.95)))
	}

	slices.Sort(ratios)
	b.latency("the others, without those that are dead", well, "", "")
	b.latency("the others, with 50 of 1,000 dead", ill, "p95 +10 %", fmt.Sprintf(
		", %+.0f %%; single rounds %+.0f to %+.0f %%", 100*(float64(ill.P(0.95))/float64(well.P(0.95))-1),
		100*(ratios[0]-1), 100*(ratios[pairs-1]-1),
	))
	return nil
}

// run writes n rows, of one group after the other, and waits for what the measured ones receive of them.
func (b *bench) run(ctx context.Context, n int, pause time.Duration, group func(int) int) (measure.Series, error) {
	b.mu.Lock()
	b.received = nil
	b.mu.Unlock()
	want := n * (each - 1)
	writers, writing := errgroup.WithContext(ctx)
	writers.SetLimit(atOnce)
	for i := range n {
		began := time.Now()
		writers.Go(func() error { return b.write(writing, group(i)) })
		time.Sleep(pause - time.Since(began))
	}
	if err := writers.Wait(); err != nil {
		return nil, err
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
