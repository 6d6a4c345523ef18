package fault

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"minicloud/infra/local/ddb"
	"minicloud/shared/aws/queue"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/job"
)

// jobs is the platform's own job service on the platform's own tables, with a
// clock that is ahead.
func (p *Platform) jobs(ahead time.Duration) *job.Service {
	database := ddb.NewClient(p.Database)
	now := clock.Clock(func() time.Time { return clock.System().Add(ahead) })
	return &job.Service{
		Store: &jobdb.Store{Client: database, Table: p.Tables["JobsTable"]},
		Functions: &cloudfunction.Service{
			Store: &functiondb.Functions{Client: database, Table: p.Tables["FunctionsTable"]}, Clock: now,
		},
		Queue: &queue.Jobs{Queue: p.queue("JobQueue")},
		Clock: now,
	}
}

// rowStore and tableStore are the platform's own stores.
func (p *Platform) rowStore() *rowdb.Rows {
	return &rowdb.Rows{
		Client: ddb.NewClient(p.Database), Table: p.Tables["RowsTable"], Indexes: p.Tables["RowIndexesTable"],
	}
}

func (p *Platform) tableStore() *rowdb.Tables {
	return &rowdb.Tables{Client: ddb.NewClient(p.Database), Name: p.Tables["TablesTable"]}
}

// sqs is a client of the platform's queues.
func (p *Platform) sqs() *sqs.Client {
	return sqs.New(sqs.Options{
		Region: ddb.Region, BaseEndpoint: aws.String(p.Services),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

// queue is one of the platform's queues by its logical id.
func (p *Platform) queue(id string) queue.Queue {
	return queue.Queue{URL: p.Queues[id], Client: p.sqs()}
}

// messages counts those of a queue; in the short form not those that wait for
// their time.
func (p *Platform) messages(ctx context.Context, id string) (int, error) {
	names := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	}
	if p.hurried.IsZero() {
		names = append(names, types.QueueAttributeNameApproximateNumberOfMessagesDelayed)
	}
	about, err := p.sqs().GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(p.Queues[id]), AttributeNames: names,
	})
	if err != nil {
		return 0, fmt.Errorf("queue %s: %w", id, err)
	}

	open := 0
	for _, number := range about.Attributes {
		n, err := strconv.Atoi(number)
		if err != nil {
			return 0, fmt.Errorf("queue %s: %w", id, err)
		}
		open += n
	}
	return open, nil
}

// inTurn is how long ordered runs may take that each wait for the one before, and may each have lost a worker.
const inTurn = 45 * time.Second

// Hurry brings rounds to their end without waiting for leases: it kills the local
// cloud once more, so that messages whose worker died come back at once, and has
// lost jobs found as if it were later.
func (p *Platform) Hurry(ctx context.Context, played ...*Played) error {
	if _, err := p.crash(0); err != nil {
		return err
	}
	p.hurried = time.Now()

	steps := [][]time.Duration{resends(), {job.AsyncTime + 6*time.Second}, {job.GiveUp + time.Minute}, nil}
	for i := 0; i < len(steps) || time.Since(p.hurried) < inTurn; i++ {
		var step []time.Duration
		if i < len(steps) {
			step = steps[i]
		}
		settled, err := p.quiet(ctx, played)
		if err != nil || settled {
			return err
		}
		if err := p.later(ctx, played, step); err != nil {
			return err
		}
	}
	return nil // Judge tells what is still under way
}

// resends are clocks of which one finds a job that waits: those are sent again by sweeps in the first half of a minute
// of their age, and began at different times.
func resends() (clocks []time.Duration) {
	for ahead := time.Duration(0); ahead <= job.ResendAfter+job.ResendEvery; ahead += 10 * time.Second {
		clocks = append(clocks, ahead)
	}
	return clocks
}

// sweep has lost jobs found by clocks that are so far ahead.
func (p *Platform) sweep(ctx context.Context, clocks ...time.Duration) error {
	for _, ahead := range clocks {
		if _, err := p.jobs(ahead).Sweep(ctx); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	return nil
}

// later has lost work found by clocks that are so far ahead.
func (p *Platform) later(ctx context.Context, played []*Played, clocks []time.Duration) error {
	if err := p.sweep(ctx, clocks...); err != nil {
		return err
	}
	dead, err := p.redrive(ctx)
	if err != nil {
		return err
	}
	played[len(played)-1].redriven += dead

	for _, r := range played {
		for _, part := range r.app.parts {
			if late, ok := part.(interface{ hurry(context.Context) error }); ok {
				if err := late.hurry(ctx); err != nil {
					return fmt.Errorf("hurry: %w", err)
				}
			}
		}
	}
	return nil
}

// quiet waits until nothing of the rounds is under way, or nothing happened for
// longer than anything takes: then only what was lost is left.
func (p *Platform) quiet(ctx context.Context, played []*Played) (settled bool, err error) {
	var longest Pace
	last := time.Time{}
	for _, r := range played {
		longest.Run, longest.Delay = max(longest.Run, r.Pace.Run), max(longest.Delay, r.Pace.Delay)
		last = r.ended
	}

	before, since := -1, time.Now()
	for {
		open := 0
		for _, r := range played {
			n, err := r.open(ctx)
			if err != nil {
				return false, err
			}
			open += n
		}
		if open == 0 {
			return true, nil
		}
		if open != before {
			before, since = open, time.Now()
		}
		if time.Since(since) > longest.Run+500*time.Millisecond && time.Since(last) > longest.Delay {
			return false, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// open counts what of a round is under way.
func (r *Played) open(ctx context.Context) (int, error) {
	open := 0
	for _, part := range r.app.parts {
		n, err := part.open(ctx)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r.Name, err)
		}
		open += n
	}
	return open, nil
}

// open counts the jobs that have not ended.
func (l *runs) open(ctx context.Context) (int, error) {
	store := l.platform.jobs(0).Store
	waiting, err := store.Pending(ctx, l.app.scope, l.function, time.Time{})
	if err != nil {
		return 0, err
	}
	held, err := store.Slots(ctx, l.app.scope.App)
	return len(waiting) + len(held), err
}

// redrives are the queues whose dead letters are sent again, by their own. A message whose program was killed five
// times, or ten for actions, is given up until then.
var redrives = map[string]string{
	"BulkDeadLetterQueue": "BulkQueue", "TableWorkDeadLetterQueue": "TableWorkQueue",
	"ActionDeadLetterQueue": "ActionQueue",
}

// redrive sends dead letters of background work again, as whoever hears the alarm would. It returns how many there
// were. An action with a reason is none of these: then the platform has refused its own work.
func (p *Platform) redrive(ctx context.Context) (n int, err error) {
	for dead, queue := range redrives {
		got, err := p.sqs().ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: aws.String(p.Queues[dead]), MaxNumberOfMessages: 10,
		})
		if err != nil {
			return n, fmt.Errorf("queue %s: %w", dead, err)
		}

		for _, m := range got.Messages {
			if dead == "ActionDeadLetterQueue" && strings.Contains(*m.Body, `"reason":`) {
				return n, fmt.Errorf("queue %s has %s", dead, *m.Body)
			}
			send := &sqs.SendMessageInput{QueueUrl: aws.String(p.Queues[queue]), MessageBody: m.Body}
			if _, err := p.sqs().SendMessage(ctx, send); err != nil {
				return n, fmt.Errorf("queue %s: %w", queue, err)
			}

			done := &sqs.DeleteMessageInput{QueueUrl: aws.String(p.Queues[dead]), ReceiptHandle: m.ReceiptHandle}
			if _, err := p.sqs().DeleteMessage(ctx, done); err != nil {
				return n, fmt.Errorf("queue %s: %w", dead, err)
			}

			n++
		}
	}
	return n, nil
}

// Await waits until everything of a round has ended, or should have.
func (p *Platform) Await(ctx context.Context, r *Played) error {
	until := r.ended.Add(r.Pace.Delay + time.Minute + job.AsyncTime + patient(allowance))
	for {
		dead, err := p.redrive(ctx)
		if err != nil {
			return err
		}
		r.redriven += dead

		open, err := r.open(ctx)
		if err != nil || open == 0 || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// died tells who was killed, and who outlived what should have taken it along.
func (r *Played) died(report *Report) {
	for victim, n := range r.kills {
		report.Kills[victim] += n
	}
	processes := report.Ledger("processes")
	if r.orphans > 0 {
		processes.trouble(&processes.Doubled, "%d outlived the local cloud", r.orphans)
	}
}

// Judge fills the ledgers of a round. It is the end of the round.
func (p *Platform) Judge(ctx context.Context, r *Played, report *Report) error {
	report.allow()
	defer r.app.witness.Close()
	r.died(report)
	report.Redriven += r.redriven

	for _, part := range r.app.parts {
		if err := part.judge(ctx, report); err != nil {
			return fmt.Errorf("%s, seed %d: %w", r.Name, r.Seed, err)
		}
	}
	return nil
}
