package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/id"
)

// Pace says how long the runs of a load take.
type Pace struct {
	Run   time.Duration // one run in eight, at most; the others take a fifth of it
	Delay time.Duration // the longest until a delayed run may begin
	Real  bool          // nothing is hurried, so lateness counts
}

// The ledgers of runs. A mark begins with its ledger.
const (
	syncRuns    = "sync runs"
	asyncRuns   = "async runs"
	keyedSyncs  = "keyed sync runs"
	keyedAsyncs = "keyed async runs"
	delayedRuns = "delayed runs"
	cancelled   = "cancellations"
	lostWorkers = "lost workers"
)

// runs is the load of functions that run, and what its clients know of them.
type runs struct {
	app      *Application
	platform *Platform
	pace     Pace
	function id.ID
	table    int64
	next     atomic.Int64 // numbers marks

	mu       sync.Mutex
	accepted []accepted
	tried    map[string][]promise.Need // unkeyed ones, by ledger
	keyed    map[string][]effect       // by ledger
	cancels  []cancellation
}

// accepted is a job that the platform said it has.
type accepted struct {
	id     string
	ledger string
	runAt  time.Time
	data   string // what a synchronous run answered: fulfilled
}

// cancellation is a delayed job that was to be cancelled.
type cancellation struct {
	job   string
	known promise.Need
	// after is set when an earlier try was cut off: the job may be cancelled
	// although the last answer refused.
	after bool
}

// functionName is the function that the load runs.
const functionName = "witnessed"

// code tells the witness first, counts its run in a table, then takes its time.
// Where the table cannot be reached the run fails.
const code = `exports.main = async (event) => {
  const { witness, mark, table, ms } = event.data;
  const said = '?job=' + event.jobId + '&mark=' + encodeURIComponent(mark);
  await BaaS.request({ url: witness + said, method: 'POST', data: {} });

  const run = new BaaS.TableObject(table).create();
  run.set({ job: event.jobId });
  await run.save();

  await new Promise((done) => setTimeout(done, ms));
  return event.jobId;
}`

// runPath runs the function of the load (endpoint 4).
const runPath = "/oserve/v1.3/cloud-function/" + functionName + "/job/"

func (l *runs) plant(ctx context.Context) error {
	l.tried, l.keyed = map[string][]promise.Need{}, map[string][]effect{}

	var made struct {
		ID int64 `json:"id"`
	}
	body := map[string]any{"name": functionName, "function_code": code}
	if err := l.app.call(ctx, "POST", "/oserve/v1.3/cloud-function/", body, &made); err != nil {
		return err
	}
	l.function = id.ID(made.ID)

	var err error
	l.table, err = l.app.makeTable(ctx, "runs", column{"job", "string", false})
	return err
}

func (l *runs) clients() []client {
	return []client{
		{30 * time.Millisecond, l.sync},
		{30 * time.Millisecond, l.sync},
		{150 * time.Millisecond, func(random *rand.Rand) { l.async(random, asyncRuns, time.Time{}) }},
		{100 * time.Millisecond, l.syncAgain},
		{150 * time.Millisecond, l.asyncAgain},
		{400 * time.Millisecond, func(random *rand.Rand) { l.async(random, delayedRuns, l.later(random, 0)) }},
		{500 * time.Millisecond, l.cancel},
	}
}

// later is when a delayed run may begin: not within the first second.
func (l *runs) later(random *rand.Rand, atLeast time.Duration) time.Time {
	return time.Now().Add(atLeast + time.Second + upTo(random, l.pace.Delay-time.Second))
}

// data is the input of the next run of a ledger.
func (l *runs) data(random *rand.Rand, ledger string) map[string]any {
	lasting := upTo(random, l.pace.Run/5)
	if random.IntN(8) == 0 {
		lasting = upTo(random, l.pace.Run)
	}
	return l.lasting(ledger, lasting)
}

func (l *runs) lasting(ledger string, d time.Duration) map[string]any {
	mark := fmt.Sprintf("%s/%d", ledger, l.next.Add(1))
	return map[string]any{"witness": l.app.witness.URL(), "mark": mark, "table": l.table, "ms": d.Milliseconds()}
}

// sync runs the function and waits for what it gives.
func (l *runs) sync(random *rand.Rand) {
	var answer struct {
		Code int    `json:"code"`
		Data string `json:"data"`
	}
	// Context of its own: the end of the load waits for the last answers.
	body := map[string]any{"data": l.data(random, syncRuns)}
	r := l.app.send(context.Background(), request{method: "POST", path: runPath, body: body})

	known := r.known()
	if r.decode(&answer) == nil && answer.Code == 0 {
		l.accept(accepted{id: answer.Data, ledger: syncRuns, data: answer.Data})
	} else if known == acknowledged {
		known = unknown // the run failed, and the answer does not say which it was
	}
	l.try(syncRuns, known)
}

// async starts a run; the zero runAt is at once. It returns the job, "" when it is
// not known.
func (l *runs) async(random *rand.Rand, ledger string, runAt time.Time) string {
	body := map[string]any{"data": l.data(random, ledger), "sync": false}
	if !runAt.IsZero() {
		body["run_at"] = runAt.Unix()
	}
	r := l.app.send(context.Background(), request{method: "POST", path: runPath, body: body})
	job := started(r)

	l.try(ledger, r.known())
	if job != "" {
		l.accept(accepted{id: job, ledger: ledger, runAt: runAt})
	}
	return job
}

// started reads the answer to an asynchronous run.
func started(r reply) (job string) {
	var answer struct {
		Job json.Number `json:"job_id"`
	}
	if r.decode(&answer) != nil {
		return ""
	}
	return answer.Job.String()
}

// syncAgain runs the function with a key until that is answered, be it that the
// run failed because its worker died.
func (l *runs) syncAgain(random *rand.Rand) {
	data := l.data(random, keyedSyncs)
	_, e := l.app.repeat(random, request{
		method: "POST", path: runPath, key: data["mark"].(string), body: map[string]any{"data": data},
	})
	l.note(keyedSyncs, e)
}

// asyncAgain starts a run with a key until that is accepted.
func (l *runs) asyncAgain(random *rand.Rand) {
	data := l.data(random, keyedAsyncs)
	r, e := l.app.repeat(random, request{
		method: "POST", path: runPath, key: data["mark"].(string), body: map[string]any{"data": data, "sync": false},
	})
	if job := started(r); job != "" {
		l.accept(accepted{id: job, ledger: keyedAsyncs})
	}
	l.note(keyedAsyncs, e)
}

func (l *runs) note(ledger string, e effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keyed[ledger] = append(l.keyed[ledger], e)
}

// cancel starts a delayed run and cancels it at some moment before, or about when,
// it may begin.
func (l *runs) cancel(random *rand.Rand) {
	runAt := l.later(random, 0)
	if random.IntN(2) == 0 {
		runAt = time.Now().Add(time.Second + upTo(random, time.Second))
	}
	job := l.async(random, delayedRuns, runAt)
	if job == "" {
		return
	}
	time.Sleep(min(upTo(random, 2*time.Second), time.Until(runAt)+200*time.Millisecond))

	c := cancellation{job: job}
	for try := range 100 {
		c.known = l.app.send(context.Background(), request{method: "DELETE", path: runPath + job + "/"}).known()
		if c.known != unknown {
			break
		}
		c.after = true
		time.Sleep(time.Duration(min(try, 5)) * repeatAfter)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancels = append(l.cancels, c)
}

func (l *runs) accept(a accepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, a)
}

func (l *runs) try(ledger string, known promise.Need) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tried[ledger] = append(l.tried[ledger], known)
}

// ledgerOf is the ledger of a mark.
func ledgerOf(mark string) string {
	ledger, _, _ := strings.Cut(mark, "/")
	return ledger
}

// endless starts runs that take longer than they may.
func (l *runs) endless(n int) error {
	for range n {
		body := map[string]any{"data": l.lasting(asyncRuns, time.Hour), "sync": false}
		var answer struct {
			Job int64 `json:"job_id"`
		}
		if err := l.app.call(context.Background(), "POST", runPath, body, &answer); err != nil {
			return err
		}
		l.try(asyncRuns, acknowledged)
		l.accept(accepted{id: strconv.FormatInt(answer.Job, 10), ledger: asyncRuns})
	}
	return nil
}

func upTo(random *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(d)))
}
