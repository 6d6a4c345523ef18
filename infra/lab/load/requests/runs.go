package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

// The report lines of jobs. A mark begins with its line.
const (
	syncRuns    = "sync runs"
	asyncRuns   = "async runs"
	keyedSyncs  = "keyed sync runs"
	keyedAsyncs = "keyed async runs"
	delayedRuns = "delayed runs"
	cancelled   = "cancellations"
	lostWorkers = "lost workers"
)

// runs starts and cancels jobs of a function.
type runs struct {
	load.Base
	witness  *load.Witness
	function id.ID
	table    int64
	next     atomic.Int64 // number of the next mark

	mu       sync.Mutex
	accepted []accepted
	cancels  []cancellation
}

// accepted is a job accepted by the platform.
type accepted struct {
	id    string
	line  string
	runAt time.Time
	data  string // result of a synchronous run, whose job must be fulfilled
}

// cancellation is a delayed job and the outcome of the request to cancel it.
type cancellation struct {
	job   string
	known promise.Need
	// after is true if an earlier attempt was cut off: the job may be cancelled although the last attempt was refused.
	after bool
}

const functionName = "witnessed"

// code reports to the witness, records its run in a table, then waits. The run fails if the table cannot be reached.
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

// runPath is the path that runs the function (endpoint 4).
const runPath = client.FunctionsPath + functionName + "/job/"

func (l *runs) Plant(ctx context.Context) (err error) {
	if l.App, err = l.Application(ctx, "jobs"); err != nil {
		return err
	}
	l.witness = load.NewWitness()
	made, err := l.App.Create(ctx, client.FunctionsPath, map[string]any{"name": functionName, "function_code": code})
	if err != nil {
		return err
	}
	l.function = id.ID(made)
	l.table, err = l.App.Table(ctx, "runs", client.Column{Name: "job", Type: "string"})
	return err
}

func (l *runs) Clients() []load.Turns {
	start := func(line string) func(*rand.Rand) {
		return func(random *rand.Rand) { l.start(random, line, time.Time{}) }
	}
	delayed := func(random *rand.Rand) { l.start(random, delayedRuns, l.later(random)) }
	return []load.Turns{
		{Pause: 30 * time.Millisecond, Once: l.sync}, {Pause: 30 * time.Millisecond, Once: l.sync},
		{Pause: 100 * time.Millisecond, Once: l.syncAgain},
		{Pause: 150 * time.Millisecond, Once: start(asyncRuns)}, {Pause: 150 * time.Millisecond, Once: start(keyedAsyncs)},
		{Pause: 400 * time.Millisecond, Once: delayed}, {Pause: 500 * time.Millisecond, Once: l.cancel},
	}
}

// later returns the start time of a delayed run, at least one second from now.
func (l *runs) later(random *rand.Rand) time.Time {
	return time.Now().Add(time.Second + load.UpTo(random, l.Pace.Delay-time.Second))
}

// data returns the input of the next run of a line.
func (l *runs) data(random *rand.Rand, line string) map[string]any {
	lasting := load.UpTo(random, l.Pace.Run/5)
	if random.IntN(8) == 0 {
		lasting = load.UpTo(random, l.Pace.Run)
	}
	mark := fmt.Sprintf("%s/%d", line, l.next.Add(1))
	return map[string]any{"witness": l.witness.URL, "mark": mark, "table": l.table, "ms": lasting.Milliseconds()}
}

// sync runs the function and waits for its result.
func (l *runs) sync(random *rand.Rand) {
	var answer struct {
		Code int    `json:"code"`
		Data string `json:"data"`
	}
	body := map[string]any{"data": l.data(random, syncRuns)}
	r := l.App.Send(context.Background(), client.Request{Method: "POST", Path: runPath, Body: body})

	known := r.Known()
	if r.Decode(&answer) == nil && answer.Code == 0 {
		l.accept(accepted{id: answer.Data, line: syncRuns, data: answer.Data})
	} else if known == client.Acknowledged {
		known = client.Unknown // the run failed, and the answer does not name its job
	}
	l.Lines.Line(syncRuns).Request(known, "", "", 0)
}

// syncAgain runs the function with an idempotency key until it is answered. The answer may be a failure because the
// worker died.
func (l *runs) syncAgain(random *rand.Rand) {
	data := l.data(random, keyedSyncs)
	_, x := l.App.Repeat(random, client.Request{
		Method: "POST", Path: runPath, Key: data["mark"].(string), Body: map[string]any{"data": data},
	})
	l.keyed(keyedSyncs, x)
}

// start starts an asynchronous run; a zero runAt means at once. A request of the keyed line is repeated until
// accepted. It returns the job id, or "" if that is unknown.
func (l *runs) start(random *rand.Rand, line string, runAt time.Time) (job string) {
	data := l.data(random, line)
	body := map[string]any{"data": data, "sync": false}
	if !runAt.IsZero() {
		body["run_at"] = runAt.Unix()
	}
	r := client.Request{Method: "POST", Path: runPath, Body: body}

	if line == keyedAsyncs {
		r.Key = data["mark"].(string)
	}
	answer, x := l.App.Repeat(random, r)
	if line == keyedAsyncs {
		l.keyed(line, x)
	} else {
		l.Lines.Line(line).Request(x.Known, "", "", 0)
	}

	var started struct {
		Job json.Number `json:"job_id"`
	}
	if answer.Decode(&started) != nil {
		return ""
	}
	l.accept(accepted{id: started.Job.String(), line: line, runAt: runAt})
	return started.Job.String()
}

// cancel starts a delayed run and cancels it at a random moment before, or close to, its start time.
func (l *runs) cancel(random *rand.Rand) {
	runAt := l.later(random)
	if random.IntN(2) == 0 {
		runAt = time.Now().Add(time.Second + load.UpTo(random, time.Second))
	}
	job := l.start(random, delayedRuns, runAt)
	if job == "" {
		return
	}
	time.Sleep(min(load.UpTo(random, 2*time.Second), time.Until(runAt)+200*time.Millisecond))

	c := cancellation{job: job}
	for try := range 100 {
		r := client.Request{Method: "DELETE", Path: runPath + job + "/"}
		if c.known = l.App.Send(context.Background(), r).Known(); c.known != client.Unknown {
			break
		}
		c.after = true
		time.Sleep(time.Duration(min(try, 5)) * client.RepeatAfter)
	}

	l.Lines.Line(cancelled).Request(c.known, "", "", 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancels = append(l.cancels, c)
}

func (l *runs) accept(a accepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, a)
}

// Open counts the jobs that have not ended.
func (l *runs) Open(ctx context.Context) (open map[string]int, next time.Time, err error) {
	n, err := l.OpenJobs(ctx, l.function)
	if n > 0 {
		open = map[string]int{asyncRuns: n}
	}
	return open, next, err
}

// record is a job as listed by the API (endpoint 3).
type record struct {
	ID       int64           `json:"id"`
	Created  float64         `json:"created_at"`
	Started  float64         `json:"started_at"`
	Finished float64         `json:"finished_at"`
	Status   job.Status      `json:"status"`
	Service  job.ServiceType `json:"service_type"`
	Error    struct {
		Type string `json:"type"`
	} `json:"error"`
}

// runFacts is the observed outcome of the runs.
type runFacts struct {
	records  []record
	total    int               // total of the list
	counters int               // total of the counters, after they have settled
	begun    map[string]int    // by job, as the witness heard
	marks    map[string]string // by job, as the witness heard
	counted  map[string]int    // by job, in the table where runs count themselves
}

func (l *runs) Judge(ctx context.Context) (err error) {
	defer l.witness.Close()
	f := runFacts{counted: map[string]int{}}
	if f.counters, err = l.counters(ctx); err != nil {
		return fmt.Errorf("counters of jobs: %w", err)
	}
	if f.records, f.total, err = l.records(ctx); err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	type row struct {
		Job string `json:"job"`
	}
	_, err = client.List(ctx, l.App, client.RowsPath(l.table)+"?limit=1000", func(row row) error {
		f.counted[row.Job]++
		return nil
	})
	if err != nil {
		return fmt.Errorf("list runs: %w", err)
	}
	f.begun, f.marks = l.witness.Begun()
	l.compare(f)

	held, err := l.Cloud.Jobs(0).Store.Slots(ctx, l.App.Scope.App)
	slots := l.Lines.Line("slots")
	for _, h := range held {
		slots.Fail(&slots.Lost, "slot %d is held by job %d until %s", h.Slot, h.ID, h.Lease.Format(time.RFC3339))
	}
	return err
}

// drained is how long the counters may lag behind the last job: the program that counts was killed, too.
const drained = 30 * time.Second

// counters returns the counted number of jobs, as soon as it agrees with a recount or the time for that is over.
func (l *runs) counters(ctx context.Context) (int, error) {
	for until := time.Now().Add(client.Patient(drained)); ; time.Sleep(200 * time.Millisecond) {
		records, _, err := l.records(ctx)
		if err != nil {
			return 0, err
		}
		tree := count.Tree{Reader: l.Cloud.Backend(0).Counts(), Collection: jobdb.Collection(l.App.Scope, l.function)}
		counted, err := tree.Total(ctx)
		if err != nil || counted == len(records) || time.Now().After(until) {
			return counted, err
		}
	}
}

// records lists all jobs of the function.
func (l *runs) records(ctx context.Context) (records []record, total int, err error) {
	total, err = client.List(ctx, l.App, runPath+"?limit=1000", func(rec record) error {
		records = append(records, rec)
		return nil
	})
	return records, total, err
}

// known is a job with all that was observed of it.
type known struct {
	promise.Job
	line    string
	data    string // the answer of a synchronous run that was fulfilled
	record  record
	counted int // rows in the table where runs count themselves
}

// compare checks the records against the answers of the clients and the reports to the witness.
func (l *runs) compare(f runFacts) {
	all := l.gather(f)
	listed := 0
	for _, id := range slices.Sorted(maps.Keys(all)) {
		listed += min(all[id].Records, 1)
		l.judge(all[id])
	}
	l.Lines.Line("job totals").Total("jobs", f.total, listed)
	l.Lines.Line("job counters").Total("jobs", f.counters, listed)
	l.repeated(f.marks)
}

// gather returns what is known of each job, by its id.
func (l *runs) gather(f runFacts) map[string]*known {
	all := map[string]*known{}
	of := func(id string) *known {
		if all[id] == nil {
			all[id] = &known{Job: promise.Job{ID: id}}
		}
		return all[id]
	}
	for _, rec := range f.records {
		k := of(strconv.FormatInt(rec.ID, 10))
		k.record, k.Status, k.Ready, k.Ended = rec, string(rec.Status), at(rec.Created), at(rec.Finished)
		k.line = map[job.ServiceType]string{job.TimeSensitive: syncRuns, job.Batch: asyncRuns}[rec.Service]
		k.Records++
	}
	for id, mark := range f.marks {
		of(id).line, _, _ = strings.Cut(mark, "/")
	}
	for id, times := range f.begun {
		of(id).Begun = times
	}
	for id, rows := range f.counted {
		of(id).counted = rows
	}
	for _, a := range l.accepted {
		k := of(a.id)
		k.line, k.data, k.Accepted = a.line, a.data, promise.Must
		if a.runAt.After(k.Ready) {
			k.Ready = a.runAt
		}
	}
	for _, c := range l.cancels {
		if of(c.job).Cancelled = c.known; c.known == client.Refused && c.after {
			of(c.job).Cancelled = client.Unknown
		}
	}
	return all
}

// judge checks one job. A run may lack its row if it was killed or the table was unreachable; a fulfilled run must have
// it.
func (l *runs) judge(k *known) {
	line, fulfilled := l.Lines.Line(k.line), k.record.Status == job.StatusFulfilled
	line.Add(k.Judge())
	l.Lines.Line(cancelled).Add(k.JudgeCancelled())
	if k.data != "" && k.Records > 0 && !fulfilled {
		line.Fail(&line.Lost, "job %s was answered as fulfilled and is recorded as %s", k.ID, k.Status)
	}
	if fulfilled && k.Begun > 0 && k.counted == 0 {
		line.Fail(&line.Lost, "job %s is fulfilled and did not count itself", k.ID)
	}
	line.Trouble(&line.Doubled, k.counted-min(k.Begun, 1), "job %s began %d times and counted itself %d times", k.ID, k.Begun, k.counted)
	if k.Records > 0 {
		l.times(line, k)
	}
}

// repeated looks for idempotency keys under which several jobs began.
func (l *runs) repeated(marks map[string]string) {
	found := map[string]map[string]int{keyedSyncs: {}, keyedAsyncs: {}}
	for _, mark := range marks {
		line, _, _ := strings.Cut(mark, "/")
		if of := found[line]; of != nil {
			of[mark]++
		}
	}
	for line, of := range found {
		l.Lines.Line(line).Judge(of)
	}
}

// keyed records a run with an idempotency key. Its worker may have died before the run began, so the ledger does not
// demand that the run began.
func (l *runs) keyed(line string, x client.Effect) {
	l.Lines.Line(line).Request(x.Known, x.Mark, x.Wrong, x.Took)
	x.Known = min(x.Known, client.Unknown)
	l.Lines.Line(line).Expect(x)
}

const (
	// noticed is how long a job may stay open after its worker died, if user code had begun: the heartbeat lease
	// (D19), and the time until a sweep finds it.
	noticed = time.Minute
	// workerSlack is the time to begin and to end a run on a busy machine.
	workerSlack = 5 * time.Second
	// lostWorker is the error of a run whose worker died (D18).
	lostWorker = "SandboxError"
)

// times looks for jobs that ended more than 30 s after their limit, counted from their earliest start (D19), and for
// jobs that stayed open too long after their worker died.
func (l *runs) times(line *load.Line, k *known) {
	if k.record.Status.Terminal() {
		line.NoteLate(k.Ended.Sub(k.Ready)-k.record.Service.Time(), "job "+k.ID+" ended")
	}
	if k.record.Error.Type != lostWorker || !l.Pace.Real {
		return
	}

	lost, missed := l.Lines.Line(lostWorkers), k.Ended.Sub(at(k.record.Started))
	lost.Count(client.Acknowledged)
	open := missed - l.Pace.Run
	lost.Latest = max(lost.Latest, open-noticed)
	if open > noticed+client.Patient(workerSlack) {
		lost.Fail(&lost.Late, "the worker of job %s (%s) was missed %s after it began", k.ID, k.record.Service,
			missed.Round(time.Second))
	}
}

func at(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)) }
