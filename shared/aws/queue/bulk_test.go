package queue

import (
	"testing"
	"time"

	"minicloud/shared/tenant"
)

func TestSubmit(t *testing.T) {
	fake := &fakeSQS{}
	q := &Bulk{Queue{Client: fake, URL: "here"}}
	if err := q.Submit(t.Context(), tenant.Scope{App: 7, Env: tenant.Production}, 12, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	in := fake.sent[0]
	if in.DelaySeconds != 2 || *in.MessageGroupId != "7" || *in.MessageBody != `{"scope":"7.production","operation":12}` {
		t.Errorf("sent %d s, %s as %s", in.DelaySeconds, *in.MessageBody, *in.MessageGroupId)
	}
}
