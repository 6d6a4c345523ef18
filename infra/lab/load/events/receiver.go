package events

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
)

// reaction is the receiver's answer to the first delivery of a webhook. It accepts repetitions at once.
type reaction int

const (
	accept   reaction = iota
	delay             // accepts after a while
	fail              // 500
	reset             // resets the connection
	throttle          // 429 with Retry-After
	silence           // does not answer in time
)

// reactions lists the probability of each reaction, in percent.
var reactions = []struct {
	reaction
	percent int
}{{delay, 6}, {fail, 6}, {reset, 5}, {throttle, 6}, {silence, 1}, {accept, 76}}

// arrival is a received webhook.
type arrival struct {
	line    string // the last segment of its path
	action  string // X-Service-Webhook-Action-Id
	marks   []string
	row     string
	version int
	at      time.Time
	taken   bool // answered 2xx before the sender gave up
}

// receiver is a webhook server on loopback that verifies signatures and records deliveries.
type receiver struct {
	*httptest.Server
	hurried bool // delays are short, and every request is answered

	mu     sync.Mutex
	random *rand.Rand
	resets int
	keys   map[string]string // by line
	all    []arrival
	wrong  []string
}

// newReceiver starts a receiver. The caller must close it.
func newReceiver(random *rand.Rand, hurried bool) *receiver {
	r := &receiver{random: random, hurried: hurried, keys: map[string]string{}}
	r.Server = httptest.NewServer(r)
	return r
}

// address returns the webhook URL of a line.
func (r *receiver) address(line string) string {
	return r.URL + "/" + strings.ReplaceAll(line, " ", "-")
}

// trust sets the key that signs the webhooks of a line.
func (r *receiver) trust(line, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys[line] = key
}

// content is the claims of a webhook: one row, or the events of a batch.
type content struct {
	Note    string    `json:"note"`
	ID      string    `json:"id"`
	Version int       `json:"_version"`
	Events  []content `json:"events"`
}

// ServeHTTP records a webhook on arrival, and then whether it was accepted.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	a := arrival{
		line: strings.ReplaceAll(path.Base(req.URL.Path), "-", " "), at: time.Now(),
		action: req.Header.Get("X-Service-Webhook-Action-Id"),
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender died
	}
	c, err := r.open(a.line, string(body))
	if err != nil || a.action == "" {
		r.mu.Lock()
		r.wrong = append(r.wrong, fmt.Sprintf("%s got an invalid webhook %q: %v", a.line, a.action, err))
		r.mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
		return
	}

	a.row, a.version = c.ID, c.Version
	for _, one := range append(c.Events, c) {
		if one.Note != "" {
			a.marks = append(a.marks, one.Note)
		}
	}
	place, how := r.note(a)
	if how == delay {
		time.Sleep(map[bool]time.Duration{true: 300 * time.Millisecond, false: 1500 * time.Millisecond}[r.hurried])
	}
	if how == accept || how == delay { // the sender may have died, which the context shows, or given up
		r.mu.Lock()
		r.all[place].taken = req.Context().Err() == nil && time.Since(a.at) < answerTime
		r.mu.Unlock()
	}
	answer(w, req, how)
}

// answerTime is the time that a sender waits for an answer, less a margin.
const answerTime = 4 * time.Second

// open verifies the signature of a token and decodes its claims.
func (r *receiver) open(line, token string) (c content, err error) {
	r.mu.Lock()
	key := r.keys[line]
	r.mu.Unlock()

	claims, err := client.Claims(token, key)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(claims, &c)
}

// note records an arrival and draws a reaction for a new action id.
func (r *receiver) note(a arrival) (place int, how reaction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := slices.ContainsFunc(r.all, func(b arrival) bool { return b.action == a.action })
	r.all = append(r.all, a)
	if seen {
		return len(r.all) - 1, accept
	}

	n := r.random.IntN(100)
	for _, one := range reactions {
		if how = one.reaction; n < one.percent {
			break
		}
		n -= one.percent
	}
	if r.hurried && (how == silence || how == reset && r.resets == 2) {
		how = delay // a third reset would open the circuit breaker, for longer than a hurried load waits
	}
	if how == reset {
		r.resets++
	}
	return len(r.all) - 1, how
}

func answer(w http.ResponseWriter, req *http.Request, how reaction) {
	switch how {
	case fail:
		w.WriteHeader(http.StatusInternalServerError)
	case throttle:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	case silence:
		select {
		case <-req.Context().Done():
		case <-time.After(2 * answerTime):
		}
	case reset:
		if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = connection.(*net.TCPConn).SetLinger(0)
			connection.Close()
		}
	default:
		_, _ = io.WriteString(w, "taken")
	}
}

// arrivals returns the webhooks of a line in order of arrival.
func (r *receiver) arrivals(line string) (of []arrival) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.all {
		if a.line == line {
			of = append(of, a)
		}
	}
	return of
}

// invalid returns the requests that were not valid webhooks.
func (r *receiver) invalid() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.wrong)
}
