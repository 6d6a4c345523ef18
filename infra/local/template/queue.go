package template

import (
	"time"

	"go.yaml.in/yaml/v4"
)

// Queue is an SQS standard queue.
type Queue struct {
	ID         string // logical ID
	Name       string
	Visibility time.Duration
	Retention  time.Duration
	MaxBytes   int    // maximum size of a message
	DeadQueue  string // name of the dead-letter queue; "" for none
	MaxReceive int    // receives before a message moves to the dead-letter queue
}

func (b *builder) queue(id, name string, n *yaml.Node) {
	// Absent properties have SQS's defaults: 30 seconds and 4 days.
	p := struct {
		VisibilityTimeout      int `yaml:"VisibilityTimeout" range:"0 43200"`
		MessageRetentionPeriod int `yaml:"MessageRetentionPeriod" range:"60 1209600"`
		RedrivePolicy          *struct {
			DeadLetterTargetArn string `yaml:"deadLetterTargetArn"`
			MaxReceiveCount     int    `yaml:"maxReceiveCount" range:"1 1000"`
		} `yaml:"RedrivePolicy"`
	}{VisibilityTimeout: 30, MessageRetentionPeriod: 345600}
	b.decode(id, n, &p, "QueueName", "SqsManagedSseEnabled")

	q := &Queue{
		ID: id, Name: name, Visibility: seconds(p.VisibilityTimeout), Retention: seconds(p.MessageRetentionPeriod),
		MaxBytes: 1 << 20,
	}
	if redrive := p.RedrivePolicy; redrive != nil {
		q.DeadQueue = b.nameIn(id, "deadLetterTargetArn", redrive.DeadLetterTargetArn, "sqs", "")
		q.MaxReceive = redrive.MaxReceiveCount
	}
	b.out.Queues = append(b.out.Queues, q)
}
