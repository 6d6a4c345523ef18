package bench

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/infra/local/cloud"
)

// A group is one trigger on the rows of its group. Each of its webhooks goes to its own host; all hosts share one
// port. When the receivers die, the first receiver of each of the last 50 groups dies: 50 of the 1,000 receivers of a
// round.
const (
	half    = 50
	round   = 2 * half
	groups  = 3 * half
	hooks   = 10 // webhooks per trigger
	patient = 2 * time.Minute
)

// standIns and withDead return the group of the i-th row of a round. Half of the groups are in both; the other half
// are live groups in standIns and groups with a dead receiver in withDead.
func standIns(i int) int { return i%2*half + i%round/2 }
func withDead(i int) int { return i%2*2*half + i%round/2 }

// sentAt returns the time in the column "sent" of the row that a webhook carries (milliseconds), or the zero time if
// there is none.
func sentAt(r *http.Request) time.Time {
	body, _ := io.ReadAll(r.Body)
	var claims struct{ Sent float64 }
	if parts := strings.Split(string(body), "."); len(parts) == 3 {
		text, _ := base64.RawURLEncoding.DecodeString(parts[1])
		_ = json.Unmarshal(text, &claims)
	}
	if claims.Sent == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(claims.Sent))
}

// receivers is the HTTP server of the webhooks. It measures all receivers but the first of each group, so every round
// measures the same number.
type receivers struct {
	mu       sync.Mutex
	dying    bool
	received series // time from the write of the row to the receipt
	last     time.Time
}

// ServeHTTP records how long ago the row was written. Dead receivers accept the request and never answer.
func (r *receivers) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	sent, at := sentAt(req), time.Now()
	var group, host int
	_, _ = fmt.Sscanf(req.Host, "127.1.%d.%d:", &group, &host)

	r.mu.Lock()
	dead := r.dying && group >= 2*half && host == 1
	if host > 1 && !sent.IsZero() {
		r.received = append(r.received, at.Sub(sent))
		r.last = at
	}
	r.mu.Unlock()
	if dead {
		<-req.Context().Done()
	}
}

// BenchmarkWebhooks measures the time from the write of a row to the receipt of its webhooks: 600 webhooks a second
// for rows written at once, p95 ≤ 150 ms at 100 and 200 a second, and at most 10 % more for the other receivers when
// 50 of 1,000 are dead.
func BenchmarkWebhooks(b *testing.B) {
	p := start(b, func(cfg *cloud.Config) {
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // receivers are on loopback
	})
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	must(b, err)
	r := &receivers{}
	server := &http.Server{Handler: r}
	go func() { _ = server.Serve(l) }()
	defer server.Close()

	p.makeTable(b, "told", "group integer", "sent number")
	for g := range groups {
		var actions []object
		for n := range hooks {
			url := fmt.Sprintf("http://127.1.%d.%d:%d/", g, n+1, l.Addr().(*net.TCPAddr).Port)
			actions = append(actions, object{"type": "webhook", "settings": object{"url": url}})
		}
		p.call(b, "POST", triggersPath, object{
			"name": fmt.Sprint("group ", g), "type": "table", "trace": false, "actions": actions,
			"condition": onRow("told", object{"field": "group", "operator": "=", "value": g}),
		}, nil)
	}
	tell := func(b *testing.B, n int, pause time.Duration, group func(int) int) series {
		return p.tell(b, r, n, pause, group)
	}

	const burst = 4 * round
	for range 2 { // starts all programs and caches all triggers
		tell(b, burst, 0, standIns)
	}
	b.Run("at_once", func(b *testing.B) { once(b, func() { p.burst(b, r, burst) }) })
	for _, rate := range []int{100, 200} {
		b.Run(fmt.Sprint(rate, "_a_second"), func(b *testing.B) {
			once(b, func() { report(b, "", tell(b, 2*round, hooks*time.Second/time.Duration(rate), standIns)) })
		})
	}

	// Rounds with and without dead receivers alternate, because the speed of the machine varies over time.
	b.Run("beside_dead_receivers", func(b *testing.B) {
		once(b, func() {
			const pace = 100 * time.Millisecond
			r.mu.Lock()
			r.dying = true
			r.mu.Unlock()
			report(b, "while-they-die", tell(b, round, pace, withDead))
			tell(b, round, pace, withDead) // until all circuit breakers are open

			var well, ill series
			for range 4 {
				well = append(well, tell(b, round, pace, standIns)...)
				ill = append(ill, tell(b, round, pace, withDead)...)
			}
			report(b, "without", well)
			report(b, "with", ill)
			b.ReportMetric(100*(float64(ill.p(0.95))/float64(well.p(0.95))-1), "p95-percent-more")
		})
	})
}

// burst reports how many webhooks a second are delivered for rows written at once, and where the time goes. In the
// cloud the programs share no processor with their database, so it also reports the rate that two otherwise idle
// processors would reach with our code alone.
func (p *platform) burst(b *testing.B, r *receivers, rows int) {
	const actionrunner = "ActionrunnerFunction"
	programs := []string{"actionrunner", "recordtrigger", "table", "dynoxide", ""}
	used := map[string]time.Duration{}
	for _, name := range programs {
		used[name] = processor(name)
	}
	before, began := p.Stats(), time.Now()
	p.tell(b, r, rows, 0, standIns)
	took := r.last.Sub(began)
	must(b, p.Drain(b.Context()))

	n := float64(rows * hooks)
	b.ReportMetric(n/took.Seconds(), "webhooks/s")
	ours := 0.0
	for i, name := range programs {
		each := ms(processor(name)-used[name]) / n
		if i < 3 {
			ours += each
		}
		if name == "" {
			name = "everything"
		}
		b.ReportMetric(each, name+"-cpu-ms/op")
	}
	b.ReportMetric(2000/ours, "webhooks/s-of-2-processors")
	after := p.Stats()
	b.ReportMetric(n/float64(after.Invoke[actionrunner]-before.Invoke[actionrunner]), "webhooks/invocation")
	b.ReportMetric(float64(after.Billed[actionrunner]-before.Billed[actionrunner])/n, "billed-ms/op")
	p.cost(b, before, int(n))
}

// tell writes n rows to the given groups, with pauses between them, and waits for the webhooks of the measured
// receivers.
func (p *platform) tell(b *testing.B, r *receivers, n int, pause time.Duration, group func(int) int) series {
	r.mu.Lock()
	r.received = nil
	r.mu.Unlock()
	var writers errgroup.Group
	writers.SetLimit(2)
	for i := range n {
		began := time.Now()
		writers.Go(func() error {
			row := object{"group": group(i), "sent": float64(time.Now().UnixMilli())}
			return p.send(b.Context(), "POST", fmt.Sprintf(rowsPath, "told"), row, nil)
		})
		time.Sleep(pause - time.Since(began))
	}
	must(b, writers.Wait())

	want := n * (hooks - 1)
	for limit := time.Now().Add(patient); ; time.Sleep(10 * time.Millisecond) {
		r.mu.Lock()
		got := r.received
		r.mu.Unlock()
		if len(got) >= want {
			return got[:want:want]
		}
		if time.Now().After(limit) {
			b.Fatalf("%d of %d webhooks came within %v", len(got), want, patient)
		}
	}
}
