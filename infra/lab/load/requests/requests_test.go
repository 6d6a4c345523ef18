package requests

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/shared/job"
)

// verdict holds the counts that must be zero.
type verdict struct{ lost, doubled, late int }

func (v verdict) check(t *testing.T, got *load.Line) {
	t.Helper()
	if is := (verdict{got.Lost, got.Doubled, got.Late}); is != v {
		t.Errorf("lost, doubled, late: %v, want %v; %q", is, v, got.Troubles)
	}
}

// TestBulk plants operations that reached only some users, or some users twice.
func TestBulk(t *testing.T) {
	for name, tt := range map[string]struct {
		u, v int64
		want verdict
	}{
		"right":                          {1, 1, verdict{}},
		"the unknown one is complete":    {101, 101, verdict{}},
		"the unknown one is half done":   {101, 1, verdict{lost: 1}},
		"the certain one is half done":   {1, 0, verdict{lost: 2}},
		"a user was met twice":           {2, 1, verdict{doubled: 1}},
		"a change that nobody asked for": {11, 11, verdict{doubled: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &bulks{Base: load.Base{Load: &load.Load{}}, users: []string{"u", "v"}, digits: map[string]int{bulkUsers: 3}}
			l.note(bulkUsers, 0, l.users, client.Reply{Status: 200, Body: []byte(`{"operation_id":1}`)},
				client.Effect{Known: client.Acknowledged})
			l.note(bulkUsers, 2, l.users, client.Reply{Status: 500}, client.Effect{Known: client.Unknown})

			line, found := l.Lines.Line(bulkUsers), map[string]int{}
			promise.Digits(found, "u", tt.u)
			promise.Digits(found, "v", tt.v)
			line.Judge(found)
			line.Add(promise.Partly(found, l.digits[bulkUsers], l.users))
			tt.want.check(t, line)
		})
	}
}

// begun is the time at which the jobs of someRuns are accepted.
var begun = time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)

func after(d time.Duration) float64 { return float64(begun.Add(d).UnixMilli()) / 1000 }

// someRuns returns one job of each line, and two jobs with a cancellation request.
func someRuns() *runs {
	l := &runs{
		Base: load.Base{Load: load.New(nil, load.Options{Pace: load.Pace{Real: true}})},
		accepted: []accepted{
			{id: "1", line: syncRuns, data: "1"}, {id: "2", line: asyncRuns}, {id: "3", line: keyedAsyncs},
			{id: "4", line: delayedRuns, runAt: begun.Add(time.Minute)},
			{id: "5", line: delayedRuns}, {id: "6", line: delayedRuns},
		},
		cancels: []cancellation{{job: "5", known: client.Acknowledged}, {job: "6", known: client.Refused}},
	}
	l.keyed(keyedAsyncs, client.Effect{Mark: "keyed async runs/3", Known: client.Acknowledged})
	return l
}

// someFacts returns the facts of a correct outcome of someRuns.
func someFacts() runFacts {
	f := runFacts{begun: map[string]int{}, marks: map[string]string{}, counted: map[string]int{}, total: 6, counters: 6}
	for n := int64(1); n <= 6; n++ {
		r := record{
			ID: n, Created: after(0), Started: after(0), Finished: after(time.Second),
			Status: job.StatusFulfilled, Service: job.Batch,
		}
		if n == 5 {
			r.Status = job.StatusExecutionRejected
		} else {
			key := strconv.FormatInt(n, 10)
			f.begun[key], f.counted[key] = 1, 1
		}
		f.records = append(f.records, r)
	}
	f.records[0].Service = job.TimeSensitive
	f.marks["3"] = "keyed async runs/3"
	return f
}

// TestRuns plants faults of jobs. Planted lateness is far above the delay of a busy machine.
func TestRuns(t *testing.T) {
	long := time.Duration(client.Slowness()+100) * time.Minute
	for name, tt := range map[string]struct {
		line  string
		want  verdict
		plant func(*runFacts)
	}{
		"right": {asyncRuns, verdict{}, func(*runFacts) {}},
		"a record is lost": {asyncRuns, verdict{lost: 1}, func(f *runFacts) {
			f.records = slices.Delete(f.records, 1, 2)
		}},
		"a record comes twice": {asyncRuns, verdict{doubled: 1}, func(f *runFacts) {
			f.records = append(f.records, f.records[1])
		}},
		"the total is wrong":   {"job totals", verdict{doubled: 1}, func(f *runFacts) { f.total = 7 }},
		"a job is not counted": {"job counters", verdict{lost: 1}, func(f *runFacts) { f.counters = 5 }},
		"it began twice":       {asyncRuns, verdict{doubled: 1}, func(f *runFacts) { f.begun["2"] = 2 }},
		"it counted twice":     {asyncRuns, verdict{doubled: 1}, func(f *runFacts) { f.counted["2"] = 2 }},
		"its effect is lost":   {asyncRuns, verdict{lost: 1}, func(f *runFacts) { delete(f.counted, "2") }},
		"fulfilled without a run": {asyncRuns, verdict{lost: 1}, func(f *runFacts) {
			delete(f.begun, "2")
			delete(f.counted, "2")
		}},
		"the answer was another": {syncRuns, verdict{lost: 1}, func(f *runFacts) {
			f.records[0].Status = job.StatusExecutionFailed
		}},
		"it is open": {asyncRuns, verdict{late: 1}, func(f *runFacts) {
			f.records[1].Status = job.StatusExecuting
		}},
		"a key began two jobs": {keyedAsyncs, verdict{doubled: 1}, func(f *runFacts) {
			f.marks["2"] = "keyed async runs/3"
		}},
		"a cancelled one ran": {cancelled, verdict{doubled: 1}, func(f *runFacts) { f.begun["5"] = 1 }},
		"a cancellation is lost": {cancelled, verdict{lost: 1}, func(f *runFacts) {
			f.records[4].Status = job.StatusFulfilled
		}},
		"refused, and cancelled": {cancelled, verdict{lost: 1}, func(f *runFacts) {
			f.records[5].Status = job.StatusExecutionRejected
			delete(f.begun, "6")
		}},
		"a sync run ends late":   {syncRuns, verdict{late: 1}, func(f *runFacts) { f.records[0].Finished = after(long) }},
		"an async run ends late": {asyncRuns, verdict{late: 1}, func(f *runFacts) { f.records[1].Finished = after(long) }},
		"an async run ends in time": {asyncRuns, verdict{}, func(f *runFacts) {
			f.records[1].Finished = after(329 * time.Second)
		}},
		"a delay is no lateness": {delayedRuns, verdict{}, func(f *runFacts) {
			f.records[3].Finished = after(389 * time.Second)
		}},
		"a worker is missed late": {lostWorkers, verdict{late: 1}, func(f *runFacts) {
			r := &f.records[1]
			r.Status, r.Error.Type, r.Finished = job.StatusExecutionFailed, lostWorker, after(long)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l, f := someRuns(), someFacts()
			tt.plant(&f)
			l.compare(f)
			tt.want.check(t, l.Lines.Line(tt.line))
			if name == "right" && len(l.Lines.Troubles()) > 0 {
				t.Errorf("troubles %q", l.Lines.Troubles())
			}
		})
	}
}
