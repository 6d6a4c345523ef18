package queue

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/clock"
)

// TestRedriveMovesDeadLettersBack: queues in memory bury and redrive messages like queues with a journal, and call
// keep before each change.
func TestRedriveMovesDeadLettersBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		b := New(wanted, clock.System, func(e Entry) error {
			told = append(told, e.Op+" "+e.Queue)
			return nil
		})
		defer b.Close()
		id, err := b.Send("Jobs", Outgoing{Body: "x"})
		if err != nil {
			t.Fatal(err)
		}
		for receive, want := range []int{1, 1, 0} {
			if got, err := b.Receive(t.Context(), "Jobs", 1, 0, -1); len(got) != want || err != nil {
				t.Errorf("receive %d: %v, %v", receive, got, err)
			}
			if held, err := b.Holds("Jobs", id); held != (want == 1) || err != nil { // while it is hidden, too
				t.Errorf("receive %d: the queue holds it: %t, %v", receive, held, err)
			}
			time.Sleep(31 * time.Second)
		}
		if dead, err := b.Messages("Dead"); len(dead) != 1 || dead[0].Receives != 2 || err != nil {
			t.Errorf("dead letters %v, %v", dead, err)
		}

		if err := b.Redrive("Jobs"); err != nil {
			t.Fatal(err)
		}
		got, err := b.Receive(t.Context(), "Jobs", 1, 0, -1)
		if len(got) != 1 || got[0].Body != "x" || got[0].Receives != 1 || err != nil {
			t.Errorf("after the redrive: %v, %v", got, err)
		}
		if dead, err := b.Messages("Dead"); len(dead) != 0 || err != nil {
			t.Errorf("dead letters after the redrive: %v, %v", dead, err)
		}
		want := []string{
			"send Jobs", "receive Jobs", "receive Jobs", "send Dead", "delete Jobs", "send Jobs", "delete Dead", "receive Jobs",
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %q", told)
		}
	})
}

func TestKeepRefusesChange(t *testing.T) {
	refusal := errors.New("full")
	b := New(wanted, clock.System, func(Entry) error { return refusal })
	defer b.Close()
	if _, err := b.Send("Jobs", Outgoing{Body: "x"}); !errors.Is(err, refusal) {
		t.Errorf("sent: %v", err)
	}
	if all, err := b.Messages("Jobs"); len(all) != 0 || err != nil {
		t.Errorf("it is there: %v, %v", all, err)
	}
}

// TestReceiverGetsWholeBatch: a waiting receiver does not run between two messages of a batch.
func TestReceiverGetsWholeBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(wanted, clock.System, func(Entry) error {
			for range 10_000 {
				runtime.Gosched() // long enough for the receiver to take the lock if it is free
			}
			return nil
		})
		defer b.Close()
		received := make(chan int)
		go func() {
			got, _ := b.Receive(t.Context(), "Jobs", MaxBatch, MaxWait, -1)
			received <- len(got)
		}()
		synctest.Wait()

		var entries []string
		for n := range MaxBatch {
			entries = append(entries, fmt.Sprintf(`{"Id":"%d","MessageBody":"x"}`, n))
		}
		request := `{"QueueUrl":"Jobs","Entries":[` + strings.Join(entries, ",") + `]}`
		if _, err := operations["SendMessageBatch"](&API{Broker: b}, t.Context(), []byte(request)); err != nil {
			t.Fatal(err)
		}
		if n := <-received; n != MaxBatch {
			t.Errorf("the receiver got %d of %d", n, MaxBatch)
		}
	})
}
