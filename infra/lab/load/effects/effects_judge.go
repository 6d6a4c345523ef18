package effects

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/shared/job"
)

// outcome are the effects of a line that were found: how often each happened, and when at the latest.
type outcome struct {
	times map[string]int
	last  map[string]time.Time
}

func newOutcome() *outcome { return &outcome{map[string]int{}, map[string]time.Time{}} }

func (f *outcome) add(mark string, at time.Time) {
	f.times[mark]++
	f.last[mark] = at
}

// Judge implements load.Part.
func (e *effects) Judge(ctx context.Context) error {
	defer func() {
		e.witness.Close()
		e.receiver.CloseClientConnections()
		e.receiver.Close()
	}()
	for _, line := range Lines {
		if d := e.doings[line]; d.trigger != 0 {
			d.complete = false
			if err := e.look(ctx, d); err != nil {
				return err
			}
		}
	}

	all, err := e.find(ctx)
	if err != nil {
		return err
	}
	for _, line := range []string{webhooks, batches, ordered} {
		into := e.Lines.Line(line)
		all[line], into.Again = e.findWebhooks(line)
	}
	for _, line := range Lines {
		e.judgeLine(e.Lines.Line(line), e.doings[line], all[line])
	}
	e.judgeOrder(e.Lines.Line(ordered))

	wrong := e.Lines.Line(webhooks)
	for _, text := range e.receiver.Wrong() {
		wrong.Fail(&wrong.Lost, "%s", text)
	}
	return nil
}

// judgeLine holds the effects that were found of a line against those that were asked for.
func (e *effects) judgeLine(into *load.Line, d *doing, f *outcome) {
	done := promise.Found{Times: f.times, Interrupted: map[string]bool{}, Why: map[string]string{}}
	for _, x := range d.entries {
		mark := e.rows[x.Subject]
		done.Why[mark] = x.says()
		if x.Error == nil || x.Error.Type != "interrupted" {
			continue
		}
		if slices.Contains(messages, d.line) && e.died(x) {
			done.Interrupted[mark] = true
			continue
		}
		into.Trouble(&into.Lost, 1, "%q was interrupted, and nobody had died: %s", mark, x.says())
	}

	into.Add(d.Judge(done))
	for mark, at := range f.last {
		if asked, ok := e.since[mark]; ok {
			into.Latest = max(into.Latest, at.Sub(asked))
		}
	}
}

// actors are the victims whose death may come between an effect and the note of it. A message of the queues that comes
// again finds its run done.
var actors = []load.Victim{"actionrunner", load.Database, load.Local}

// died reports whether one of them died while a run was worked on.
func (e *effects) died(x entry) bool {
	from, to := time.Unix(x.Created, 0), time.Now()
	if n := len(x.Attempts); n > 0 {
		last := x.Attempts[n-1]
		to = time.UnixMilli(last.At + last.Lasted)
		if first := time.UnixMilli(x.Attempts[0].At); e.Cloud.Hurried.IsZero() {
			from = first
		}
	}
	return e.Cloud.Deaths.Between(from, to, actors...)
}

// find returns the effects of each line.
func (e *effects) find(ctx context.Context) (map[string]*outcome, error) {
	all := map[string]*outcome{}
	for _, line := range Lines {
		all[line] = newOutcome()
	}
	for _, find := range []func(context.Context, map[string]*outcome) error{
		e.findSent, e.findMade, e.findChanged, e.findDoomed, e.findJobs,
	} {
		if err := find(ctx, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// findSent reads the outbox.
func (e *effects) findSent(ctx context.Context, all map[string]*outcome) error {
	var sent []struct {
		At   time.Time `json:"at"`
		Kind string    `json:"kind"`
		Sent struct {
			Content struct {
				Simple struct {
					Subject struct{ Data string }
				}
			}
			Message json.RawMessage // of an SMS a text, of a template message what the vendor got
		} `json:"sent"`
	}
	if err := e.App.Call(ctx, "GET", "/_local/outbox?contains="+e.name, nil, &sent); err != nil {
		return err
	}
	for _, m := range sent {
		var text string
		var message struct {
			Data struct {
				Mark struct{ Value string }
			}
		}
		var err error
		switch m.Kind {
		case "email":
			all[mails].add(m.Sent.Content.Simple.Subject.Data, m.At)
		case "template_message":
			err = json.Unmarshal(m.Sent.Message, &message)
			all[templates].add(message.Data.Mark.Value, m.At)
		default:
			err = json.Unmarshal(m.Sent.Message, &text)
			all[texts].add(strings.TrimPrefix(text, "【shop】"), m.At)
		}
		if err != nil {
			return fmt.Errorf("%s in the outbox: %w", m.Kind, err)
		}
	}
	return nil
}

// findMade reads the rows that actions and functions have made. A function names its job.
func (e *effects) findMade(ctx context.Context, all map[string]*outcome) error {
	type row struct {
		ID, Mark, By, Job string
		Created           int64 `json:"created_at"`
	}
	_, err := client.List(ctx, e.App, client.RowsPath(e.tables.made)+"?limit=1000", func(row row) error {
		if all[row.By] == nil {
			return fmt.Errorf("a row that no action makes: %+v", row)
		}

		mark := row.Mark
		if row.By == ownRows {
			mark = row.Job
		}
		all[row.By].add(mark, time.Unix(row.Created, 0))
		return nil
	})
	return err
}

// findChanged reads the lists, each with a mark for each change, and a count of them.
func (e *effects) findChanged(ctx context.Context, all map[string]*outcome) error {
	type row struct {
		Marks []string
		N     int
	}
	_, err := client.List(ctx, e.App, client.RowsPath(e.tables.lists), func(row row) error {
		for _, mark := range row.Marks {
			all[changes].times[mark]++
		}
		if row.N != len(row.Marks) {
			all[changes].times[fmt.Sprintf("the count %d of %d", row.N, len(row.Marks))]++
		}
		return nil
	})
	return err
}

// findDoomed looks which rows are gone that were asked to go.
func (e *effects) findDoomed(ctx context.Context, all map[string]*outcome) error {
	left := map[string]bool{}
	type row struct{ Mark string }
	_, err := client.List(ctx, e.App, client.RowsPath(e.tables.doomed)+"?limit=1000", func(row row) error {
		left[row.Mark] = true
		return nil
	})
	for _, mark := range e.doings[removals].Asked() {
		if !left[mark] {
			all[removals].times[mark] = 1
		}
	}
	return err
}

// findJobs reads the history of the function. The witness says which job is whose, and the log says it of jobs
// that never began. Jobs that were fulfilled have made their row; others may have.
func (e *effects) findJobs(ctx context.Context, all map[string]*outcome) error {
	begun, marks := e.witness.Begun()
	for _, x := range e.doings[functions].entries {
		for _, a := range x.Attempts {
			var answer struct {
				Job int64 `json:"job_id"`
			}
			if json.Unmarshal([]byte(a.Response), &answer) == nil && answer.Job != 0 {
				marks[strconv.FormatInt(answer.Job, 10)] = e.rows[x.Subject]
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
		e.doings[ownRows].Ask(job, need)
		if marks[job] == "" {
			marks[job] = "of job " + job + ", " + string(rec.Status)
		}
		return nil
	})

	for job, mark := range marks {
		all[functions].times[mark]++
		if !known[job] {
			all[functions].times["of job "+job+" without a record"]++
		}
		// A job tells the witness once, too.
		if n := begun[job]; n > 1 {
			all[functions].times[mark] += n - 1
		}
	}
	return err
}

// findWebhooks counts for each mark the action ids that it came under, where one was taken. A repetition after it was
// taken counts, too, unless its sender may have died: then it adds to again.
func (e *effects) findWebhooks(line string) (f *outcome, again int) {
	ids, taken := map[string]map[string]bool{}, map[string]time.Time{}
	f = newOutcome()
	for _, a := range e.receiver.Arrivals(line) {
		for _, mark := range a.marks {
			if ids[mark] == nil {
				ids[mark] = map[string]bool{}
			}
			ids[mark][a.action] = true
			if a.taken {
				f.last[mark] = a.at
			}
		}

		switch before, twice := taken[a.action]; {
		case twice && e.Cloud.Deaths.Between(before, a.at, actors...):
			again++
		case twice:
			f.times[a.marks[0]]++
		}
		if a.taken {
			taken[a.action] = a.at
		}
		if len(a.marks) > batchSize {
			f.times[fmt.Sprintf("a batch of %d", len(a.marks))]++
		}
	}

	for mark := range maps.Keys(f.last) {
		f.times[mark] += len(ids[mark])
	}
	return f, again
}

// judgeOrder judges the order of the webhooks of each row.
func (e *effects) judgeOrder(into *load.Line) {
	rows := map[string][]promise.Arrival{}
	for _, a := range e.receiver.Arrivals(ordered) {
		rows[a.row] = append(rows[a.row], promise.Arrival{Place: int64(a.version), Ended: a.taken})
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		n := promise.Disordered(rows[row]...)
		into.Trouble(&into.Disordered, n, "row %s: %d came out of order: %v", row, n, rows[row])
	}
}
