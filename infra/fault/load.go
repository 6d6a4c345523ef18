package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// accepted is a job that the platform said it has.
type accepted struct {
	id    string
	sync  bool // it also said how the job ended: fulfilled
	runAt time.Time
}

// load runs functions from several clients until the context ends.
type load struct {
	app     *Application
	witness string

	mu       sync.Mutex
	accepted []accepted
}

// The clients of a load, and how long their runs and their pauses last at most.
const (
	syncClients  = 3
	asyncClients = 2
	shortRun     = 150 * time.Millisecond
	longRun      = 800 * time.Millisecond // one run in eight
	asyncPause   = 120 * time.Millisecond
	delayedEvery = 400 * time.Millisecond
	maxDelay     = 2 * time.Second
)

// run returns when every client has its last answer.
func (l *load) run(ctx context.Context, seed uint64) {
	var clients sync.WaitGroup
	client := func(n uint64, once func(*rand.Rand) error) {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(seed, n))
			for ctx.Err() == nil {
				if once(random) != nil { // refused, cut off: it was not accepted
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	for n := range uint64(syncClients) {
		client(n, l.sync)
	}
	for n := range uint64(asyncClients) {
		client(100+n, func(random *rand.Rand) error {
			time.Sleep(upTo(random, asyncPause))
			return l.async(random, time.Time{})
		})
	}
	client(200, func(random *rand.Rand) error {
		time.Sleep(delayedEvery)
		return l.async(random, time.Now().Add(time.Second+upTo(random, maxDelay-time.Second)))
	})
	clients.Wait()
}

// data is the input of a run that takes so long.
func (l *load) data(lasting time.Duration) map[string]any {
	return map[string]any{"witness": l.witness, "table": l.app.table, "ms": lasting.Milliseconds()}
}

func some(random *rand.Rand) time.Duration {
	if random.IntN(8) == 0 {
		return upTo(random, longRun)
	}
	return upTo(random, shortRun)
}

// path runs the function of the load (endpoint 4).
const path = "/oserve/v1.3/cloud-function/" + functionName + "/job/"

func (l *load) sync(random *rand.Rand) error {
	var answer struct {
		Code int    `json:"code"`
		Data string `json:"data"`
	}
	// The last answers are waited for: the load's context only ends the loop.
	err := l.app.call(context.Background(), "POST", path, map[string]any{"data": l.data(some(random))}, &answer)
	if err == nil && answer.Code == 0 {
		l.note(accepted{id: answer.Data, sync: true})
	}
	return err
}

func (l *load) async(random *rand.Rand, runAt time.Time) error {
	return l.start(l.data(some(random)), runAt)
}

// start starts an asynchronous run; the zero runAt is at once.
func (l *load) start(data map[string]any, runAt time.Time) error {
	body := map[string]any{"data": data, "sync": false}
	if !runAt.IsZero() {
		body["run_at"] = runAt.Unix()
	}
	var answer struct {
		Status string `json:"status"`
		Job    int64  `json:"job_id"`
	}
	err := l.app.call(context.Background(), "POST", path, body, &answer)
	if err == nil && (answer.Status != "ok" || answer.Job == 0) {
		err = fmt.Errorf("accepted without an id: %+v", answer)
	}
	if err == nil {
		l.note(accepted{id: strconv.FormatInt(answer.Job, 10), runAt: runAt})
	}
	return err
}

func (l *load) note(a accepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, a)
}

func upTo(random *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(d)))
}
