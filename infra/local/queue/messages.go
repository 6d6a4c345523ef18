package queue

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
)

type sendIn struct {
	Id                string // only in a batch
	QueueUrl          string
	MessageBody       string
	DelaySeconds      *int
	MessageAttributes map[string]Attribute
	MessageGroupId    string

	MessageDeduplicationId string
}

type sendOut struct {
	Id                     string `json:",omitempty"`
	MessageId              string
	MD5OfMessageBody       string
	MD5OfMessageAttributes string `json:",omitempty"`
}

func (in *sendIn) outgoing() (Outgoing, error) {
	out := Outgoing{Body: in.MessageBody, Attributes: in.MessageAttributes, Group: in.MessageGroupId,
		Deduplication: in.MessageDeduplicationId}
	if in.DelaySeconds != nil {
		if *in.DelaySeconds < 0 {
			return out, invalid(
				"Value %d for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.", *in.DelaySeconds,
			)
		}
		out.Delay = time.Duration(*in.DelaySeconds) * time.Second
	}
	return out, nil
}

func (a *API) send(ctx context.Context, in sendIn) (any, error) {
	a.Broker.mu.Lock()
	defer a.Broker.mu.Unlock()
	return a.put(ctx, in)
}

// put is send for callers that hold the broker's lock.
func (a *API) put(ctx context.Context, in sendIn) (any, error) {
	message, err := in.outgoing()
	if err != nil {
		return nil, err
	}
	message.Trace, _ = ctx.Value(traceKey{}).(string)
	id, err := a.Broker.send(in.QueueUrl, message)
	if err != nil {
		return nil, err
	}
	return sendOut{in.Id, id, Checksum(in.MessageBody), attributesChecksum(in.MessageAttributes)}, nil
}

type failure struct {
	Id          string
	Code        string
	Message     string
	SenderFault bool
}

type batchOut struct {
	Successful []any
	Failed     []failure
}

var entryID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// undone is what SQS says of an entry that it could not do, for a reason of its own.
var undone = failure{Code: "InternalError", Message: "We encountered an internal error. Please try again."}

// batch calls f for every entry and collects the results.
func batch[E any](a *API, entries []E, id func(E) string, f func(E) (any, error)) (any, error) {
	if len(entries) == 0 {
		return nil, ofBatch("EmptyBatchRequest", "There should be at least one entry in the request.")
	}

	if len(entries) > MaxBatch {
		return nil, ofBatch("TooManyEntriesInBatchRequest",
			"Maximum number of entries per request are 10. You have sent %d.", len(entries))
	}

	seen := map[string]bool{}
	for _, e := range entries {
		if !entryID.MatchString(id(e)) {
			return nil, ofBatch("InvalidBatchEntryId", "A batch entry id can only contain alphanumeric characters, hyphens and "+
				"underscores. It can be at most 80 letters long.")
		}

		if seen[id(e)] {
			return nil, ofBatch("BatchEntryIdsNotDistinct", "Id %s repeated.", id(e))
		}

		seen[id(e)] = true
	}

	out := batchOut{Successful: []any{}, Failed: []failure{}}
	left := unkind.Undone(a.Unkind, entries, len(entries), id)
	for i, e := range entries {
		if left[i] {
			out.Failed = append(out.Failed, failure{id(e), undone.Code, undone.Message, false})
			continue
		}
		done, err := f(e)
		if err == nil {
			out.Successful = append(out.Successful, done)
			continue
		}

		// As on SQS, a failed entry does not fail the batch.
		refusal, ok := errors.AsType[*Error](err)
		if !ok {
			refusal = &Error{Type: "InternalFailure", Message: err.Error()}
		}

		out.Failed = append(out.Failed, failure{id(e), refusal.Type, refusal.Message, ok})
	}

	return out, nil
}

func (a *API) sendBatch(ctx context.Context, in struct {
	QueueUrl string
	Entries  []sendIn
}) (any, error) {
	total := 0
	for _, e := range in.Entries {
		o := Outgoing{Body: e.MessageBody, Attributes: e.MessageAttributes}
		total += o.size()
	}

	if total > MaxBytes {
		return nil, ofBatch("BatchRequestTooLong",
			"Batch requests cannot be longer than %d bytes. You have sent %d bytes.", MaxBytes, total)
	}

	// Hold the lock, so that a waiting receiver gets the whole batch instead of its first message: in the simulation,
	// the number of messages must not depend on thread scheduling.
	a.Broker.mu.Lock()
	defer a.Broker.mu.Unlock()
	// A missing queue fails the whole request instead of each entry.
	if _, err := a.Broker.find(in.QueueUrl); err != nil {
		return nil, err
	}

	return batch(a, in.Entries, func(e sendIn) string { return e.Id }, func(e sendIn) (any, error) {
		e.QueueUrl = in.QueueUrl
		return a.put(ctx, e)
	})
}

type receiveIn struct {
	QueueUrl                    string
	MaxNumberOfMessages         *int
	VisibilityTimeout           *int
	WaitTimeSeconds             *int
	AttributeNames              []string
	MessageSystemAttributeNames []string
	MessageAttributeNames       []string
}

type received struct {
	MessageId              string
	ReceiptHandle          string
	Body                   string
	MD5OfBody              string
	Attributes             map[string]string    `json:",omitempty"`
	MessageAttributes      map[string]Attribute `json:",omitempty"`
	MD5OfMessageAttributes string               `json:",omitempty"`
}

// ranged returns *value, or fallback if value is nil. It returns an error if *value is not between low and high.
func ranged(name string, value *int, fallback, low, high int) (int, error) {
	if value == nil {
		return fallback, nil
	}
	if *value < low || *value > high {
		return 0, invalid(
			"Value %d for parameter %s is invalid. Reason: Must be between %d and %d, if provided.", *value, name, low, high,
		)
	}
	return *value, nil
}

func (a *API) receive(ctx context.Context, in receiveIn) (any, error) {
	n, err1 := ranged("MaxNumberOfMessages", in.MaxNumberOfMessages, 1, 1, MaxBatch)
	// -1 means the queue's own visibility timeout; 0 is a valid timeout.
	visibility, err2 := ranged("VisibilityTimeout", in.VisibilityTimeout, -1, 0, int(maxVisible.Seconds()))
	wait, err3 := ranged("WaitTimeSeconds", in.WaitTimeSeconds, 0, 0, int(MaxWait.Seconds()))
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return nil, err
		}
	}

	messages, err := a.Broker.Receive(
		ctx, in.QueueUrl, n, time.Duration(wait)*time.Second, time.Duration(visibility)*time.Second,
	)
	if err != nil {
		return nil, err
	}

	out := struct {
		Messages []received `json:",omitempty"`
	}{}
	for _, m := range messages {
		attributes := chosen(m.Attributes, in.MessageAttributeNames)
		out.Messages = append(out.Messages, received{
			MessageId: m.ID, ReceiptHandle: m.handle, Body: m.Body, MD5OfBody: Checksum(m.Body),
			Attributes:        chosen(m.SystemAttributes(), append(in.AttributeNames, in.MessageSystemAttributeNames...)),
			MessageAttributes: attributes, MD5OfMessageAttributes: attributesChecksum(attributes),
		})
	}

	return out, nil
}

// SystemAttributes returns SQS's own attributes of a received message.
func (m *Message) SystemAttributes() map[string]string {
	out := map[string]string{
		"SenderId":                         template.Account,
		"SentTimestamp":                    strconv.FormatInt(m.Sent.UnixMilli(), 10),
		"ApproximateReceiveCount":          strconv.Itoa(m.Receives),
		"ApproximateFirstReceiveTimestamp": strconv.FormatInt(m.FirstReceived.UnixMilli(), 10),
	}
	if m.Group != "" {
		out["MessageGroupId"] = m.Group
	}
	if m.Trace != "" {
		out["AWSTraceHeader"] = m.Trace
	}
	return out
}

// chosen returns the entries that names select: by name, by "All" or ".*", or by a prefix "x.*".
func chosen[V any](all map[string]V, names []string) map[string]V {
	out := map[string]V{}
	for name, v := range all {
		if slices.ContainsFunc(names, func(want string) bool {
			prefix, isPrefix := strings.CutSuffix(want, ".*")
			return want == name || want == "All" || (isPrefix && strings.HasPrefix(name, prefix))
		}) {
			out[name] = v
		}
	}
	return out
}

type handleIn struct {
	Id                string // only in a batch
	QueueUrl          string
	ReceiptHandle     string
	VisibilityTimeout *int
}

type idOut struct {
	Id string `json:",omitempty"`
}

func (a *API) delete(_ context.Context, in handleIn) (any, error) {
	return idOut{in.Id}, a.Broker.Delete(in.QueueUrl, in.ReceiptHandle)
}

func (a *API) changeVisibility(_ context.Context, in handleIn) (any, error) {
	if in.VisibilityTimeout == nil {
		return nil, &Error{Type: "MissingParameter", Message: "The request must contain the parameter VisibilityTimeout."}
	}
	seconds, err := ranged("VisibilityTimeout", in.VisibilityTimeout, 0, 0, int(maxVisible.Seconds()))
	if err != nil {
		return nil, err
	}
	return idOut{in.Id}, a.Broker.ChangeVisibility(in.QueueUrl, in.ReceiptHandle, time.Duration(seconds)*time.Second)
}

type handlesIn struct {
	QueueUrl string
	Entries  []handleIn
}

func (a *API) deleteBatch(ctx context.Context, in handlesIn) (any, error) {
	return a.eachHandle(ctx, in, a.delete)
}

func (a *API) changeVisibilityBatch(ctx context.Context, in handlesIn) (any, error) {
	return a.eachHandle(ctx, in, a.changeVisibility)
}

func (a *API) eachHandle(
	ctx context.Context, in handlesIn, f func(context.Context, handleIn) (any, error),
) (any, error) {
	// A missing queue fails the whole request instead of each entry.
	if _, err := a.Broker.Visibility(in.QueueUrl); err != nil {
		return nil, err
	}
	return batch(a, in.Entries, func(e handleIn) string { return e.Id }, func(e handleIn) (any, error) {
		e.QueueUrl = in.QueueUrl
		return f(ctx, e)
	})
}

func (a *API) attributes(_ context.Context, in struct {
	QueueUrl       string
	AttributeNames []string
}) (any, error) {
	var count Count
	about, err := ask(a.Broker, in.QueueUrl, func(q *queue) template.Queue {
		q.promote(a.Broker.clock())
		count = q.count()
		return q.about
	})
	if err != nil {
		return nil, err
	}

	seconds := func(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }
	all := map[string]string{
		"ApproximateNumberOfMessages":           strconv.Itoa(count.Visible),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(count.InFlight),
		"ApproximateNumberOfMessagesDelayed":    strconv.Itoa(count.Delayed),
		"VisibilityTimeout":                     seconds(about.Visibility),
		"MessageRetentionPeriod":                seconds(about.Retention),
		"MaximumMessageSize":                    strconv.Itoa(about.MaxBytes),
		"QueueArn":                              arn(about.Name),
	}
	if about.DeadQueue != "" {
		policy, _ := json.Marshal(map[string]any{ // always encodes
			"deadLetterTargetArn": arn(about.DeadQueue), "maxReceiveCount": about.MaxReceive,
		})
		all["RedrivePolicy"] = string(policy)
	}

	for _, name := range in.AttributeNames {
		if _, known := all[name]; !known && name != "All" && name != "RedrivePolicy" {
			return nil, &Error{Type: "InvalidAttributeName", Message: "Unknown Attribute " + name + "."}
		}
	}

	return struct {
		Attributes map[string]string `json:",omitempty"`
	}{chosen(all, in.AttributeNames)}, nil
}

func arn(name string) string { return "arn:aws:sqs:us-east-1:" + template.Account + ":" + name }
