package template

import (
	"encoding/json"
	"time"
)

// Queue is an SQS standard queue.
type Queue struct {
	ID         string // logical id
	Name       string
	Visibility time.Duration
	Delay      time.Duration
	Retention  time.Duration
	Wait       time.Duration // default long poll
	MaxBytes   int           // of a message
	DeadQueue  string        // name of the dead-letter queue; "" = none
	MaxReceive int           // receives before a message goes there
}

func (b *builder) queue(id, name string, s *section) {
	seconds := func(key string, fallback, low, high int) time.Duration {
		return time.Duration(s.number(key, fallback, low, high)) * time.Second
	}
	q := &Queue{
		ID: id, Name: name,
		Visibility: seconds("VisibilityTimeout", 30, 0, 43200),
		Delay:      seconds("DelaySeconds", 0, 0, 900),
		Retention:  seconds("MessageRetentionPeriod", 345600, 60, 1209600),
		Wait:       seconds("ReceiveMessageWaitTimeSeconds", 0, 0, 20),
		MaxBytes:   s.number("MaximumMessageSize", 1<<20, 1024, 1<<20),
	}
	if s.flag("FifoQueue", false) {
		s.fail(s.value, "FIFO queues are not served by the local cloud")
	}

	if v := s.get("RedrivePolicy"); v != nil {
		policy := s.mapping(s.name+".RedrivePolicy", fromJSON(v))
		q.DeadQueue = resourceName(policy, "deadLetterTargetArn", "sqs", "")
		q.MaxReceive = policy.number("maxReceiveCount", 1, 1, 1000)
		policy.done()
	}

	s.done(
		"QueueName", "Tags", "KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled", "RedriveAllowPolicy",
	)
	b.out.Queues = append(b.out.Queues, q)
}

// fromJSON turns a scalar that holds a JSON object of plain values into a
// mapping; anything else stays as it is.
func fromJSON(v *Value) *Value {
	var object map[string]json.RawMessage
	if v.Kind != Scalar || json.Unmarshal([]byte(v.Text), &object) != nil {
		return v
	}
	out := &Value{Line: v.Line, Kind: Mapping, Fields: map[string]*Value{}}
	for key, raw := range object {
		s := string(raw)
		_ = json.Unmarshal(raw, &s) // a text loses its quotes, a number stays
		out.Keys = append(out.Keys, key)
		out.Fields[key] = &Value{Line: v.Line, Kind: Scalar, Text: s}
	}
	return out
}
