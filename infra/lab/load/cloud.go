package load

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"minicloud/infra/local/ddb"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/job"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/user"
)

// About is the description that a local cloud prints when it is ready to serve.
type About struct {
	URL         string            `json:"url"`
	Services    string            `json:"services"`
	Database    string            `json:"database"`
	Environment map[string]string `json:"environment"` // merged environment variables of all programs
	Logs        string            `json:"logs"`        // the folder with a log of each function
}

// Cloud is a local cloud under test whose processes are killed.
type Cloud struct {
	About
	Deaths Deaths
	// Hurried is the time of the last kill of the local cloud, after which the messages of killed workers were visible
	// again at once. From then on lost work is recovered with clocks set ahead. The zero value means that nothing is
	// hurried: everything takes its real time.
	Hurried time.Time
}

// Victim is a kind of process that is killed: a program of the template, or one of the constants below.
type Victim string

// The victims that are not programs of the template. The local cloud contains the queue server, the gateway and the
// Lambda service; killing it ends every other process. After the death of the queues alone, messages are delivered
// again.
const (
	Child    Victim = "sandbox child"
	Database Victim = "dynoxide"
	Queues   Victim = "queues"
	Local    Victim = "local cloud"
)

// Deaths records which victims were killed, and when.
type Deaths struct {
	mu  sync.Mutex
	all []death
}

type death struct {
	victim Victim
	at     time.Time
}

// Note records the death of a victim.
func (d *Deaths) Note(v Victim, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, death{v, at})
}

// Between reports whether one of the victims died between from and to, both included.
func (d *Deaths) Between(from, to time.Time, victims ...Victim) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.all, func(one death) bool {
		return slices.Contains(victims, one.victim) && !one.at.Before(from) && !one.at.After(to)
	})
}

// Backend returns the platform's own services and stores on its tables, with a clock that is ahead.
func (c *Cloud) Backend(ahead time.Duration) *backend.Backend {
	own := map[string]string{
		"AWS_REGION": ddb.Region, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local",
		"AWS_ENDPOINT_URL": c.Services,
	}
	b := backend.Open(program.Read(func(name string) (string, bool) {
		value, set := own[name]
		if !set {
			value, set = c.Environment[name]
		}
		return value, set
	}))
	b.DynamoDB = ddb.NewClient(c.Database)
	b.Clock = func() time.Time { return clock.System().Add(ahead) }
	return b
}

// Queues returns the platform's queues, by the names of their environment variables.
func (c *Cloud) Queues() *queues.Queues { return queues.Open(c.Backend(0)) }

// Jobs returns the platform's job service, with a clock that is ahead.
func (c *Cloud) Jobs(ahead time.Duration) *job.Service {
	b := c.Backend(ahead)
	return &job.Service{
		Store: b.Jobs(), Functions: &cloudfunction.Service{Store: b.Functions(), Clock: b.Clock},
		Queue: queues.Open(b).Jobs(), Clock: b.Clock,
	}
}

// Users returns the platform's user service; the API has no endpoint that creates users.
func (c *Cloud) Users() *user.Service {
	return &user.Service{Tables: c.Backend(0).Tables(), Clock: clock.System}
}

// Messages counts the messages of the queue whose URL the environment variable holds. In a hurry it leaves out delayed
// messages.
func (c *Cloud) Messages(ctx context.Context, queue string) (int, error) {
	names := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	}
	if c.Hurried.IsZero() {
		names = append(names, types.QueueAttributeNameApproximateNumberOfMessagesDelayed)
	}
	about, err := c.Queues().Client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(c.Environment[queue]), AttributeNames: names,
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", queue, err)
	}

	open := 0
	for _, number := range about.Attributes {
		n, err := strconv.Atoi(number)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", queue, err)
		}
		open += n
	}
	return open, nil
}

// Letters receives the dead letters of a queue in batches, passes each batch to each and deletes it, until the queue
// holds none; the environment variable holds its URL. An empty answer is no proof of that: SQS hides the messages of an
// answer that was lost on its way.
func (c *Cloud) Letters(ctx context.Context, queue string, each func([]deadletter.Message) error) error {
	dead := c.Queues().Letters(queue)
	for {
		got, err := dead.Receive(ctx, 10*time.Second)
		if err != nil {
			return err
		}
		if len(got) > 0 {
			if err := each(got); err != nil {
				return err
			}
			if _, err := dead.Delete(ctx, got); err != nil {
				return err
			}
			continue
		}
		if left, err := dead.Count(ctx); err != nil || left == 0 {
			return err
		}
		if err := clock.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// redrives maps each dead-letter queue to the queue that its messages are sent to again. A message becomes a dead
// letter after its program was killed five times, or ten times for actions.
var redrives = map[string]string{
	"BULK_DEAD_LETTER_QUEUE_URL": "BULK_QUEUE_URL", "TABLE_WORK_DEAD_LETTER_QUEUE_URL": "TABLE_WORK_QUEUE_URL",
	"ACTION_DEAD_LETTER_QUEUE_URL": "ACTION_QUEUE_URL",
}

// redrive resends the dead letters of background work, as an operator does after the alarm, and returns their number.
// It returns an error for an action with a reason: the platform has refused its own work.
func (c *Cloud) redrive(ctx context.Context) (n int, err error) {
	for dead, queue := range redrives {
		err = c.Letters(ctx, dead, func(got []deadletter.Message) error {
			for _, m := range got {
				if strings.HasPrefix(dead, "ACTION") && strings.Contains(m.Body, `"reason":`) {
					return fmt.Errorf("%s has %s", dead, m.Body)
				}
			}
			n += len(got)
			_, err := c.Queues().Again(queue).Resend(ctx, got)
			return err
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
