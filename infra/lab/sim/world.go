// Package sim runs the platform's real handlers, with the real AWS clients, on a virtual clock (testing/synctest) over
// AWS in memory, and lets everything go wrong: requests and answers get lost, calls are throttled or slow, programs
// die between any two calls, messages and batches come twice, ticks are lost. Queues, the bus and event sources are
// those of the local cloud; the database is package memdb.
//
// Every call that a program makes waits at a gate. When all goroutines wait, the world picks one of the calls by its
// random source, draws its fault, and lets it go on. What a goroutine draws follows from its last call (family). So the
// order of everything follows from the seed, and a seed that fails fails again.
//
//	call      one request of a program to AWS
//	instance  one process of a program; it dies with all it does
//	invoker   Lambda between event sources and instances, and AWS's unkindness towards batches
package sim

import (
	"bytes"
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/bucket"
	"minicloud/infra/local/bus"
	"minicloud/infra/local/gateway"
	"minicloud/infra/local/keys"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/shared/retry"
	"minicloud/shared/trace/logging"
)

// Rates are how many of a thousand calls have each fault.
type Rates struct {
	LostRequest, LostAnswer, Throttled, Slow, DeathBefore, DeathAfter int
	// Doubled is of a thousand messages and batches that were worked on: they come again.
	Doubled int
	// LostTick and DoubledTick are of a thousand ticks.
	LostTick, DoubledTick int
	// Twice is of a thousand messages: two receivers get them at once.
	Twice int
}

// Rough are rates at which every scenario meets several faults.
var Rough = Rates{
	LostRequest: 15, LostAnswer: 15, Throttled: 10, Slow: 20, DeathBefore: 8, DeathAfter: 8,
	Doubled: 60, LostTick: 20, DoubledTick: 40,
}

// World is AWS in memory with the programs that run on it.
type World struct {
	DB     *memdb.DB
	Rates  Rates
	Calls  map[string]int // by program and operation
	Faults map[string]int // calls by their fault, and messages, batches and ticks that came twice or never
	Deaths int
	Log    io.Writer // gets a line for every call and its fault; nil = none
	// MostCalls is how many calls a program may make; then it does nothing any more, and Endless hears of it. Calls take
	// no time, so that a program that goes on for ever would do so for hours of the virtual clock. 0 = any number.
	MostCalls int
	OnEndless func(program, operation string)
	// OnChain hears of messages with a wrong place in their chain.
	OnChain func(problem string)
	// Sent hears of every message as it gets into a queue; nil = nobody listens.
	Sent func(queue, body string)
	// OnCall hears of every call, by its fault; body has sorted members, of is its label. nil = nobody listens.
	OnCall func(fault, program, operation, body, of string)
	// OnDelivery hears of every message that comes in another way than once; nil = nobody listens.
	OnDelivery func(how, queue, body string)
	// Limits are how long an invocation of a program may take; then its process is killed, as Lambda does.
	Limits map[string]time.Duration
	// Sandbox runs what programs invoke; it may take its time. nil = no program invokes anything.
	Sandbox func(ctx context.Context, r lambdahost.Request) (lambdahost.Result, error)
	// Mail gets the requests to SES and SNS, and answers them; nil = no program sends any.
	Mail http.Handler
	// Unkind is what AWS does beside faults; all of it is off in the beginning. Its hits are counted in Faults.
	Unkind *unkind.Switches

	// Shaken lets goroutines that are awake at the same instant go on in any order, as they do on a busy machine.
	Shaken bool

	seed        uint64
	faultRandom Random // faults of calls, and which call is next
	mu          sync.Mutex
	random      io.Reader // rand.Reader without a world
	waiting     []*call
	arrived     chan struct{}
	ctx         context.Context // ends when the world stops
	stop        context.CancelFunc
	running     sync.WaitGroup
	instances   map[string]*Instance
	// environments are those of machines that run a function of the template, by machine.
	environments map[string]map[string]string
	environment  map[string]string // of all functions of the template together
	database     *unkind.Database  // in front of DB
	broker       *queue.Broker
	queues       *queue.API
	logs         map[string][]string // bodies of all messages, by queue
	chains       chains
	bus          *bus.Bus
	keys         *keys.API
	gateway      *gateway.Gateway
	buckets      *bucket.API // nil = the template has none
	objectsDir   string
	notified     string // the bucket with events
	mappings     []*Mapping
	skews        map[string]time.Duration
	exhaustion   map[string]time.Time // when a program has concurrency again
	calls        map[string]int       // by program
	trace        hash.Hash
	steps        int
	ticks        int // schedules
}

// begin is when worlds begin. The clock of a synctest bubble begins in 2000, before the epoch of ids: ids made then
// would be random only, and collide.
var begin = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// New returns a world with the queues, buses and rules of a template, whose random sources follow from the seed. It
// must be made within a synctest bubble.
func New(seed uint64, db *memdb.DB, t *template.Template) *World {
	time.Sleep(time.Until(begin))
	w := &World{
		DB: db, Rates: Rough, Calls: map[string]int{}, Faults: map[string]int{},
		seed: seed, arrived: make(chan struct{}, 1), instances: map[string]*Instance{},
		environments: map[string]map[string]string{}, environment: map[string]string{},
		logs: map[string][]string{}, trace: sha256.New(), Limits: map[string]time.Duration{},
		chains: chains{map[string]string{}, map[string]received{}, map[worked]bool{}},
		skews:  map[string]time.Duration{}, calls: map[string]int{}, exhaustion: map[string]time.Time{},
	}
	for _, f := range t.Functions {
		maps.Copy(w.environment, f.Environment)
	}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.Unkind = unkind.New(nil, w.Random("unkind").Rand, func(k unkind.Kind) { w.Count(string(k)) })
	w.database = unkind.NewDatabase(w.Unkind)
	w.openQueues(t)
	w.openBuckets(t)
	w.keys = &keys.API{Ring: must(keys.New(region, t.Keys)), Count: func(string) {}}
	w.faultRandom = w.Random("fates")
	w.random = cryptorand.Reader
	retry.Jitter, cryptorand.Reader = jitter, families{w.random}
	w.running.Go(w.run)
	return w
}

// Trace is a digest of all calls and faults: the same for the same seed.
func (w *World) Trace() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return hex.EncodeToString(w.trace.Sum(nil))
}

// Steps is how many calls were made.
func (w *World) Steps() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.steps
}

// Stop ends everything that the world runs by itself.
func (w *World) Stop() {
	retry.Jitter, cryptorand.Reader = rand.Int64N, w.random
	w.stop()
	w.running.Wait()
	w.closeBuckets()
}

// call is one request that waits at the gate.
type call struct {
	by        *Instance
	during    *invocation // nil = of none
	service   service
	operation string
	of        string // what it was made for
	message   string // the id of the message that it was made for
	family    string
	goroutine int           // 0 = not asked for
	asked     chan chan int // asks the waiting goroutine for its number
	request   *http.Request
	body      []byte
	sorted    string // the body with sorted members and parts
	answered  chan answer
	step      int // its number; 0 = it waits
}

type answer struct {
	status    int
	header    http.Header
	body      []byte
	err       error
	unreached bool // the request did not get to its service
}

// answer gives the caller its answer.
func (c *call) answer(a answer) { c.answered <- a }

// startedAt returns the number of the call's goroutine; goroutines of a family have numbers in the order of their
// start. It asks the waiting goroutine only when it is called, because finding the number takes a walk through a deep
// stack.
func (c *call) startedAt() int {
	if c.goroutine == 0 {
		reply := make(chan int)
		c.asked <- reply
		c.goroutine = <-reply
	}
	return c.goroutine
}

func (c *call) String() string {
	return fmt.Sprintf("%s %s %s", c.by.Name, c.operation, c.sorted)
}

// gate is the HTTP client of an instance's AWS clients.
type gate struct {
	world    *World
	instance *Instance
}

func bodyOf(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	return io.ReadAll(r.Body)
}

// Do implements the HTTP client of the AWS clients.
func (g *gate) Do(r *http.Request) (*http.Response, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	to, operation := serviceOf(r)
	c := &call{
		by: g.instance, service: to, operation: operation, request: r, body: body, sorted: canonical(body),
		of: Label(r.Context()), message: logging.RequestID(r.Context()), during: invocationOf(r.Context()),
		answered: make(chan answer, 1), family: familyName(), asked: make(chan chan int),
	}
	if b := g.world.buckets; b != nil && b.Serves(r) {
		c.service, c.operation, c.sorted = s3, "S3 "+r.Method, brief(r, body)
	}
	if g.instance.Dead() {
		return nil, errLost
	}
	g.world.shake()
	g.world.arrive(c)

	// Programs ask whether they had a connection, because then a message without an answer may have been sent.
	connected := func() {
		if t := httptrace.ContextClientTrace(r.Context()); t != nil && t.GotConn != nil {
			t.GotConn(httptrace.GotConnInfo{})
		}
	}
	for {
		select {
		case reply := <-c.asked:
			reply <- goroutine()
		case got := <-c.answered:
			g.world.found(fmt.Sprint("call ", c.step))
			if !got.unreached {
				connected()
			}
			if got.err != nil {
				return nil, got.err
			}
			return response(r, got), nil
		case <-r.Context().Done():
			connected()
			g.world.leave(c)
			return nil, r.Context().Err()
		case <-g.instance.ctx.Done(): // also of a call that outlives its request
			g.world.leave(c)
			return nil, errLost
		}
	}
}

func response(r *http.Request, a answer) *http.Response {
	if a.header == nil {
		a.header = http.Header{"Content-Type": {"application/x-amz-json-1.0"}}
	}
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Request: r, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}
}

// canonical writes JSON with sorted members and lists, because clients iterate over maps in any order. It leaves out
// the random names of requests: two requests of the same instant draw them in any order.
func canonical(body []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return string(body)
	}
	return sorted(v)
}

// randomNames are those of transactions and of single writes (dynamo.WriteID).
var randomNames = []string{"ClientRequestToken", ":write", "w0", ":owner", ":by"}

func sorted(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = sorted(element)
		}
		slices.Sort(parts)
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for name, element := range v {
			if slices.Contains(randomNames, name) {
				continue
			}
			parts = append(parts, strconv.Quote(name)+":"+sorted(element))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}

	text, _ := json.Marshal(v) // it was read as JSON
	return string(text)
}

// shake lets some of the other goroutines that are awake go first.
func (w *World) shake() {
	for w.Shaken && rand.IntN(2) == 0 {
		runtime.Gosched()
	}
}

func (w *World) arrive(c *call) {
	w.mu.Lock()
	w.waiting = append(w.waiting, c)
	w.mu.Unlock()
	w.look()
}

// look makes the world look for calls that it can make.
func (w *World) look() {
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

// leave removes a call whose caller has given up.
func (w *World) leave(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = slices.DeleteFunc(w.waiting, func(other *call) bool { return other == c })
}

// run performs calls one at a time, when all goroutines wait.
func (w *World) run() {
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.arrived:
		}

		for {
			synctest.Wait()
			c := w.pick()
			if c == nil {
				break
			}
			w.resolve(c)
		}
	}
}

// pick takes one of the waiting calls. They are sorted, because goroutines arrive in any order.
func (w *World) pick() *call {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ready []*call
	for _, c := range w.waiting {
		if !w.Unkind.On(unkind.Freeze) || !c.during.frozen() {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	slices.SortStableFunc(ready, func(a, b *call) int {
		// Two runs, or messages of a batch, may make the same call, and go on in different ways.
		order := cmp.Or(strings.Compare(a.String(), b.String()), strings.Compare(a.of, b.of),
			strings.Compare(a.message, b.message), strings.Compare(a.family, b.family))
		if order == 0 {
			order = a.startedAt() - b.startedAt()
		}
		return order
	})
	c := ready[w.faultRandom.IntN(len(ready))]
	w.waiting = slices.DeleteFunc(w.waiting, func(other *call) bool { return other == c })
	w.steps++
	c.step = w.steps
	w.Calls[c.by.Program+" "+c.operation]++
	return c
}

// fault is how a call fails.
type fault string

const (
	done        fault = "done"
	lostRequest fault = "request lost"
	lostAnswer  fault = "answer lost"
	throttled   fault = "throttled"
	slow        fault = "slow"
	deathBefore fault = "death before"
	deathAfter  fault = "death after"
)

func (w *World) drawFault() fault {
	n := w.faultRandom.IntN(1000)
	r := w.Rates
	for _, f := range []struct {
		fault fault
		per   int
	}{
		{lostRequest, r.LostRequest}, {lostAnswer, r.LostAnswer}, {throttled, r.Throttled},
		{slow, r.Slow}, {deathBefore, r.DeathBefore}, {deathAfter, r.DeathAfter},
	} {
		if n < f.per {
			return f.fault
		}
		n -= f.per
	}
	return done
}

var errLost = errors.New("connection reset by the simulation")

// isEndless reports whether a call is of a program that calls again and again.
func (w *World) isEndless(c *call) bool {
	w.calls[c.by.Program]++
	n := w.calls[c.by.Program]
	if w.MostCalls > 0 && n == w.MostCalls {
		w.OnEndless(c.by.Program, c.operation)
	}
	return w.MostCalls > 0 && n >= w.MostCalls
}

// resolve performs the call, or lets it fail.
func (w *World) resolve(c *call) {
	if w.isEndless(c) {
		w.Kill(c.by)
		return
	}
	f := w.drawFault()
	w.Count(string(f))
	w.note("%s %s %s", time.Now().UTC().Format(time.RFC3339Nano), f, c)
	if w.OnCall != nil {
		w.OnCall(string(f), c.by.Program, c.operation, c.sorted, c.of)
	}

	switch f {
	case lostRequest:
		c.answered <- answer{err: errLost, unreached: true}
	case throttled:
		c.answered <- w.throttle(c)
	case slow:
		// Other calls go on meanwhile; this one is performed later, unless its caller has given up.
		late := w.faultRandom.Jitter(time.Duration(w.faultRandom.IntN(3000)) * time.Millisecond)
		w.running.Go(func() {
			time.Sleep(late)
			if !c.by.dead.Load() {
				w.perform(c, c.answer)
			}
		})
	case deathBefore:
		w.Kill(c.by)
	case deathAfter:
		w.perform(c, func(answer) {})
		w.Kill(c.by)
	case lostAnswer:
		w.perform(c, func(answer) { c.answer(answer{err: errLost}) })
	default:
		w.do(c)
	}
}

// Count counts a fault.
func (w *World) Count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Faults[what]++
}

// note adds to the trace.
func (w *World) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w.trace, format+"\n", args...)
	if w.Log != nil {
		fmt.Fprintf(w.Log, format+"\n", args...)
	}
}
