package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

// jobs runs functions in every way, cancels some runs and changes the functions meanwhile.
type jobs struct {
	app       *client.Application
	functions []*function

	mu    sync.Mutex
	asked map[string]*ask   // by mark
	seen  map[string]string // terminal states that readers have seen, by job
}

// function is one, with what is known of its versions.
type function struct {
	name string
	id   id.ID
	plan sandbox.Plan

	mu    sync.Mutex
	asked int // the last version that was asked for
	sure  int // the last version that is stored for sure
}

// ask is a request to run a function.
type ask struct {
	mark     string
	function *function
	service  job.ServiceType
	sent     time.Time
	runAt    time.Time
	version  int // that was there for sure when it was sent
	callback string
	answer   *game.Output // of a synchronous run that was fulfilled

	accepted  promise.Need
	job       string // of an asynchronous run that was accepted
	cancelled promise.Need
}

func (j *jobs) Plant(g *game.Requests) (err error) {
	j.asked, j.seen = map[string]*ask{}, map[string]string{}
	g.Receivers.Heard = func(c game.Callback) { j.hear(g, c) }
	if j.app, err = g.Application("jobs"); err != nil {
		return err
	}
	ctx := context.Background()
	for _, f := range []*function{{name: "free", plan: sandbox.PlanFree}, {name: "small", plan: sandbox.PlanPersonal}} {
		body := map[string]any{"name": f.name, "function_code": game.CodeOf(0), "plan_circle": f.plan}
		made, err := j.app.Create(ctx, client.FunctionsPath, body)
		if err != nil {
			return err
		}
		f.id = id.ID(made)
		j.functions = append(j.functions, f)
	}
	return j.app.Call(ctx, "POST", "/oserve/v1.3/callback-key/", nil, &struct{}{})
}

func (j *jobs) Clients(g *game.Requests) (all []func(sim.Random)) {
	repeat := func(times int, pause time.Duration, do func(random sim.Random, n int)) {
		client := len(all)
		all = append(all, g.Turns(times, pause, func(random sim.Random, n int) { do(random, 1000*client+n) }))
	}
	repeat(6, 10*time.Second, func(random sim.Random, n int) { j.runSync(g, random, n) })
	repeat(6, 10*time.Second, func(random sim.Random, n int) { j.runSync(g, random, n) })
	repeat(8, 12*time.Second, func(random sim.Random, n int) { j.start(g, random, n, time.Time{}) })
	repeat(8, 12*time.Second, func(random sim.Random, n int) { j.start(g, random, n, time.Time{}) })
	repeat(3, 30*time.Second, func(random sim.Random, n int) { j.start(g, random, n, later(random)) })
	repeat(4, 30*time.Second, func(random sim.Random, n int) { j.cancel(g, random, n) })
	repeat(5, 20*time.Second, func(random sim.Random, n int) { j.change(random, n) })
	repeat(20, 15*time.Second, func(random sim.Random, _ int) { j.look(g, random) })
	if g.Seed%4 == 0 {
		all = append(all, func(sim.Random) { j.crowd(g) })
	}
	return all
}

func later(random sim.Random) time.Time {
	return time.Now().Add(time.Duration(5+random.IntN(240)) * time.Second).Truncate(time.Second)
}

// data draws what a run does: most of them return soon.
func (j *jobs) data(random sim.Random, mark string) game.Input {
	in := game.Input{Mark: mark, Do: game.Returns, MS: random.IntN(2000)}
	switch random.IntN(12) {
	case 0:
		in.Do = game.Throws
	case 1:
		in.Do = game.Spins
	case 2:
		in.Do = game.Dies
	case 3:
		in.Do = game.Hangs
	case 4, 5:
		in.MS = random.IntN(320_000)
	}
	return in
}

// ask notes a request that is sent now.
func (j *jobs) ask(random sim.Random, mark string, service job.ServiceType) *ask {
	f := j.functions[random.IntN(len(j.functions))]
	f.mu.Lock()
	defer f.mu.Unlock()
	a := &ask{mark: mark, function: f, service: service, sent: time.Now(), version: f.sure}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked[mark] = a
	return a
}

func (f *function) path() string { return client.FunctionsPath + f.name + "/job/" }

// send sends a run, by its key until it is answered.
func (j *jobs) send(random sim.Random, a *ask, body map[string]any) (client.Reply, client.Effect) {
	r := client.Request{Method: "POST", Path: a.function.path(), Body: body}
	if random.IntN(2) == 0 {
		r.Key = a.mark
	}
	return j.app.Repeat(random.Rand, r)
}

func (j *jobs) runSync(g *game.Requests, random sim.Random, n int) {
	g.Note("sync run")
	a := j.ask(random, fmt.Sprint("sync ", n), job.TimeSensitive)
	answer, x := j.send(random, a, map[string]any{"data": j.data(random, a.mark)})
	if x.Wrong != "" && !strings.HasPrefix(x.Wrong, "the repetition was refused") {
		g.Problem("keys: %s: %s", a.mark, x.Wrong)
	}
	var got struct {
		Code int          `json:"code"`
		Data *game.Output `json:"data"`
	}
	if answer.Decode(&got) == nil && got.Code == 0 {
		if a.answer = got.Data; got.Data == nil || got.Data.Mark != a.mark {
			g.Problem("jobs: %s was answered %s", a.mark, answer.Body)
		}
	}
}

// start starts an asynchronous run, at once or later.
func (j *jobs) start(g *game.Requests, random sim.Random, n int, runAt time.Time) *ask {
	g.Note("async run")
	a := j.ask(random, fmt.Sprint("async ", n), job.Batch)
	a.runAt = runAt
	body := map[string]any{"data": j.data(random, a.mark), "sync": false}
	if !runAt.IsZero() {
		body["run_at"] = runAt.Unix()
	}
	if random.IntN(2) == 0 {
		a.callback = "https://receiver.example.com/" + url.PathEscape(a.mark)
		body["callback_url"] = a.callback
	}

	answer, x := j.send(random, a, body)
	if x.Wrong != "" {
		g.Problem("keys: %s: %s", a.mark, x.Wrong)
	}
	a.accept(answer, x)
	return a
}

// accept notes the answer of an asynchronous run.
func (a *ask) accept(answer client.Reply, x client.Effect) {
	var got struct {
		Job json.Number `json:"job_id"`
	}
	if a.accepted = x.Known; answer.Decode(&got) == nil {
		a.job = got.Job.String()
	}
}

// cancel starts a run of later, and cancels it close to its start.
func (j *jobs) cancel(g *game.Requests, random sim.Random, n int) {
	g.Note("cancellation")
	a := j.start(g, random, n, time.Now().Add(time.Duration(2+random.IntN(30))*time.Second).Truncate(time.Second))
	if a.job == "" {
		return
	}
	if random.IntN(2) == 0 {
		time.Sleep(random.Jitter(time.Until(a.runAt) - time.Duration(random.IntN(1000))*time.Millisecond))
	}
	a.cancelled = j.app.Send(context.Background(), client.Request{Method: "DELETE", Path: a.function.path() + a.job + "/"}).Known()
}

// change gives a function another version of its code.
func (j *jobs) change(random sim.Random, n int) {
	f := j.functions[random.IntN(len(j.functions))]
	f.mu.Lock()
	f.asked++
	version := f.asked
	f.mu.Unlock()
	r := client.Request{
		Method: "PATCH", Path: client.FunctionsPath + f.name + "/", Key: fmt.Sprint("change ", n),
		Body: map[string]any{"function_code": game.CodeOf(version)},
	}
	if _, x := j.app.Repeat(random.Rand, r); x.Known == client.Acknowledged {
		f.mu.Lock()
		f.sure = max(f.sure, version)
		f.mu.Unlock()
	}
}

// crowd starts more long runs than there are slots.
func (j *jobs) crowd(g *game.Requests) {
	g.AtOnce("crowd ", 16, 2*time.Second, func(random sim.Random, n int) {
		g.Note("async run of a crowd")
		a := j.ask(random, fmt.Sprint("crowd ", n), job.Batch)
		a.function = j.functions[1]
		a.version = 0
		answer, x := j.send(random, a, map[string]any{
			"data": game.Input{Mark: a.mark, Do: game.Returns, MS: 20_000 + random.IntN(60_000)}, "sync": false,
		})
		a.accept(answer, x)
	})
}

// record is a job as the API shows it.
type record struct {
	ID       int64           `json:"id"`
	Created  float64         `json:"created_at"`
	Finished float64         `json:"finished_at"`
	Status   string          `json:"status"`
	Service  job.ServiceType `json:"service_type"`
	Error    struct {
		Type string `json:"type"`
	} `json:"error"`
}

func (r record) terminal() bool { return r.Status != "waiting" && r.Status != "executing" }

func instant(seconds float64) time.Time { return time.UnixMilli(int64(math.Round(seconds * 1000))) }

// look reads a job. One that must have ended has ended, and a state that is terminal stays.
func (j *jobs) look(g *game.Requests, random sim.Random) {
	var a *ask
	j.mu.Lock()
	for _, mark := range slices.Sorted(maps.Keys(j.asked)) {
		if one := j.asked[mark]; one.job != "" && (a == nil || random.IntN(3) == 0) {
			a = one
		}
	}
	if a == nil {
		j.mu.Unlock()
		return
	}
	before := j.seen[a.job]
	j.mu.Unlock()
	sent := time.Now()
	var got record
	if j.app.Send(context.Background(), client.Request{Method: "GET", Path: a.function.path() + a.job + "/"}).Decode(&got) != nil {
		return
	}
	// Another reader may see the end while this answer is on its way, so an open state contradicts only earlier answers.
	if !got.terminal() && before != "" {
		g.Problem("jobs: %s was %s, and is %s", a.job, before, got.Status)
	}
	j.notice(g, a.job, got)
	ready := instant(got.Created)
	if a.runAt.After(ready) {
		ready = a.runAt
	}
	if over := (promise.Job{Ready: ready, Limit: a.service.Time()}).Over(); !got.terminal() && sent.After(over) {
		g.Problem("jobs: %s is %s %v after it might run", a.mark, got.Status, sent.Sub(ready))
	}
}

// notice compares the terminal state of a job with what others have seen.
func (j *jobs) notice(g *game.Requests, of string, r record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !r.terminal() {
		return
	}
	if before := j.seen[of]; before != "" && before != r.Status {
		g.Problem("jobs: %s was %s, and is %s", of, before, r.Status)
	}
	j.seen[of] = r.Status
}

// hear hears of a callback: its job has ended and says the same.
func (j *jobs) hear(g *game.Requests, c game.Callback) {
	if c.ID != fmt.Sprintf("job-%d", c.Job) {
		g.Problem("callbacks: %s got the id %s of job %d", c.URL, c.ID, c.Job)
	}
	ended := slices.ContainsFunc(g.World.DB.Items("JobsTable"), func(it map[string]any) bool {
		return game.IsRecord(it) && game.Number(it, "id") == c.Job
	})
	if !ended {
		g.Problem("callbacks: %s heard of job %d before its end was recorded", c.URL, c.Job)
	}
	j.notice(g, strconv.FormatInt(c.Job, 10), record{Status: c.Status})
}

func (j *jobs) Open(g *game.Requests) (n int) {
	k, ctx := g.Keeper().Backend, context.Background()
	for _, f := range j.functions {
		pending, err := k.Jobs().Pending(ctx, j.app.Scope, f.id, time.Time{})
		if n += len(pending); err != nil {
			n++
		}
	}
	slots, err := k.Jobs().Slots(ctx, j.app.Scope.App)
	if n += len(slots); err != nil {
		n++
	}
	due, err := k.Jobs().Due(ctx, time.Now().Add(24*time.Hour), 100)
	if n += len(due); err != nil {
		n++
	}
	return n + g.Messages("JobQueue", func(body string) bool { return strings.Contains(body, `"sweep":true`) })
}

func (j *jobs) Judge(g *game.Requests) {
	records := map[string][]record{}
	for _, f := range j.functions {
		_, err := client.List(context.Background(), j.app, f.path()+"?limit=100", func(r record) error {
			key := strconv.FormatInt(r.ID, 10)
			records[key] = append(records[key], r)
			return nil
		})
		if err != nil {
			g.Problem("jobs: list: %v", err)
		}
	}

	marks := map[string]int{}
	for of, all := range g.Sandbox.Begun {
		for _, b := range all {
			marks[b.Input.Mark]++
			j.judgeBegin(g, of, b)
		}
		if records[of] == nil {
			records[of] = []record{}
		}
	}
	for _, a := range j.asked {
		if a.job != "" && records[a.job] == nil {
			records[a.job] = []record{}
		}
	}
	for of, all := range records {
		j.judgeJob(g, of, all)
	}
	for mark, a := range j.asked {
		if marks[mark] > 1 {
			g.Problem("jobs: %s began %d times", mark, marks[mark])
		}
		j.judgeAsk(g, a, records[a.job], marks[mark])
	}
}

func (j *jobs) judgeBegin(g *game.Requests, of string, b game.Begin) {
	a := j.asked[b.Input.Mark]
	if a == nil {
		g.Problem("jobs: job %s began with the data of %q", of, b.Input.Mark)
		return
	}
	if b.Scope != j.app.Scope.String() {
		g.Problem("jobs: %s began in %s", b.Input.Mark, b.Scope)
	}
	if b.At.Before(a.runAt) {
		g.Problem("jobs: %s began %v before its time", a.mark, a.runAt.Sub(b.At))
	}
	if v := game.VersionOf(b.Code); v < a.version || v > a.function.asked {
		g.Problem("jobs: %s ran version %d, and version %d was there before it was asked for", b.Input.Mark, v, a.version)
	}
}

// judgeJob holds one job against D19.
func (j *jobs) judgeJob(g *game.Requests, of string, records []record) {
	known := promise.Job{ID: of, Begun: len(g.Sandbox.Begun[of]), Records: len(records), Limit: job.SyncTime}
	if len(records) > 0 {
		r := records[0]
		known.Status, known.Ready, known.Ended, known.Limit = r.Status, instant(r.Created), instant(r.Finished), r.Service.Time()
		j.notice(g, of, r)
		j.judgeOutcome(g, of, r)
	}
	a := j.askOf(g, of)
	switch {
	case a == nil:
		known.Ready = known.Ended // it may have been one for later
	case a.job == of:
		known.Accepted, known.Cancelled, known.ID = promise.Must, a.cancelled, of+" of "+a.mark
	}
	if a != nil && a.runAt.After(known.Ready) {
		known.Ready = a.runAt
	}
	g.Tell("jobs", known.Judge())
	g.Tell("jobs", known.JudgeCancelled())
	if known.Ended.After(known.Over()) {
		g.Problem("jobs: %s ended %v after it might run, of %v", known.ID, known.Ended.Sub(known.Ready), known.Limit)
	}
}

// judgeOutcome holds the state of a job against what its code did.
func (j *jobs) judgeOutcome(g *game.Requests, of string, r record) {
	lost, begun := r.Error.Type == job.TypeSandbox, g.Sandbox.Begun[of]
	if lost && len(begun) == 1 && g.Rough == 0 && begun[0].Input.Do != game.Dies && begun[0].Input.Do != game.Hangs {
		g.Problem("jobs: %s was lost, and nothing went wrong", begun[0].Input.Mark)
	}
	// A hundred slots are never taken, and where few programs die not each of five workers does.
	a := j.askOf(g, of)
	free := a != nil && a.function.plan == sandbox.PlanFree
	if free && g.Rough < 2 && r.Status == "schedule_failed" && r.Service == job.Batch && g.Sandbox.Tries[of] == 0 {
		g.Problem("jobs: %s got no slot, and there were some", of)
	}
}

// askOf is the request that started a job, nil where nobody knows.
func (j *jobs) askOf(g *game.Requests, of string) *ask {
	for _, a := range j.asked {
		if a.job == of {
			return a
		}
	}
	for _, b := range g.Sandbox.Begun[of] {
		return j.asked[b.Input.Mark]
	}
	return nil
}

// judgeAsk holds a request against the job that it started.
func (j *jobs) judgeAsk(g *game.Requests, a *ask, records []record, begun int) {
	if a.answer != nil && (begun != 1 || game.VersionOf(a.answer.Code) < a.version) {
		g.Problem("jobs: %s was answered %+v, and began %d times", a.mark, *a.answer, begun)
	}
	if a.callback == "" || len(records) == 0 {
		return
	}
	got := g.Receivers.Got[a.callback]
	if len(got) == 0 {
		g.Problem("callbacks: %s got none, and its job is %s", a.mark, records[0].Status)
	}
	for _, c := range got {
		fulfilled := records[0].Status == "fulfilled"
		if c.Status != records[0].Status || fulfilled != (c.Data != nil) || fulfilled && c.Data.Mark != a.mark {
			g.Problem("callbacks: %s, which is %s, got %+v", a.mark, records[0].Status, c)
		}
	}
}
