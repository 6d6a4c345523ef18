package fault

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/job"
)

// verdict is the numbers that must be zero.
type verdict struct{ lost, doubled, late int }

func of(t *Result) verdict { return verdict{t.Lost, t.Doubled, t.Late} }

func (v verdict) check(t *testing.T, got *Result) {
	t.Helper()
	if of(got) != v {
		t.Errorf("lost, doubled, late: %v, want %v; %q", of(got), v, got.Troubles)
	}
	if (got.Bad() == 0) != (len(got.Troubles) == 0) {
		t.Errorf("%d things are wrong and %d lines say what", got.Bad(), len(got.Troubles))
	}
}

// TestEffects: requests are counted, and what was answered decides what must be there.
func TestEffects(t *testing.T) {
	requests := []effect{
		{mark: "sure", known: acknowledged}, {mark: "maybe", known: unknown}, {mark: "not", known: refused},
	}
	for name, tt := range map[string]struct {
		found map[string]int
		want  verdict
	}{
		"right":   {map[string]int{"sure": 1, "maybe": 1}, verdict{}},
		"lost":    {map[string]int{"maybe": 1}, verdict{lost: 1}},
		"refused": {map[string]int{"sure": 1, "not": 1}, verdict{doubled: 1}},
	} {
		var result Result
		result.effects(requests, tt.found)
		tt.want.check(t, &result)
		if result.Attempted != 3 || result.Acknowledged != 1 || result.Unknown != 1 {
			t.Errorf("%s: counted %+v", name, result)
		}
	}
}

// TestRepetitions: an answer that comes late, or is another one, is found.
func TestRepetitions(t *testing.T) {
	for name, tt := range map[string]struct {
		e    effect
		want verdict
	}{
		"at once":          {effect{mark: "k", known: acknowledged, took: time.Second}, verdict{}},
		"after the lease":  {effect{mark: "k", known: acknowledged, took: 41 * time.Second}, verdict{late: 1}},
		"answered another": {effect{mark: "k", known: acknowledged, wrong: "answered 1 and then 2"}, verdict{lost: 1}},
		"refused afterward": {
			effect{mark: "k", known: refused, wrong: "the repetition was refused"}, verdict{lost: 1, doubled: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var result Result
			result.effects([]effect{tt.e}, map[string]int{"k": 1})
			tt.want.check(t, &result)
		})
	}
}

// TestSums plants wrong sums: of what is unknown any part may have been added.
func TestSums(t *testing.T) {
	add := func(amount uint, known promise.Need) addition {
		return addition{effect: effect{mark: strconv.Itoa(int(amount)), known: known}, sum: "s", amount: amount}
	}
	requests := []addition{add(100, acknowledged), add(30, unknown), add(7, unknown), add(1000, refused)}

	for sum, want := range map[int64]verdict{
		100: {}, 107: {}, 130: {}, 137: {},
		93:   {lost: 1},
		0:    {lost: 1},
		115:  {doubled: 1}, // no part of 30 and 7
		144:  {doubled: 1},
		200:  {doubled: 1},
		1100: {doubled: 1},
	} {
		var result Result
		result.sums(requests, map[string]int64{"s": sum})
		if of(&result) != want {
			t.Errorf("sum %d: %v, want %v; %q", sum, of(&result), want, result.Troubles)
		}
	}

	var result Result
	result.sums(requests, map[string]int64{})
	verdict{lost: 4}.check(t, &result)
}

// TestEntries plants wrong index entries and totals.
func TestEntries(t *testing.T) {
	rows := map[string]int{"a": 1, "b": 1}
	for name, tt := range map[string]struct {
		entries map[string]int
		want    verdict
	}{
		"right":              {map[string]int{"a": 1, "b": 1}, verdict{}},
		"an entry is lost":   {map[string]int{"a": 1}, verdict{lost: 1}},
		"an entry is stale":  {map[string]int{"a": 1, "b": 1, "c": 1}, verdict{doubled: 1}},
		"an entry comes two": {map[string]int{"a": 2, "b": 1}, verdict{doubled: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var result Result
			result.same("where x", rows, tt.entries)
			tt.want.check(t, &result)
		})
	}

	var result Result
	result.total("rows", 3, 3)
	result.total("rows", 2, 3)
	result.total("rows", 4, 3)
	verdict{lost: 1, doubled: 1}.check(t, &result)
}

// TestRows plants rows that are not where their last change should have put them.
func TestRows(t *testing.T) {
	l := &rows{
		created: map[string][]effect{rowCreates: {
			{mark: "row creates/1", known: acknowledged}, {mark: "row creates/2", known: acknowledged},
		}},
		changes: []change{
			{rowMoves, effect{mark: "row creates/1", known: acknowledged}, 3, 4},
			{rowMoves, effect{mark: "row creates/2", known: acknowledged}, 3, 5},
			{rowDeletes, effect{mark: "row creates/2", known: acknowledged}, 5, gone},
		},
	}
	at := func(bucket int) found { return found{Mark: "row creates/1", Bucket: bucket} }
	for name, tt := range map[string]struct {
		rows   []found
		ledger string
		want   verdict
	}{
		"right":              {[]found{at(4)}, rowMoves, verdict{}},
		"a move is lost":     {[]found{at(3)}, rowMoves, verdict{lost: 1}},
		"a move went astray": {[]found{at(7)}, rowMoves, verdict{lost: 1}},
		"a deletion is lost": {[]found{at(4), {Mark: "row creates/2", Bucket: 5}}, rowDeletes, verdict{lost: 1}},
		"a row is lost":      {nil, rowCreates, verdict{lost: 1}},
		"a row is doubled":   {[]found{at(4), at(4)}, rowCreates, verdict{doubled: 1}},
		"a strange row":      {[]found{at(4), {Mark: "strange"}}, rowCreates, verdict{doubled: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			report := NewReport(1, nil)
			l.compare(report, tt.rows)
			tt.want.check(t, report.Ledger(tt.ledger))
		})
	}
}

// TestBulk plants operations that meet only some, and some twice.
func TestBulk(t *testing.T) {
	l := &bulks{wanted: []string{"u", "v"}, digits: map[string]int{bulkUsers: 3}}
	for _, user := range l.wanted {
		l.requests = map[string][]effect{bulkUsers: append(l.requests[bulkUsers],
			effect{mark: mark(0, user), known: acknowledged}, effect{mark: mark(2, user), known: unknown})}
	}
	for name, tt := range map[string]struct {
		u, v int64
		want verdict
	}{
		"right":                          {1, 1, verdict{}},
		"the unknown one is complete":    {101, 101, verdict{}},
		"the unknown one is half done":   {101, 1, verdict{lost: 1}},
		"the certain one is half done":   {1, 0, verdict{lost: 2}},
		"somebody was met twice":         {2, 1, verdict{doubled: 1}},
		"a change that nobody asked for": {11, 11, verdict{doubled: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			users := map[string]int{}
			digits(users, "u", tt.u)
			digits(users, "v", tt.v)
			var result Result
			result.effects(l.requests[bulkUsers], users)
			l.complete(&result, users)
			tt.want.check(t, &result)
		})
	}
}

// begun is when the jobs of someRuns are accepted.
var begun = time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)

func after(d time.Duration) float64 { return float64(begun.Add(d).UnixMilli()) / 1000 }

// someRuns is one job of each ledger, and two that were to be cancelled.
func someRuns() *runs {
	return &runs{
		tried: map[string][]promise.Need{},
		accepted: []accepted{
			{id: "1", ledger: syncRuns, data: "1"}, {id: "2", ledger: asyncRuns}, {id: "3", ledger: keyedAsyncs},
			{id: "4", ledger: delayedRuns, runAt: begun.Add(time.Minute)},
			{id: "5", ledger: delayedRuns}, {id: "6", ledger: delayedRuns},
		},
		keyed:   map[string][]effect{keyedAsyncs: {{mark: "keyed async runs/3", known: acknowledged}}},
		cancels: []cancellation{{job: "5", known: acknowledged}, {job: "6", known: refused}},
	}
}

// someFacts is what became of them where all is right.
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

// TestRuns plants what may go wrong with jobs.
func TestRuns(t *testing.T) {
	l := someRuns()
	for name, tt := range map[string]struct {
		ledger string
		want   verdict
		plant  func(*runFacts)
	}{
		"right": {asyncRuns, verdict{}, func(*runFacts) {}},
		"a record is lost": {asyncRuns, verdict{lost: 2}, func(f *runFacts) {
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
		"a sync run ends late": {syncRuns, verdict{late: 1}, func(f *runFacts) {
			f.records[0].Finished = after(36 * time.Second)
		}},
		"an async run ends in time": {asyncRuns, verdict{}, func(f *runFacts) {
			f.records[1].Finished = after(329 * time.Second)
		}},
		"an async run ends late": {asyncRuns, verdict{late: 1}, func(f *runFacts) {
			f.records[1].Finished = after(331 * time.Second)
		}},
		"a delay is no lateness": {delayedRuns, verdict{}, func(f *runFacts) {
			f.records[3].Finished = after(389 * time.Second)
		}},
		"late after its delay": {delayedRuns, verdict{late: 1}, func(f *runFacts) {
			f.records[3].Finished = after(391 * time.Second)
		}},
		"a worker is missed late": {lostWorkers, verdict{late: 1}, func(f *runFacts) {
			r := &f.records[1]
			r.Status, r.Error.Type, r.Finished = job.StatusExecutionFailed, lostWorker, after(70*time.Second)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := someFacts()
			tt.plant(&f)
			report := NewReport(1, nil)
			l.compare(report, f)
			tt.want.check(t, report.Ledger(tt.ledger))
			if name == "right" && len(report.Troubles()) > 0 {
				t.Errorf("troubles %q", report.Troubles())
			}
		})
	}
}

// TestDeck: everybody who is there has a turn, and whoever is not has it as soon as
// it comes.
func TestDeck(t *testing.T) {
	d := deck{victims: []Victim{"a", "b", "c", Cloud}, random: rand.New(rand.NewPCG(1, 2))}
	alive := map[Victim][]int{"a": {1}, "b": {2}}
	turns := map[Victim]int{}
	for range 30 {
		v, ok := d.draw(alive)
		if !ok {
			t.Fatal("nobody")
		}
		turns[v]++
	}
	if want := map[Victim]int{"a": 10, "b": 10, Cloud: 10}; !maps.Equal(turns, want) {
		t.Errorf("turns %v, want %v", turns, want)
	}

	alive["c"] = []int{3}
	if v, _ := d.draw(alive); v != "c" {
		t.Errorf("%s has a turn before c, who waited", v)
	}
}
