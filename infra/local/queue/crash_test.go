package queue

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// TestCrash: whoever asks meanwhile is refused, a receiver that waits outlives it, what was in flight is ready again,
// what was deleted stays so, and the old handle does nothing.
func TestCrash(t *testing.T) {
	r := open(t, t.TempDir())
	for _, body := range []string{"done", "held", "ready"} {
		r.sendTo(t, "Jobs", body, "")
	}
	got, err := r.Receive(t.Context(), "Jobs", 2, 0, -1)
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	if err := r.Delete("Jobs", got[0].Handle()); err != nil {
		t.Fatal(err)
	}
	waited := make(chan []Message)
	go func() {
		messages, _ := r.Receive(t.Context(), "Dead", 1, 20*time.Second, -1)
		waited <- messages
	}()

	crashed := make(chan error)
	go func() { crashed <- r.Crash(300 * time.Millisecond) }()
	for !r.down.Load() {
		time.Sleep(time.Millisecond)
	}
	_, err = r.client.SendMessage(t.Context(), &sqs.SendMessageInput{
		QueueUrl: r.url("Jobs"), MessageBody: aws.String("refused"),
	})
	if err == nil {
		t.Error("sent while it was down")
	}
	r.sendTo(t, "Jobs", "of the local cloud", "") // waits
	if err := <-crashed; err != nil {
		t.Fatal(err)
	}

	if err := r.Delete("Jobs", got[1].Handle()); err != nil {
		t.Error(err)
	}
	bodies := r.bodies(t, "Jobs", 10)
	slices.Sort(bodies)
	if !slices.Equal(bodies, []string{"held", "of the local cloud", "ready"}) {
		t.Errorf("after the crash: %v", bodies)
	}
	r.sendTo(t, "Dead", "late", "")
	if messages := <-waited; len(messages) != 1 || messages[0].Body != "late" {
		t.Errorf("who waited got %v", messages)
	}
}
