package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"minicloud/shared/errs"
	"minicloud/shared/job"
	"minicloud/shared/trace/chain"
)

type fakeSQS struct {
	sent    []*sqs.SendMessageInput
	batches [][]types.SendMessageBatchRequestEntry
	refuse  string // the body of a message that fails in a batch
	passing int    // how often it fails for a reason of SQS; then it is sent. 0 = the message is at fault
	err     error
}

func (f *fakeSQS) SendMessageBatch(
	_ context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options),
) (*sqs.SendMessageBatchOutput, error) {
	f.batches = append(f.batches, in.Entries)
	out := &sqs.SendMessageBatchOutput{}
	ids := map[string]bool{}
	for _, e := range in.Entries {
		if ids[*e.Id] || *in.QueueUrl != "here" || *e.MessageGroupId != "7" {
			return nil, errors.New("an entry that SQS refuses")
		}
		if ids[*e.Id] = true; *e.MessageBody == f.refuse {
			failed := types.BatchResultErrorEntry{Id: e.Id, Code: aws.String("InternalError"), SenderFault: f.passing == 0}
			out.Failed = append(out.Failed, failed)
			if f.passing--; f.passing == 0 {
				f.refuse = ""
			}
		}
	}
	return out, f.err
}

// number is a message of application 7.
type number int

func (number) Group() string { return "7" }

// TestSendsTheRestOfAFailedBatch: Send sends ten messages per call; if one fails, it returns an error and sends the
// others.
func TestSendsTheRestOfAFailedBatch(t *testing.T) {
	for _, tt := range []struct {
		n       int
		refuse  string
		err     error
		batches []int
		fails   bool
	}{
		{0, "", nil, nil, false}, {1, "", nil, nil, false}, {2, "", nil, []int{2}, false},
		{10, "", nil, []int{10}, false}, {25, "", nil, []int{10, 10, 5}, false},
		{25, "3", nil, []int{10, 10, 5}, true}, {25, "24", nil, []int{10, 10, 5}, true},
		{12, "", errors.New("throttled"), []int{10, 2}, true},
	} {
		fake := &fakeSQS{refuse: tt.refuse, err: tt.err}
		q := Of[number]{Queue{Client: fake, URL: "here"}}
		all := make([]number, tt.n)
		for i := range all {
			all[i] = number(i)
		}
		err := q.Send(t.Context(), 0, all...)
		if errs.Is(err, errs.KindUnavailable) != tt.fails || (err != nil) != tt.fails {
			t.Errorf("%d, of which %q is refused: %v", tt.n, tt.refuse, err)
		}

		var sizes []int
		n := len(fake.sent)
		for _, b := range fake.batches {
			sizes = append(sizes, len(b))
			for _, e := range b {
				if *e.MessageBody != fmt.Sprint(n) {
					t.Errorf("message %d is %s", n, *e.MessageBody)
				}
				n++
			}
		}
		if n != tt.n || !slices.Equal(sizes, tt.batches) {
			t.Errorf("%d messages went as %v, %d alone", tt.n, sizes, len(fake.sent))
		}
	}
}

// TestSendsWhatSQSLeft: messages that SQS could not take in a call are sent in another one, alone.
func TestSendsWhatSQSLeft(t *testing.T) {
	for _, tt := range []struct {
		passing int
		batches []int
		fails   bool
	}{{1, []int{10, 1, 2}, false}, {3, []int{10, 1, 1, 1, 2}, false}, {100, []int{10, 1, 1, 1, 1, 1, 2}, true}} {
		fake := &fakeSQS{refuse: "3", passing: tt.passing}
		q := Of[number]{Queue{Client: fake, URL: "here"}}
		err := q.Send(t.Context(), 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
		if errs.Is(err, errs.KindUnavailable) != tt.fails {
			t.Errorf("left %d times: %v", tt.passing, err)
		}
		var sizes []int
		for _, b := range fake.batches {
			if sizes = append(sizes, len(b)); len(b) == 1 && *b[0].MessageBody != "3" {
				t.Errorf("%s was sent again", *b[0].MessageBody)
			}
		}
		if !slices.Equal(sizes, tt.batches) {
			t.Errorf("left %d times: batches of %v, want %v", tt.passing, sizes, tt.batches)
		}
	}
}

func (f *fakeSQS) SendMessage(
	_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options),
) (*sqs.SendMessageOutput, error) {
	f.sent = append(f.sent, in)
	return &sqs.SendMessageOutput{}, f.err
}

func TestSend(t *testing.T) {
	for _, c := range []struct {
		delay time.Duration
		want  int32
	}{{-time.Second, 0}, {0, 0}, {time.Millisecond, 1}, {20 * time.Second, 20}, {time.Hour, 900}} {
		fake := &fakeSQS{}
		q := &Of[job.Message]{Queue{Client: fake, URL: "here"}}
		if err := q.Send(t.Context(), c.delay, job.Message{Scope: "7.production", Function: 1, Job: 2}); err != nil {
			t.Fatal(err)
		}
		in := fake.sent[0]
		if in.DelaySeconds != c.want || *in.QueueUrl != "here" || *in.MessageGroupId != "7" ||
			*in.MessageBody != `{"scope":"7.production","function":1,"job":2}` {
			t.Errorf(
				"%v: sent %d s, %s to %s as %s", c.delay, in.DelaySeconds, *in.MessageBody, *in.QueueUrl, *in.MessageGroupId,
			)
		}
	}
	q := &Of[job.Message]{Queue{Client: &fakeSQS{err: errors.New("refused")}}}
	if err := q.Send(t.Context(), 0, job.Message{}); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("refused: %v", err)
	}
}

func TestRefuseStoresTheReason(t *testing.T) {
	for event, want := range map[string]string{
		`{"a":1}`: `{"reason":"unknown type","event":{"a":1}}`,
		`{`:       `{"reason":"unknown type","event":"{"}`,
	} {
		fake := &fakeSQS{}
		q := &DeadLetters{Queue{Client: fake, URL: "here"}}
		if err := q.Refuse(t.Context(), "7", "unknown type", []byte(event)); err != nil {
			t.Fatal(err)
		}
		if in := fake.sent[0]; *in.MessageGroupId != "7" || *in.MessageBody != want {
			t.Errorf("sent %s as %s, want %s", *in.MessageGroupId, *in.MessageBody, want)
		}
	}
}

// TestSendContinuesChain: only a message to a queue of the program itself has the next place in its chain.
func TestSendContinuesChain(t *testing.T) {
	ctx := chain.NewContext(t.Context(), chain.Link{Generation: 3}, "own")
	for url, want := range map[string]string{"own": "4 1", "other": ""} {
		fake := &fakeSQS{}
		q := &Of[number]{Queue{Client: fake, URL: url}}
		if err := q.Send(ctx, 0, 1); err != nil {
			t.Fatal(err)
		}
		if got := aws.ToString(fake.sent[0].MessageAttributes["Chain"].StringValue); got != want {
			t.Errorf("to %s: %q, want %q", url, got, want)
		}
	}
}
