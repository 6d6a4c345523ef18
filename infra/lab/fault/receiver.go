package fault

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
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
)

// mood is how a receiver takes a webhook that it has not seen before; what it has seen it takes at once.
type mood int

const (
	fine   mood = iota
	slow        // it takes its time
	failed      // 500
	broken      // the connection is reset
	busy        // 429 with Retry-After
	silent      // no answer comes in time
)

// moods are how often each comes, of a hundred.
var moods = []struct {
	mood
	percent int
}{{slow, 6}, {failed, 6}, {broken, 5}, {busy, 6}, {silent, 1}, {fine, 76}}

// arrival is a webhook that came.
type arrival struct {
	line    string // the last part of its path
	action  string // X-Service-Webhook-Action-Id
	marks   []string
	row     string
	version int
	at      time.Time
	taken   bool // 2xx, and the caller was still there
}

// Receiver takes webhooks on loopback. It outlives everybody, checks what it gets as a stranger would, and counts.
type Receiver struct {
	server *httptest.Server
	quick  bool // slow is not as slow, and nobody is silent

	mu     sync.Mutex
	random *rand.Rand
	resets int
	keys   map[string]string // by line
	all    []arrival
	wrong  []string
}

// NewReceiver starts a receiver. Close it.
func NewReceiver(random *rand.Rand, quick bool) *Receiver {
	r := &Receiver{random: random, quick: quick, keys: map[string]string{}}
	r.server = httptest.NewServer(r)
	return r
}

// URL is where a line's webhooks go.
func (r *Receiver) URL(line string) string {
	return r.server.URL + "/" + strings.ReplaceAll(line, " ", "-")
}

// Trust gives the key that a line's webhooks are signed with.
func (r *Receiver) Trust(line, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys[line] = key
}

// Close ends the receiver, and does not wait for who is still connected.
func (r *Receiver) Close() {
	r.server.CloseClientConnections()
	r.server.Close()
}

// content is what the claims of a webhook say: a row, or several of a batch.
type content struct {
	Mark    string    `json:"mark"`
	ID      string    `json:"id"`
	Version int       `json:"_version"`
	Events  []content `json:"events"`
}

// ServeHTTP notes a webhook when it comes, and whether it is taken.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	a := arrival{
		line: strings.ReplaceAll(path.Base(req.URL.Path), "-", " "), at: time.Now(),
		action: req.Header.Get("X-Service-Webhook-Action-Id"),
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // its sender died
	}
	c, err := r.open(a.line, string(body))
	if err != nil || a.action == "" {
		r.mu.Lock()
		r.wrong = append(r.wrong, fmt.Sprintf("%s got a webhook %q that is none: %v", a.line, a.action, err))
		r.mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
		return
	}

	a.row, a.version = c.ID, c.Version
	for _, one := range append(c.Events, c) {
		if one.Mark != "" {
			a.marks = append(a.marks, one.Mark)
		}
	}
	place, m := r.note(a)
	if m == slow {
		time.Sleep(r.slowness())
	}
	if m == fine || m == slow { // its sender may still die, which is seen, or has given up
		r.mu.Lock()
		r.all[place].taken = req.Context().Err() == nil && time.Since(a.at) < answerTime
		r.mu.Unlock()
	}
	r.answer(w, req, m)
}

func (r *Receiver) slowness() time.Duration {
	if r.quick {
		return 300 * time.Millisecond
	}
	return 1500 * time.Millisecond
}

// answerTime is how long a sender waits, with some room.
const answerTime = 4 * time.Second

// open checks the signature of a token, and reads its claims.
func (r *Receiver) open(line, token string) (c content, err error) {
	r.mu.Lock()
	key := r.keys[line]
	r.mu.Unlock()

	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c, fmt.Errorf("%d parts", len(parts))
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(parts[0] + "." + parts[1]))
	if signature, err := base64.RawURLEncoding.DecodeString(parts[2]); err != nil || !hmac.Equal(signature, mac.Sum(nil)) {
		return c, fmt.Errorf("the signature is wrong")
	}

	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(claims, &c)
}

// note keeps an arrival, and draws a mood for one that is new.
func (r *Receiver) note(a arrival) (place int, m mood) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := slices.ContainsFunc(r.all, func(b arrival) bool { return b.action == a.action })
	r.all = append(r.all, a)
	if seen {
		return len(r.all) - 1, fine
	}

	n := r.random.IntN(100)
	for _, one := range moods {
		if m = one.mood; n < one.percent {
			break
		}
		n -= one.percent
	}
	if r.quick && (m == silent || m == broken && r.resets == 2) {
		m = slow // a third would open the circuit, for longer than a hurried load waits
	}
	if m == broken {
		r.resets++
	}
	return len(r.all) - 1, m
}

func (r *Receiver) answer(w http.ResponseWriter, req *http.Request, m mood) {
	switch m {
	case failed:
		w.WriteHeader(http.StatusInternalServerError)
	case busy:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	case silent:
		select {
		case <-req.Context().Done():
		case <-time.After(2 * answerTime):
		}
	case broken:
		if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = connection.(*net.TCPConn).SetLinger(0)
			connection.Close()
		}
	default:
		_, _ = io.WriteString(w, "taken")
	}
}

// Arrivals are those of a line, in the order in which they came.
func (r *Receiver) Arrivals(line string) (of []arrival) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.all {
		if a.line == line {
			of = append(of, a)
		}
	}
	return of
}

// Wrong is what came and was no webhook.
func (r *Receiver) Wrong() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.wrong)
}
