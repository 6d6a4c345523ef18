package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/job"
)

// record is a job as the list shows it (endpoint 3).
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

// runFacts is what became of the runs of a round.
type runFacts struct {
	records  []record
	total    int               // of records, as the list says
	counters int               // of records, when they have been counted
	begun    map[string]int    // by job, as the witness heard
	marks    map[string]string // by job, as the witness heard
	counted  map[string]int    // by job, in the table where runs count themselves
	hurried  time.Time         // what ended later was found by a clock that is ahead; zero = nothing was
}

func (l *runs) judge(ctx context.Context, r *Report) error {
	var f runFacts
	var err error
	if f.counters, err = l.counters(ctx); err != nil {
		return fmt.Errorf("counters of jobs: %w", err)
	}
	if f.records, f.total, err = l.records(ctx); err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	if f.counted, err = l.counted(ctx); err != nil {
		return fmt.Errorf("list runs: %w", err)
	}
	f.begun, f.marks = l.app.witness.Begun()
	f.hurried = l.platform.hurried
	l.compare(r, f)

	held, err := l.platform.jobs(0).Store.Slots(ctx, l.app.scope.App)
	slots := r.Ledger("slots")
	for _, h := range held {
		slots.trouble(&slots.Lost, "slot %d is held by job %d until %s", h.Slot, h.ID, h.Lease.Format(time.RFC3339))
	}
	return err
}

// drained is how long counting may take after the last job: its program was killed, too.
const drained = 30 * time.Second

// counters returns what the counters say of the jobs, when they agree with a recount, or have not for long.
func (l *runs) counters(ctx context.Context) (int, error) {
	for until := time.Now().Add(patient(drained)); ; time.Sleep(200 * time.Millisecond) {
		records, _, err := l.records(ctx)
		if err != nil {
			return 0, err
		}
		tree := count.Tree{Reader: &countdb.Store{
			Client: ddb.NewClient(l.platform.Database), Table: l.platform.Tables["CountsTable"], Clock: clock.System,
		}, Collection: jobdb.Collection(l.app.scope, l.function)}
		counted, err := tree.Total(ctx)
		if err != nil || counted == len(records) || time.Now().After(until) {
			return counted, err
		}
	}
}

// records lists all jobs of the function.
func (l *runs) records(ctx context.Context) (records []record, total int, err error) {
	total, err = l.app.list(ctx, runPath+"?limit=1000", func(object json.RawMessage) error {
		var rec record
		if err := json.Unmarshal(object, &rec); err != nil {
			return err
		}
		records = append(records, rec)
		return nil
	})
	return records, total, err
}

// counted returns how often each job counted itself in the table.
func (l *runs) counted(ctx context.Context) (map[string]int, error) {
	found := map[string]int{}
	_, err := l.app.list(ctx, rowsPath(l.table)+"?limit=1000", func(object json.RawMessage) error {
		var row struct {
			Job string `json:"job"`
		}
		if err := json.Unmarshal(object, &row); err != nil {
			return err
		}
		found[row.Job]++
		return nil
	})
	return found, err
}

// compare holds what the clients and the witness know against the records.
func (l *runs) compare(r *Report, f runFacts) {
	for _, ledger := range []string{syncRuns, asyncRuns, delayedRuns, cancelled} {
		t := r.Ledger(ledger)
		for _, known := range l.tried[ledger] {
			t.Count(known)
		}
	}
	known, ledgers := map[string]record{}, map[string]string{}
	for job, mark := range f.marks {
		ledgers[job] = ledgerOf(mark)
	}
	for _, a := range l.accepted {
		ledgers[a.id] = a.ledger
	}
	for _, rec := range f.records {
		key := strconv.FormatInt(rec.ID, 10)
		if ledgers[key] == "" {
			ledgers[key] = map[job.ServiceType]string{job.TimeSensitive: syncRuns, job.Batch: asyncRuns}[rec.Service]
		}
		if _, twice := known[key]; twice {
			t := r.Ledger(ledgers[key])
			t.trouble(&t.Doubled, "job %s has two records", key)
		}
		known[key] = rec
	}

	of := func(job string) *Result { return r.Ledger(ledgers[job]) }
	r.Ledger("job totals").total("jobs", f.total, len(known))
	r.Ledger("job counters").total("jobs", f.counters, len(known))
	l.lost(of, known)
	l.began(of, known, f)
	l.ended(of, known, f)
	l.repeated(r, f.marks)
	l.cancellations(r.Ledger(cancelled), known, f.begun)
	l.times(of, known, f)
	l.workers(r.Ledger(lostWorkers), known, f)
}

// lost looks for accepted jobs that have no record, or another end than was
// answered.
func (l *runs) lost(of func(string) *Result, known map[string]record) {
	for _, a := range l.accepted {
		rec, ok := known[a.id]
		t := of(a.id)
		switch {
		case !ok:
			t.trouble(&t.Lost, "job %s was accepted and has no record", a.id)
		case a.data != "" && rec.Status != job.StatusFulfilled:
			t.trouble(&t.Lost, "job %s was answered as fulfilled and is recorded as %s", a.id, rec.Status)
		}
	}
}

// began looks at every job of which the witness, or the table, heard.
func (l *runs) began(of func(string) *Result, known map[string]record, f runFacts) {
	for _, key := range sorted(f.begun) {
		t := of(key)
		rec, ok := known[key]
		switch {
		case !ok:
			t.trouble(&t.Lost, "job %s began and has no record", key)
		case rec.Status == job.StatusExecutionRejected || rec.Status == job.StatusScheduleFailed:
			t.trouble(&t.Doubled, "job %s began and is recorded as %s", key, rec.Status)
		}
		if n := f.begun[key]; n > 1 {
			t.trouble(&t.Doubled, "job %s began %d times", key, n)
		}
	}

	for _, key := range sorted(f.counted) {
		t := of(key)
		if f.begun[key] == 0 {
			t.trouble(&t.Doubled, "job %s counted itself and never began", key)
		}
		if n := f.counted[key]; n > 1 {
			t.trouble(&t.Doubled, "job %s counted itself %d times", key, n)
		}
	}
}

// ended looks at how jobs ended. A run that was killed, or whose table was, may
// not have counted itself; one that was fulfilled has.
func (l *runs) ended(of func(string) *Result, known map[string]record, f runFacts) {
	for _, key := range sorted(known) {
		rec, t := known[key], of(key)
		switch {
		case !rec.Status.Terminal():
			t.trouble(&t.Late, "job %s is %s", key, rec.Status)
		case rec.Status == job.StatusFulfilled && f.begun[key] == 0:
			t.trouble(&t.Lost, "job %s is fulfilled and never began", key)
		case rec.Status == job.StatusFulfilled && f.counted[key] == 0:
			t.trouble(&t.Lost, "job %s is fulfilled and did not count itself", key)
		}
	}
}

// repeated looks for keys under which several jobs began. One that never began
// cannot be told from any other, and is no loss here: its worker died before, and
// that its job has a record is looked at elsewhere.
func (l *runs) repeated(r *Report, marks map[string]string) {
	found := map[string]map[string]int{keyedSyncs: {}, keyedAsyncs: {}}
	for _, mark := range marks {
		if of := found[ledgerOf(mark)]; of != nil {
			of[mark]++
		}
	}

	for _, ledger := range []string{keyedSyncs, keyedAsyncs} {
		for _, e := range l.keyed[ledger] {
			if e.known == acknowledged {
				found[ledger][e.mark] = max(found[ledger][e.mark], 1)
			}
		}
		r.Ledger(ledger).effects(l.keyed[ledger], found[ledger])
	}
}

// cancellations looks for jobs that ran although they were cancelled, and for ones
// that did not although that was refused.
func (l *runs) cancellations(t *Result, known map[string]record, begun map[string]int) {
	for _, c := range l.cancels {
		t.Count(c.known)
		gone := known[c.job].Status == job.StatusExecutionRejected

		switch {
		case c.known == acknowledged && begun[c.job] > 0:
			t.trouble(&t.Doubled, "job %s was cancelled and began", c.job)
		case c.known == acknowledged && !gone:
			t.trouble(&t.Lost, "job %s was cancelled and is %s", c.job, known[c.job].Status)
		case c.known == refused && gone && !c.after:
			t.trouble(&t.Lost, "job %s was not to be cancelled any more and did not run", c.job)
		}
	}
}

// times looks for jobs that ended too late (D19): their limit and 30 s after they
// might run.
func (l *runs) times(of func(string) *Result, known map[string]record, f runFacts) {
	ready := map[string]time.Time{}
	for _, a := range l.accepted {
		ready[a.id] = a.runAt
	}

	for _, key := range sorted(known) {
		rec := known[key]
		end := at(rec.Finished)
		if !rec.Status.Terminal() || !f.hurried.IsZero() && end.After(f.hurried) {
			continue
		}
		from := at(rec.Created)
		if r := ready[key]; r.After(from) {
			from = r
		}
		of(key).took(end.Sub(from)-rec.Service.Time(), "job "+key+" ended")
	}
}

// noticed is how long after a worker died its job may be open, where user code had
// begun (D19), and how long it takes to find that out here.
const noticed = time.Minute

// workers looks for jobs whose worker died and that stayed open for too long: a
// run takes no longer than it says, so it died within that.
func (l *runs) workers(t *Result, known map[string]record, f runFacts) {
	for _, key := range sorted(known) {
		rec := known[key]
		end := at(rec.Finished)
		if rec.Error.Type != lostWorker || !f.hurried.IsZero() && end.After(f.hurried) {
			continue
		}
		t.Count(acknowledged)

		open := end.Sub(at(rec.Started)) - l.pace.Run
		t.Latest = max(t.Latest, open-noticed)
		if open > noticed+t.slack(workerSlack) {
			missed := end.Sub(at(rec.Started)).Round(time.Second)
			t.trouble(&t.Late, "the worker of job %s (%s) was missed %s after it began", key, rec.Service, missed)
		}
	}
}

// lostWorker is the error of a run whose worker died (D18).
const lostWorker = "SandboxError"

// workerSlack is for what a busy machine takes to begin a run and to end one.
const workerSlack = 5 * time.Second

func at(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)) }
