package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/local/ddb"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/job"
	"minicloud/shared/queue"
)

// allowance is how long after its time limit a job may still be open (D19).
const allowance = 30 * time.Second

// jobs is the platform's own job service on the platform's own tables, with a
// clock that is ahead.
func (p *Platform) jobs(ahead time.Duration) *job.Service {
	database := ddb.NewClient(p.Database)
	now := clock.Clock(func() time.Time { return clock.System().Add(ahead) })
	return &job.Service{
		Store:     &dynamo.Jobs{Client: database, Table: p.Tables["JobsTable"]},
		Functions: &cloudfunction.Service{Store: &dynamo.Functions{Client: database, Table: p.Tables["FunctionsTable"]}, Clock: now},
		Queue: &queue.Jobs{Queue: queue.Queue{URL: p.Queues["JobQueue"], Client: sqs.New(sqs.Options{
			Region: ddb.Region, BaseEndpoint: aws.String(p.Services),
			Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		})}},
		Clock: now,
	}
}

// Hurry waits until the jobs of rounds have ended but those whose message or worker
// is lost, and has these found as if it were later.
func (p *Platform) Hurry(ctx context.Context, played ...*Played) error {
	// A job that waits is sent again within ten seconds of its age; rounds began at
	// different times. Then leases are over, and at last nobody waits any longer.
	var clocks []time.Duration
	for ahead := time.Duration(0); ahead <= job.ResendAfter+job.ResendEvery; ahead += 10 * time.Second {
		clocks = append(clocks, ahead)
	}
	for _, step := range [][]time.Duration{clocks, {job.AsyncTime + 6*time.Second}, {job.GiveUp + time.Minute}, nil} {
		open, err := p.settle(ctx, played)
		if err != nil || open == 0 {
			return err
		}
		for _, ahead := range step {
			if _, err := p.jobs(ahead).Reap(ctx); err != nil {
				return fmt.Errorf("reap: %w", err)
			}
		}
	}
	return nil // Judge tells what is still open
}

// settle waits until no job of the rounds is open, or nothing happened for longer
// than a run takes: then only the lost are left.
func (p *Platform) settle(ctx context.Context, played []*Played) (open int, err error) {
	store := p.jobs(0).Store
	before, since := -1, time.Now()
	last := played[len(played)-1].ended
	for {
		open = 0
		for _, r := range played {
			n, err := r.open(ctx, store)
			if err != nil {
				return 0, err
			}
			open += n
		}
		if open != before {
			before, since = open, time.Now()
		}
		if open == 0 || time.Since(since) > longRun+500*time.Millisecond && time.Since(last) > maxDelay {
			return open, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// open counts the jobs of a round that have not ended.
func (r *Played) open(ctx context.Context, store job.Store) (int, error) {
	line, err := store.Line(ctx, r.app.scope, r.app.function, time.Time{})
	if err != nil {
		return 0, err
	}
	held, err := store.Slots(ctx, r.app.scope.App)
	return len(line) + len(held), err
}

// Await waits until every job of a round has ended, or should have.
func (p *Platform) Await(ctx context.Context, r *Played) error {
	store := p.jobs(0).Store
	// No run of the load waits longer for anything than this.
	until := r.ended.Add(maxDelay + time.Minute + job.AsyncTime + allowance)
	for {
		open, err := r.open(ctx, store)
		if err != nil || open == 0 || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// record is a job as the list shows it (endpoint 3).
type record struct {
	ID       int64           `json:"id"`
	Created  float64         `json:"created_at"`
	Finished float64         `json:"finished_at"`
	Status   job.Status      `json:"status"`
	Service  job.ServiceType `json:"service_type"`
}

// records lists all jobs of the round's function.
func (r *Played) records(ctx context.Context) (records []record, total int, err error) {
	total, err = r.app.list(ctx, path+"?limit=1000", func(object json.RawMessage) error {
		var rec record
		if err := json.Unmarshal(object, &rec); err != nil {
			return err
		}
		records = append(records, rec)
		return nil
	})
	return records, total, err
}

// counted returns how often each job counted itself in the application's table.
func (r *Played) counted(ctx context.Context) (map[string]int, error) {
	runs := map[string]int{}
	_, err := r.app.list(ctx, fmt.Sprintf("/oserve/v2.4/table/%d/record/?limit=1000", r.app.table), func(object json.RawMessage) error {
		var row struct {
			Job string `json:"job"`
		}
		if err := json.Unmarshal(object, &row); err != nil {
			return err
		}
		runs[row.Job]++
		return nil
	})
	return runs, err
}

// Judge compares what was accepted, what began and what is recorded. hurried
// rounds say nothing about lateness. It is the end of the round.
func (p *Platform) Judge(ctx context.Context, r *Played, hurried bool) (Outcome, error) {
	defer r.witness.Close()
	o := r.outcome
	o.Records = map[job.Status]int{}
	records, total, err := r.records(ctx)
	if err != nil {
		return o, fmt.Errorf("list jobs: %w", err)
	}
	known := map[string]record{}
	for _, rec := range records {
		key := strconv.FormatInt(rec.ID, 10)
		if _, twice := known[key]; twice {
			o.trouble(&o.Doubled, "job %s has two records", key)
		}
		known[key] = rec
		o.Records[rec.Status]++
		if !rec.Status.Terminal() {
			o.trouble(&o.Open, "job %s is %s", key, rec.Status)
		}
	}
	if total != len(records) {
		o.trouble(&o.Lost, "total_count is %d, the list has %d", total, len(records))
	}
	r.compare(&o, known, r.witness.Begun())
	counted, err := r.counted(ctx)
	if err != nil {
		return o, fmt.Errorf("list runs: %w", err)
	}
	r.audit(&o, known, counted)
	if !hurried {
		r.times(&o, known)
	}
	held, err := p.jobs(0).Store.Slots(ctx, r.app.scope.App)
	for _, h := range held {
		o.trouble(&o.Slots, "slot %d is held by job %d until %s", h.Slot, h.ID, h.Lease.Format(time.RFC3339))
	}
	return o, err
}

// compare looks for lost and doubled jobs.
func (r *Played) compare(o *Outcome, known map[string]record, begun map[string]int) {
	o.Accepted, o.Begun = len(r.accepted), len(begun)
	for _, a := range r.accepted {
		rec, ok := known[a.id]
		switch {
		case !ok:
			o.trouble(&o.Lost, "job %s was accepted and has no record", a.id)
		case a.sync && rec.Status != job.StatusFulfilled:
			o.trouble(&o.Lost, "job %s was answered as fulfilled and is recorded as %s", a.id, rec.Status)
		}
	}
	for key, times := range begun {
		rec, ok := known[key]
		switch {
		case !ok:
			o.trouble(&o.Lost, "job %s began and has no record", key)
		case rec.Status == job.StatusExecutionRejected || rec.Status == job.StatusScheduleFailed:
			o.trouble(&o.Lost, "job %s began and is recorded as %s", key, rec.Status)
		}
		if times > 1 {
			o.trouble(&o.Doubled, "job %s began %d times", key, times)
		}
	}
	for key, rec := range known {
		if rec.Status == job.StatusFulfilled && begun[key] == 0 {
			o.trouble(&o.Lost, "job %s is fulfilled and never began", key)
		}
	}
}

// audit holds the records against the table where runs counted themselves. A run
// that was killed, or whose table was, may not have; one that was fulfilled has.
func (r *Played) audit(o *Outcome, known map[string]record, counted map[string]int) {
	o.Counted = len(counted)
	begun := r.witness.Begun()
	for key, times := range counted {
		if begun[key] == 0 {
			o.trouble(&o.Lost, "job %s counted itself and never began", key)
		}
		if times > 1 {
			o.trouble(&o.Doubled, "job %s counted itself %d times", key, times)
		}
	}
	for key, rec := range known {
		if rec.Status == job.StatusFulfilled && counted[key] == 0 {
			o.trouble(&o.Lost, "job %s is fulfilled and did not count itself", key)
		}
	}
}

// times looks for jobs that ended too late.
func (r *Played) times(o *Outcome, known map[string]record) {
	ready := map[string]time.Time{}
	for _, a := range r.accepted {
		ready[a.id] = a.runAt
	}
	for key, rec := range known {
		from := time.UnixMilli(int64(rec.Created * 1000))
		if at := ready[key]; at.After(from) {
			from = at
		}
		over := time.UnixMilli(int64(rec.Finished*1000)).Sub(from) - rec.Service.Time()
		o.Latest = max(o.Latest, over)
		if over > allowance {
			o.trouble(&o.Late, "job %s ended %s after its limit", key, over.Round(100*time.Millisecond))
		}
	}
}
