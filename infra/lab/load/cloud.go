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
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/table/manage"
	"minicloud/shared/user"
)

// About is what a local cloud says of itself when it serves.
type About struct {
	URL      string            `json:"url"`
	Services string            `json:"services"`
	Database string            `json:"database"`
	Tables   map[string]string `json:"tables"` // name by logical id
	Queues   map[string]string `json:"queues"` // URL by logical id
}

// Cloud is a local cloud whose processes are killed.
type Cloud struct {
	About
	Deaths Deaths
	// Hurried is when the local cloud was killed for the last time, so that the messages of killed workers came back at
	// once. From then on lost work is found by clocks that are ahead. Zero = everything takes its real time.
	Hurried time.Time
}

// Victim is a kind of process that is killed.
type Victim string

// The victims that are no program of the template. The local cloud is the queue server, the gateway and the Lambda
// service, and takes every other process with it. Of the queues alone messages are delivered again.
const (
	Child    Victim = "sandbox child"
	Database Victim = "dynoxide"
	Queues   Victim = "queues"
	Local    Victim = "local cloud"
)

// Deaths are the times at which victims were killed.
type Deaths struct {
	mu  sync.Mutex
	all []death
}

type death struct {
	victim Victim
	at     time.Time
}

// Note notes that a victim is killed at a time.
func (d *Deaths) Note(v Victim, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, death{v, at})
}

// Between reports whether one of the victims died within a time.
func (d *Deaths) Between(from, to time.Time, victims ...Victim) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.all, func(one death) bool {
		return slices.Contains(victims, one.victim) && !one.at.Before(from) && !one.at.After(to)
	})
}

// Jobs is the platform's own job service on the platform's own tables, with a clock that is ahead.
func (c *Cloud) Jobs(ahead time.Duration) *job.Service {
	database := ddb.NewClient(c.Database)
	now := clock.Clock(func() time.Time { return clock.System().Add(ahead) })
	return &job.Service{
		Store: &jobdb.Store{Client: database, Table: c.Tables["JobsTable"]},
		Functions: &cloudfunction.Service{
			Store: &functiondb.Functions{Client: database, Table: c.Tables["FunctionsTable"]}, Clock: now,
		},
		Queue: &queue.Jobs{Queue: c.Queue("JobQueue")},
		Clock: now,
	}
}

// Users is the platform's own service of users, which has no endpoint that creates one.
func (c *Cloud) Users() *user.Service {
	tables := &manage.Service{Schemas: c.TableStore(), Rows: c.RowStore(), Clock: clock.System, IDs: new(id.Source)}
	return &user.Service{Tables: tables, Clock: clock.System}
}

func (c *Cloud) RowStore() *rowdb.Rows {
	return &rowdb.Rows{
		Client: ddb.NewClient(c.Database), Table: c.Tables["RowsTable"], Indexes: c.Tables["RowIndexesTable"],
	}
}

func (c *Cloud) TableStore() *rowdb.Tables {
	return &rowdb.Tables{Client: ddb.NewClient(c.Database), Name: c.Tables["TablesTable"]}
}

func (c *Cloud) SQS() *sqs.Client {
	return sqs.New(sqs.Options{
		Region: ddb.Region, BaseEndpoint: aws.String(c.Services),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

// Queue is one of the platform's queues by its logical id.
func (c *Cloud) Queue(id string) queue.Queue { return queue.Queue{URL: c.Queues[id], Client: c.SQS()} }

// Messages counts those of a queue, in a hurry without those that are delayed.
func (c *Cloud) Messages(ctx context.Context, id string) (int, error) {
	names := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	}
	if c.Hurried.IsZero() {
		names = append(names, types.QueueAttributeNameApproximateNumberOfMessagesDelayed)
	}
	about, err := c.SQS().GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(c.Queues[id]), AttributeNames: names,
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

// redrives are the queues whose dead letters are sent again, by their own. A message whose program was killed five
// times, or ten for actions, is a dead letter.
var redrives = map[string]string{
	"BulkDeadLetterQueue": "BulkQueue", "TableWorkDeadLetterQueue": "TableWorkQueue",
	"ActionDeadLetterQueue": "ActionQueue",
}

// redrive sends the dead letters of background work again, as an operator does after the alarm, and returns their
// number. An action with a reason is an error: the platform has refused its own work.
func (c *Cloud) redrive(ctx context.Context) (n int, err error) {
	for dead, queue := range redrives {
		got, err := c.SQS().ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: aws.String(c.Queues[dead]), MaxNumberOfMessages: 10,
		})
		if err != nil {
			return n, fmt.Errorf("queue %s: %w", dead, err)
		}

		for _, m := range got.Messages {
			if dead == "ActionDeadLetterQueue" && strings.Contains(*m.Body, `"reason":`) {
				return n, fmt.Errorf("queue %s has %s", dead, *m.Body)
			}
			send := &sqs.SendMessageInput{QueueUrl: aws.String(c.Queues[queue]), MessageBody: m.Body}
			if _, err := c.SQS().SendMessage(ctx, send); err != nil {
				return n, fmt.Errorf("queue %s: %w", queue, err)
			}
			done := &sqs.DeleteMessageInput{QueueUrl: aws.String(c.Queues[dead]), ReceiptHandle: m.ReceiptHandle}
			if _, err := c.SQS().DeleteMessage(ctx, done); err != nil {
				return n, fmt.Errorf("queue %s: %w", dead, err)
			}
			n++
		}
	}
	return n, nil
}
