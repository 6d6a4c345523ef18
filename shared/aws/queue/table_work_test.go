package queue

import (
	"testing"

	"minicloud/shared/table"
)

func TestTableWork(t *testing.T) {
	fake := &fakeSQS{}
	q := &TableWork{Queue{Client: fake, URL: "here"}}
	if err := q.Submit(
		t.Context(), table.Task{Scope: "7.production", Table: 5, Index: "age", Build: true}, 60,
	); err != nil {
		t.Fatal(err)
	}
	if in := fake.sent[0]; in.DelaySeconds != 60 || *in.MessageGroupId != "7" ||
		*in.MessageBody != `{"scope":"7.production","table":5,"index":"age","build":true}` {
		t.Errorf("sent %d s to group %s: %s", in.DelaySeconds, *in.MessageGroupId, *in.MessageBody)
	}
}
