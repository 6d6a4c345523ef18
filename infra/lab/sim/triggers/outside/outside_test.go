package outside

import (
	"fmt"
	"testing"
	"time"

	"minicloud/shared/message/templatemessage"
)

// TestFormIDsRunOut: a run may skip a person once the last of the person's form ids has been used, and not before.
func TestFormIDsRunOut(t *testing.T) {
	o, p := &Services{seen: map[string]bool{}, shown: map[string][]time.Time{}}, Person{Name: "ada", Triples: 2}
	show := func(n int) {
		o.show(templatemessage.Message{To: "ada", FormID: fmt.Sprintf("ada/payment/%d", n)})
	}
	show(0)
	show(0)
	o.show(templatemessage.Message{To: "ada", FormID: "ada/form/0"})
	if p.MayMiss(o, "ada", time.Now()) {
		t.Error("there is another form id")
	}
	show(1)
	if now := time.Now(); !p.MayMiss(o, "ada", now) || p.MayMiss(o, "ada", now.Add(-Skew-time.Second)) {
		t.Error("only later runs may miss")
	}
}

// TestTriesOfMessages: a run is counted for each batch that has its message.
func TestTriesOfMessages(t *testing.T) {
	p := &points{SendTries: map[string]int{}}
	for _, batch := range []string{
		`{"Entries":[{"MessageBody":"{\"run\":\"a-1\"}"},{"MessageBody":"{\"at\":1,\"run\":\"b-2\"}"}]}`,
		`{"Entries":[{"MessageBody":"{\"run\":\"b-2\"}"}]}`,
	} {
		p.Befell("done", "recordtrigger", "SendMessageBatch", batch, "")
	}
	if p.SendTries["a-1"] != 1 || p.SendTries["b-2"] != 2 {
		t.Errorf("%v", p.SendTries)
	}
}
