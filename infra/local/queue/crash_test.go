package queue

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// TestCrashMakesMessagesInFlightVisible also checks that requests are refused while the queues are down, that a
// waiting receiver survives the crash, that a deleted message stays deleted, and that old handles do nothing.
func TestCrashMakesMessagesInFlightVisible(t *testing.T) {
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
		messages, _ := r.Receive(t.Context(), "Dead", 1, 3*time.Minute, -1)
		waited <- messages
	}()

	down, back, crashed := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { crashed <- r.crash(func() { close(down); <-back }) }()
	<-down
	_, err = r.client.SendMessage(t.Context(), &sqs.SendMessageInput{
		QueueUrl: r.url("Jobs"), MessageBody: aws.String("refused"),
	})
	if err == nil {
		t.Error("sent while it was down")
	}
	sent := make(chan error)
	go func() { // blocks until the queues are restored
		_, err := r.Send("Jobs", Outgoing{Body: "of the local cloud"})
		sent <- err
	}()
	close(back)
	if err := errors.Join(<-crashed, <-sent); err != nil {
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

// TestRefusesChangesAfterFailedRestore: if the journal cannot be rewritten, as on a full disk, changes are refused
// until a restore succeeds.
func TestRefusesChangesAfterFailedRestore(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	r.sendTo(t, "Jobs", "kept", "")
	inTheWay := filepath.Join(dir, "queues.jsonl.next")
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700); err != nil {
		t.Fatal(err)
	}

	if err := r.Crash(0); err == nil {
		t.Error("restored without a journal")
	}
	if _, err := r.Send("Jobs", Outgoing{Body: "lost"}); err == nil {
		t.Error("sent without a journal")
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	if err := r.Crash(0); err != nil {
		t.Fatal(err)
	}
	r.sendTo(t, "Jobs", "new", "")
	bodies := r.bodies(t, "Jobs", 10)
	slices.Sort(bodies)
	if !slices.Equal(bodies, []string{"kept", "new"}) {
		t.Errorf("after the second restore: %v", bodies)
	}
}
