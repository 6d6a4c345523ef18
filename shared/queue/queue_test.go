package queue

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/errs"
	"minicloud/shared/job"
)

type fakeSQS struct {
	sent []*sqs.SendMessageInput
	err  error
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
		q := &Jobs{Queue{Client: fake, URL: "here"}}
		if err := q.Send(t.Context(), job.Message{Scope: "7.production", Function: 1, Job: 2}, "7", c.delay); err != nil {
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
	q := &Jobs{Queue{Client: &fakeSQS{err: errors.New("refused")}}}
	if err := q.Send(t.Context(), job.Message{}, "7", 0); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("refused: %v", err)
	}
}
