package events

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/shared/job"
)

// found counts the observed effects, by line and note.
type found map[string]map[string]int

// judgeEffects compares the observed effects with the expected ones.
func (e *events) judgeEffects(ctx context.Context) error {
	defer func() {
		e.witness.Close()
		e.receiver.CloseClientConnections()
		e.receiver.Close()
	}()
	all, err := e.find(ctx)
	if err != nil {
		return err
	}
	for _, line := range []string{webhooks, batches, ordered} {
		all[line], e.Lines.Line(line).Again = e.findWebhooks(line)
	}
	for _, line := range Effects {
		e.judgeEffect(e.Lines.Line(line), e.effects.of[line], all[line])
	}
	e.judgeOrder(e.Lines.Line(ordered))

	wrong := e.Lines.Line(webhooks)
	for _, text := range e.receiver.invalid() {
		wrong.Fail(&wrong.Lost, "%s", text)
	}
	return nil
}

// judgeEffect compares the observed effects of one trigger with the expected ones.
func (e *events) judgeEffect(into *load.Line, w *watch, times map[string]int) {
	done := promise.Found{Times: times, Interrupted: map[string]bool{}, Why: map[string]string{}}
	for _, x := range w.entries {
		mark := e.marksOf[x.Subject]
		done.Why[mark] = x.says()
		if x.Error == nil || x.Error.Type != "interrupted" {
			continue
		}
		if slices.Contains(messages, w.effect) && e.died(x) {
			done.Interrupted[mark] = true
			continue
		}
		into.Trouble(&into.Lost, 1, "%q was interrupted, and nobody had died: %s", mark, x.says())
	}
	into.Add(w.asked.Judge(done))
}

// actors lists the victims whose death may fall between an effect and its record. The queues are not among them: a
// redelivered message finds its run done.
var actors = []load.Victim{"actionrunner", load.Database, load.Local}

// died reports whether one of the actors died while a run was in progress.
func (e *events) died(x entry) bool {
	from, to := time.Unix(x.Created, 0), time.Now()
	if n := len(x.Attempts); n > 0 {
		last := x.Attempts[n-1]
		to = time.UnixMilli(last.At + last.Lasted)
		// A hurried load begins runs with a clock set ahead, so the time of their first attempt says nothing.
		if first := time.UnixMilli(x.Attempts[0].At); e.Cloud.Hurried.IsZero() {
			from = first
		}
	}
	return e.Cloud.Deaths.Between(from, to, actors...)
}

// marks matches the line and the note in a text that an action has written or sent.
var marks = regexp.MustCompile(`\[([a-z ]+)/([^\]]+)\]`)

// count counts the effects in a text. It returns an error for a mark of an unknown line.
func (f found) count(text []byte) (n int, err error) {
	for _, mark := range marks.FindAllSubmatch(text, -1) {
		times := f[string(mark[1])]
		if times == nil {
			return n, fmt.Errorf("no action writes %.400s", text)
		}
		times[string(mark[2])]++
		n++
	}
	return n, nil
}

// find reads the outbox and the rows written by actions and functions.
func (e *events) find(ctx context.Context) (found, error) {
	all := found{}
	for _, line := range Effects {
		all[line] = map[string]int{}
	}
	var sent json.RawMessage
	if err := e.App.Call(ctx, "GET", "/_local/outbox?contains="+e.name, nil, &sent); err != nil {
		return nil, err
	}
	if _, err := all.count(sent); err != nil {
		return nil, err
	}

	count := func(row json.RawMessage) error {
		var list struct{ Count *int }
		n, err := all.count(row)
		if err == nil {
			err = json.Unmarshal(row, &list)
		}
		if list.Count != nil && *list.Count != n {
			all[changes][fmt.Sprintf("the count %d of %d", *list.Count, n)]++
		}
		return err
	}
	for _, table := range []int64{e.tables.made, e.tables.lists} {
		if _, err := client.List(ctx, e.App, client.RowsPath(table)+"?limit=1000", count); err != nil {
			return nil, err
		}
	}
	if err := e.findDoomed(ctx, all); err != nil {
		return nil, err
	}
	return all, e.findJobs(ctx, all)
}

// findDoomed counts the rows that an action had to delete and that are gone.
func (e *events) findDoomed(ctx context.Context, all found) error {
	left := map[string]bool{}
	type row struct{ Mark string }
	_, err := client.List(ctx, e.App, client.RowsPath(e.tables.doomed)+"?limit=1000", func(row row) error {
		left[row.Mark] = true
		return nil
	})
	for _, mark := range e.effects.of[removals].asked.Marks() {
		if !left[mark] {
			all[removals][mark] = 1
		}
	}
	return err
}

// findJobs reads the job history of the function. The witness says which request started a job; for jobs that never
// began, the trigger log does. A fulfilled job must have created its row; any other may have.
func (e *events) findJobs(ctx context.Context, all found) error {
	begun, marks := e.witness.Begun()
	for _, x := range e.effects.of[functions].entries {
		for _, a := range x.Attempts {
			var answer struct {
				Job int64 `json:"job_id"`
			}
			if json.Unmarshal([]byte(a.Response), &answer) == nil && answer.Job != 0 {
				marks[strconv.FormatInt(answer.Job, 10)] = e.marksOf[x.Subject]
			}
		}
	}

	known := map[string]bool{}
	type record struct {
		ID     int64      `json:"id"`
		Status job.Status `json:"status"`
	}
	_, err := client.List(ctx, e.App, client.FunctionsPath+effectsFunction+"/job/?limit=1000", func(rec record) error {
		job := strconv.FormatInt(rec.ID, 10)
		known[job] = true
		need := client.Unknown
		if rec.Status == "fulfilled" || !rec.Status.Terminal() {
			need = client.Acknowledged
		}
		e.effects.of[ownRows].asked.Expect(job, need)
		if marks[job] == "" {
			marks[job] = "of job " + job + ", " + string(rec.Status)
		}
		return nil
	})

	for job, mark := range marks {
		all[functions][mark]++
		if !known[job] {
			all[functions]["of job "+job+" without a record"]++
		}
		// A job reports to the witness once, so further reports are duplicate starts.
		if n := begun[job]; n > 1 {
			all[functions][mark] += n - 1
		}
	}
	return err
}

// findWebhooks counts, for each mark, the action ids of its webhooks, if one of the webhooks was accepted. A
// repetition after acceptance counts too, unless its sender may have died; then it adds to again.
func (e *events) findWebhooks(line string) (times map[string]int, again int) {
	ids, taken := map[string]map[string]bool{}, map[string]time.Time{}
	times = map[string]int{}
	was := map[string]bool{} // marks with an accepted webhook
	for _, a := range e.receiver.arrivals(line) {
		for _, mark := range a.marks {
			if ids[mark] == nil {
				ids[mark] = map[string]bool{}
			}
			ids[mark][a.action] = true
			was[mark] = was[mark] || a.taken
		}

		switch before, twice := taken[a.action]; {
		case twice && e.Cloud.Deaths.Between(before, a.at, actors...):
			again++
		case twice:
			times[a.marks[0]]++
		}
		if a.taken {
			taken[a.action] = a.at
		}
		if len(a.marks) > batchSize {
			times[fmt.Sprintf("a batch of %d", len(a.marks))]++
		}
	}

	for mark, taken := range was {
		if taken {
			times[mark] += len(ids[mark])
		}
	}
	return times, again
}

// judgeOrder checks the order of the webhooks of each row.
func (e *events) judgeOrder(into *load.Line) {
	rows := map[string][]promise.Arrival{}
	for _, a := range e.receiver.arrivals(ordered) {
		rows[a.row] = append(rows[a.row], promise.Arrival{Place: int64(a.version), Ended: a.taken})
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		n := promise.Disordered(rows[row]...)
		into.Trouble(&into.Disordered, n, "row %s: %d came out of order: %v", row, n, rows[row])
	}
}
