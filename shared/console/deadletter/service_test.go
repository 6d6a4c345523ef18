package deadletter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
)

// queue is an in-memory fake of a dead-letter queue and of the sender to its original queue.
type queue struct {
	mu     sync.Mutex
	there  []deadletter.Message
	hidden map[string]bool
	most   int // maximum messages per Receive
	looks  int // calls of Receive

	refuse func(id string) bool // by the sender
	stuck  func(id string) bool // cannot be deleted
	failed error                // error of the sender
	broken string               // the method that fails: Count, Receive, Release, Delete
	sent   []deadletter.Message
}

func (q *queue) Count(context.Context) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.there), q.fails("Count")
}

var errBroken = errors.New("no queue")

// fails returns the error of a call. A call with a message that is not hidden also fails.
func (q *queue) fails(call string, about ...deadletter.Message) error {
	for _, m := range about {
		if !q.hidden[m.ID] {
			return fmt.Errorf("%s of %s: it is gone", call, m.ID)
		}
	}
	if q.broken == call {
		return errBroken
	}
	return nil
}

func (q *queue) Receive(_ context.Context, hide time.Duration) (out []deadletter.Message, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.looks++
	if err := q.fails("Receive"); err != nil {
		return nil, err
	}
	if hide <= 0 {
		return nil, errors.New("it would be shown to others")
	}
	for _, m := range q.there {
		if !q.hidden[m.ID] && len(out) < q.most {
			q.hidden[m.ID], out = true, append(out, m)
		}
	}
	return out, nil
}

func (q *queue) Release(ctx context.Context, some []deadletter.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.fails("Release", some...); err != nil || len(some) == 0 {
		return errors.Join(err, errBroken)
	}
	for _, m := range some {
		delete(q.hidden, m.ID)
	}
	return ctx.Err()
}

func (q *queue) Delete(ctx context.Context, gone []deadletter.Message) (left []deadletter.Message, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.fails("Delete", gone...); err != nil {
		return gone, err
	}
	for _, m := range gone {
		if q.stuck(m.ID) {
			left = append(left, m)
			continue
		}
		delete(q.hidden, m.ID)
		q.there = slices.DeleteFunc(q.there, func(other deadletter.Message) bool { return m.ID == other.ID })
	}
	return left, ctx.Err()
}

func (q *queue) Resend(_ context.Context, all []deadletter.Message) (map[string]bool, error) {
	taken := map[string]bool{}
	for _, m := range all {
		if !q.refuse(m.ID) {
			q.sent, taken[m.ID] = append(q.sent, m), true
		}
	}
	return taken, q.failed
}

// ids returns the ids of the messages, sorted.
func ids(messages []deadletter.Message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.ID)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// atNoon is the time of these tests.
var atNoon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// newQueue returns a queue of jobs of application 7 with the given ids. They are a second old, each a millisecond older
// than the one before.
func newQueue(names string) *queue {
	none := func(string) bool { return false }
	q := &queue{hidden: map[string]bool{}, most: 10, refuse: none, stuck: none}
	for i, name := range strings.Fields(names) {
		q.there = append(q.there, deadletter.Message{
			ID: name, Body: fmt.Sprintf(`{"scope":"7.production","function":3,"job":%d}`, i+1), Group: "7",
			SentAt: atNoon.Add(-time.Second - time.Duration(i)*time.Millisecond),
		})
	}
	return q
}

// newService returns a service with one queue of dead jobs.
func newService(q *queue) *deadletter.Service {
	return &deadletter.Service{
		Queues:  map[deadletter.Kind]deadletter.Queue{deadletter.Jobs: q},
		Senders: map[deadletter.Target]deadletter.Sender{deadletter.JobQueue: q},
		Clock:   clock.Fixed(atNoon),
	}
}

// TestKeepsLettersThatWereNotSent: a letter is deleted only after its queue has accepted it.
func TestKeepsLettersThatWereNotSent(t *testing.T) {
	for name, c := range map[string]struct {
		refuse string
		failed error
		left   string
		done   deadletter.Done
	}{
		"all are sent":    {"", nil, "", deadletter.Done{Done: 3}},
		"one is refused":  {"b", nil, "b", deadletter.Done{Done: 2, Kept: 1}},
		"all are refused": {"a b c", nil, "a b c", deadletter.Done{Kept: 3}},
		"the queue fails": {"b c", errors.New("no queue"), "b c", deadletter.Done{Done: 1, Kept: 2}},
	} {
		q := newQueue("a b c")
		q.failed, q.refuse = c.failed, func(id string) bool { return strings.Contains(c.refuse, id) }
		done, err := newService(q).Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Jobs})
		if done != c.done || ids(q.there) != c.left || !errors.Is(err, c.failed) {
			t.Errorf("%s: %+v, %v, left %q", name, done, err, ids(q.there))
		}
		for _, m := range q.sent {
			if m.Redrives != 1 || m.Group != "7" {
				t.Errorf("%s: sent %+v", name, m)
			}
		}
	}
}

// TestReturnsInspectedLetters to the queue, except deleted ones, even if the queue returns few at a time; each letter
// is seen once.
func TestReturnsInspectedLetters(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*deadletter.Service) (deadletter.Done, error)
		left string
		done deadletter.Done
	}{
		"one is deleted": {func(s *deadletter.Service) (deadletter.Done, error) {
			return s.Delete(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Jobs, IDs: []string{"c"}})
		}, "a b d e stuck", deadletter.Done{Done: 1}},
		"all are deleted": {func(s *deadletter.Service) (deadletter.Done, error) {
			return s.Delete(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Jobs})
		}, "stuck", deadletter.Done{Done: 5, Kept: 1}},
		"all are sent, one stays": {func(s *deadletter.Service) (deadletter.Done, error) {
			return s.Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Jobs})
		}, "stuck", deadletter.Done{Done: 6}},
		"another application's": {func(s *deadletter.Service) (deadletter.Done, error) {
			return s.Redrive(t.Context(), deadletter.Selection{App: 8, Kind: deadletter.Jobs})
		}, "a b c d e stuck", deadletter.Done{}},
		"the caller has gone": {func(s *deadletter.Service) (deadletter.Done, error) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return s.Redrive(ctx, deadletter.Selection{App: 7, Kind: deadletter.Jobs, IDs: []string{"a"}})
		}, "b c d e stuck", deadletter.Done{Done: 1}},
	} {
		q := newQueue("a b c d e stuck")
		q.most, q.stuck = 2, func(id string) bool { return id == "stuck" }
		done, err := c.do(newService(q))
		if err != nil || done != c.done || ids(q.there) != c.left || len(q.hidden) > 0 {
			t.Errorf("%s: %+v, %v, left %q, hidden %v", name, done, err, ids(q.there), q.hidden)
		}
	}
}

// TestStopsAfterTheLastNamedLetter; the rest of the queue is not read.
func TestStopsAfterTheLastNamedLetter(t *testing.T) {
	q := newQueue("a b c d e f")
	q.most = 1
	s := newService(q)
	named := deadletter.Selection{App: 7, Kind: deadletter.Jobs, IDs: []string{"b", "d"}}
	if done, err := s.Redrive(t.Context(), named); err != nil || done != (deadletter.Done{Done: 2}) || q.looks != 4 {
		t.Errorf("%+v, %v after %d looks", done, err, q.looks)
	}
	if _, err := s.Redrive(t.Context(), named); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("the same again: %v", err)
	}
}

// TestRedrivesReturningLettersOnce: only letters sent before a time are redriven, by default before now. Queues store
// milliseconds.
func TestRedrivesReturningLettersOnce(t *testing.T) {
	for _, c := range []struct {
		before time.Time
		sent   string
	}{
		{time.Time{}, "a b c"},
		{atNoon.Add(-time.Second), "b c"},
		{atNoon.Add(-time.Second + 999*time.Microsecond), "b c"},
		{atNoon.Add(-time.Second + time.Millisecond), "a b c"},
		{atNoon.Add(-time.Hour), ""},
	} {
		q := newQueue("a b c later")
		q.there[3].SentAt = atNoon
		_, err := newService(q).Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Jobs, Before: c.before})
		if err != nil || ids(q.sent) != c.sent {
			t.Errorf("before %v: sent %q, %v", c.before, ids(q.sent), err)
		}
	}
}

// TestKeepsLettersWithoutAQueue; records need a recount instead.
func TestKeepsLettersWithoutAQueue(t *testing.T) {
	q := newQueue("a")
	q.there[0].Body = `{"reason":"no row","event":{"dynamodb":{"Keys":{"pk":{"S":"7.production#5"}}}}}`
	s := &deadletter.Service{Queues: map[deadletter.Kind]deadletter.Queue{deadletter.Events: q}, Clock: clock.Fixed(atNoon)}
	done, err := s.Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Events})
	if err != nil || done != (deadletter.Done{Kept: 1}) || len(q.there) != 1 {
		t.Errorf("%+v, %v, %d left", done, err, len(q.there))
	}
	if _, err := s.Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Records}); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("records: %v", err)
	}
}

// TestRepeatsTheLookUntilAllIsSeen while another reader holds some of the letters, for at most six seconds.
func TestRepeatsTheLookUntilAllIsSeen(t *testing.T) {
	for after, more := range map[time.Duration]bool{200 * time.Millisecond: false, time.Minute: true} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue("a b c")
			q.hidden["b"] = true
			time.AfterFunc(after, func() { q.Release(context.Background(), []deadletter.Message{{ID: "b"}}) })
			s := newService(q)
			s.Clock = clock.System
			began := time.Now()
			found, err := s.List(t.Context(), 7, deadletter.Jobs)
			if err != nil || found.Held[0].More != more || len(found.Letters) != 3 != more {
				t.Errorf("another gives back after %v: %+v, %v", after, found.Held, err)
			}
			if took := time.Since(began); took > 6*time.Second {
				t.Errorf("a look took %v", took)
			}
			time.Sleep(time.Minute)
		})
	}
}

// TestListsTheNewestOfALongQueue: a list reads a thousand letters, or for six seconds, and returns the newest 200.
func TestListsTheNewestOfALongQueue(t *testing.T) {
	for _, c := range []struct {
		there, seen, shown int
		more               bool
		pace               time.Duration // of one receive
	}{
		{0, 0, 0, false, 0}, {200, 200, 200, false, 0}, {999, 999, 200, false, 0}, {1000, 1000, 200, true, 0},
		{1300, 1000, 200, true, 0}, {1300, 60, 60, true, time.Second}, {40, 40, 40, false, time.Second},
	} {
		var names strings.Builder
		for i := range c.there {
			fmt.Fprintf(&names, "m%04d ", i)
		}
		q, now := newQueue(names.String()), atNoon
		s := newService(q)
		s.Clock = func() time.Time { now = now.Add(c.pace); return now }
		found, err := s.List(t.Context(), 7, deadletter.Jobs)
		if err != nil || len(found.Letters) != c.shown || found.Held[0].More != c.more || len(q.hidden) > 0 {
			t.Errorf("%d: %d letters, %+v, %v, %d hidden", c.there, len(found.Letters), found.Held, err, len(q.hidden))
		}
		if seen := found.Held[0].Letters; seen != c.seen {
			t.Errorf("%d: %d seen, want %d", c.there, seen, c.seen)
		}
		if !slices.IsSortedFunc(found.Letters, func(a, b deadletter.Letter) int { return strings.Compare(a.ID, b.ID) }) {
			t.Errorf("%d: they are not listed newest first", c.there)
		}
	}
}

// TestListsAllQueues: the letters of the application and the number of others, per queue. One failing queue fails the
// list.
func TestListsAllQueues(t *testing.T) {
	s := newService(newQueue("a"))
	for _, kind := range deadletter.Kinds {
		s.Queues[kind] = newQueue("")
	}
	jobs, bulk := newQueue("b a"), newQueue("c d")
	jobs.there[1].SentAt = jobs.there[0].SentAt
	bulk.there[1].Body = `{"scope":"8.production","operation":9}`
	s.Queues[deadletter.Jobs], s.Queues[deadletter.Bulk] = jobs, bulk
	found, err := s.List(t.Context(), 7)
	if err != nil || !found.At.Equal(atNoon) || len(found.Held) != len(deadletter.Kinds) {
		t.Fatalf("%+v, %v", found, err)
	}
	for i, held := range found.Held {
		want := map[deadletter.Kind][2]int{deadletter.Jobs: {2, 0}, deadletter.Bulk: {1, 1}}[deadletter.Kinds[i]]
		if held.Kind != deadletter.Kinds[i] || held.Letters != want[0] || *held.Others != want[1] || held.More {
			t.Errorf("held %+v", held)
		}
	}
	var listed []string
	for _, l := range found.Letters {
		listed = append(listed, l.ID)
	}
	if strings.Join(listed, " ") != "a b c" {
		t.Errorf("listed %v", listed)
	}

	if looked := s.Queues[deadletter.Records].(*queue).looks; looked != 0 {
		t.Errorf("an empty queue is looked into %d times", looked)
	}

	bulk.broken = "Count"
	if found, err := s.List(t.Context(), 7); err == nil || found.Held != nil {
		t.Errorf("a queue fails: %+v, %v", found, err)
	}
}

// TestReturnsErrorsOfQueues from every call of a queue and of its sender, including the final release.
func TestReturnsErrorsOfQueues(t *testing.T) {
	all := deadletter.Selection{App: 7, Kind: deadletter.Jobs}
	for _, call := range []string{"Count", "Receive", "Release", "Delete"} {
		q := newQueue("a b")
		q.broken, q.refuse = call, func(id string) bool { return id == "b" }
		if _, err := newService(q).Redrive(t.Context(), all); !errors.Is(err, errBroken) {
			t.Errorf("%s fails: a redrive says %v", call, err)
		}
		q.hidden = map[string]bool{}
		if _, err := newService(q).List(t.Context(), 7, deadletter.Jobs); (err == nil) != (call == "Delete") {
			t.Errorf("%s fails: a list says %v", call, err)
		}
		q.hidden = map[string]bool{}
		// Deleted messages are not released.
		if _, err := newService(q).Delete(t.Context(), all); (err == nil) != (call == "Release") {
			t.Errorf("%s fails: a deletion says %v", call, err)
		}
	}

	for name, sel := range map[string]deadletter.Selection{"all": all, "named": {App: 7, Kind: deadletter.Jobs, IDs: []string{"a"}}} {
		q, now := newQueue("a"), atNoon
		q.failed = errors.New("the sender failed")
		s := newService(q)
		s.Clock = func() time.Time { now = now.Add(time.Minute); return now } // the time is over, too
		if done, err := s.Redrive(t.Context(), sel); !errors.Is(err, q.failed) || done.Done != 1 {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}

// TestMissingLetterIsNotFoundOnlyAfterAllWereSeen: before that, the letter may be among the unread ones.
func TestMissingLetterIsNotFoundOnlyAfterAllWereSeen(t *testing.T) {
	q := newQueue("a b c")
	q.most, q.refuse = 1, func(string) bool { return true }
	named := deadletter.Selection{App: 7, Kind: deadletter.Jobs, IDs: []string{"a"}}
	if done, err := newService(q).Redrive(t.Context(), named); err != nil || done != (deadletter.Done{Kept: 1}) || q.looks != 1 {
		t.Errorf("it is kept: %+v, %v after %d looks", done, err, q.looks)
	}
	now := atNoon
	s := newService(newQueue("a b c"))
	s.Clock = func() time.Time { now = now.Add(time.Minute); return now }
	named.IDs[0] = "z"
	if done, err := s.Redrive(t.Context(), named); err != nil || done != (deadletter.Done{More: true}) {
		t.Errorf("not all was seen: %+v, %v", done, err)
	}
}

// TestSlowRunReturnsToItsQueue: runs of an action go to the normal or the slow queue.
func TestSlowRunReturnsToItsQueue(t *testing.T) {
	dead, quick, slow := newQueue("a b"), newQueue(""), newQueue("")
	dead.there[0].Body = `{"scope":"7.production","trigger":8,"run":"r1"}`
	dead.there[1].Body = `{"reason":"no","event":{"scope":"7.production","trigger":8,"run":"r2","slow":true}}`
	s := &deadletter.Service{
		Queues: map[deadletter.Kind]deadletter.Queue{deadletter.Actions: dead}, Clock: clock.Fixed(atNoon),
		Senders: map[deadletter.Target]deadletter.Sender{deadletter.ActionQueue: quick, deadletter.SlowActionQueue: slow},
	}
	if _, err := s.Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Actions}); err != nil {
		t.Fatal(err)
	}
	if ids(quick.sent) != "a" || ids(slow.sent) != "b" || slow.sent[0].Body != `{"scope":"7.production","trigger":8,"run":"r2","slow":true}` {
		t.Errorf("quick %v, slow %v", quick.sent, slow.sent)
	}
}

func TestCutsLongBodiesAtCharacters(t *testing.T) {
	for text, cut := range map[string]bool{
		strings.Repeat("x", deadletter.MaxBody): false, strings.Repeat("x", deadletter.MaxBody+1): true,
		"x" + strings.Repeat("é", deadletter.MaxBody/2): true,
	} {
		shown := deadletter.Read(deadletter.Jobs, deadletter.Message{Body: text}).Body
		whole := strings.TrimSuffix(shown, "…")
		if cut != (shown != text) || cut == (whole == shown) || !strings.HasPrefix(text, whole) || len(whole) < deadletter.MaxBody-len("…x") {
			t.Errorf("of %d bytes %d are shown", len(text), len(shown))
		}
	}
}

func TestResentMessagesCarryTheirRedrives(t *testing.T) {
	for _, n := range []int{0, 1, 7} {
		if got := deadletter.RedrivesOf(deadletter.WithRedrives(t.Context(), n)); got != n {
			t.Errorf("%d redrives, want %d", got, n)
		}
	}
}
