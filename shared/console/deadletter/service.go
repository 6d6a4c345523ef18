package deadletter

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// Limits of one look at a queue.
const (
	maxLooked = 1000 // messages, including those of other applications
	lookFor   = 6 * time.Second
	hideFor   = 30 * time.Second // longer than a look, but short for the next reader after an aborted one
	maxShown  = 200              // letters in a list
)

// Service lists and repairs the letters in the queues.
type Service struct {
	Queues  map[Kind]Queue
	Senders map[Target]Sender
	Clock   clock.Clock
}

// Held is the number of messages in a dead-letter queue.
type Held struct {
	Kind    Kind `json:"kind"`
	Letters int  `json:"letters"` // The number of dead letters of the application.
	Others  *int `json:"others"`  // The number of dead letters of other applications or none. null for accounts without access to all applications.
	More    bool `json:"more"`    // Whether the queue has more messages than were read.
}

// Listing is the list of dead letters.
type Listing struct {
	At      time.Time // when the queues were read
	Held    []Held    // for each requested kind
	Letters []Letter  // of the application, newest first
}

// List lists the dead letters of an application, of the given kinds or of all.
//
// It counts each queue; a queue that is not empty costs a receive and a release for every ten messages.
func (s *Service) List(ctx context.Context, app tenant.AppID, kinds ...Kind) (Listing, error) {
	if len(kinds) == 0 {
		kinds = Kinds
	}
	out := Listing{At: s.Clock.Now(), Held: make([]Held, len(kinds))}
	var mu sync.Mutex
	group, inner := errgroup.WithContext(ctx)
	for i, kind := range kinds {
		// Reading a queue takes seconds, so read all queues concurrently.
		group.Go(func() error {
			letters, held, err := s.look(inner, app, kind)
			mu.Lock()
			defer mu.Unlock()
			out.Held[i], out.Letters = held, append(out.Letters, letters...)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Listing{}, err
	}

	slices.SortFunc(out.Letters, func(a, b Letter) int {
		return cmp.Or(b.SentAt.Compare(a.SentAt), cmp.Compare(a.ID, b.ID))
	})
	out.Letters = out.Letters[:min(len(out.Letters), maxShown)]
	return out, nil
}

func (s *Service) look(ctx context.Context, app tenant.AppID, kind Kind) ([]Letter, Held, error) {
	held := Held{Kind: kind, Others: new(int)}
	var letters []Letter
	more, err := s.walk(ctx, kind, func(some []Letter) ([]Message, error) {
		for _, l := range some {
			// A queue is shared by all applications: return only the number of the others.
			if l.Scope.App == app {
				held.Letters++
				letters = append(letters, l)
			} else {
				*held.Others++
			}
		}
		return nil, nil
	})
	held.More = more
	return letters, held, err
}

// passes is the retry policy for reading a queue. Each pass hides the messages it receives from others until it ends,
// so two concurrent readers may each see a part: both release their messages and retry after different delays. SQS may
// also return no messages from a queue that has some.
var passes = retry.Policy{Tries: 8, First: 50 * time.Millisecond, Longest: 400 * time.Millisecond}

var (
	errEnough = errors.New("enough was seen")
	errMore   = errors.New("there is more than was seen")
	errBound  = errors.New("there is more than is looked at")
)

// walk passes each letter of a queue to visit once and releases the messages that visit does not return as gone. visit
// may stop it with errEnough. more reports whether some letters were not read.
func (s *Service) walk(
	ctx context.Context, kind Kind, visit func([]Letter) (gone []Message, err error),
) (more bool, err error) {
	w := walker{queue: s.Queues[kind], kind: kind, visit: visit, seen: map[string]bool{}}
	until := s.Clock.Now().Add(lookFor)
	err = passes.Do(ctx, func(err error) bool { return errors.Is(err, errMore) },
		func(int) error { return w.pass(ctx, func() bool { return s.Clock.Now().Before(until) }) })
	switch {
	case errors.Is(err, errEnough):
		return false, nil
	case errors.Is(err, errMore), errors.Is(err, errBound):
		return true, nil
	}
	return false, err
}

// walker is the state of one walk.
type walker struct {
	queue Queue
	kind  Kind
	visit func([]Letter) (gone []Message, err error)
	seen  map[string]bool
}

// pass receives until the queue returns no more messages. It returns errMore if it saw fewer messages than the queue
// has.
func (w *walker) pass(ctx context.Context, inTime func() bool) (err error) {
	expected, err := w.queue.Count(ctx) // may become too high when others delete messages
	if err != nil || expected == 0 {
		return err
	}

	there := map[string]Message{}
	defer func() {
		if failed := release(ctx, w.queue, there); err == nil {
			err = failed
		}
	}()
	for {
		batch, err := w.queue.Receive(ctx, hideFor)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			if len(w.seen) < expected {
				return errMore
			}
			return nil
		}

		var letters []Letter
		for _, m := range batch {
			if there[m.ID] = m; !w.seen[m.ID] {
				w.seen[m.ID] = true
				letters = append(letters, Read(w.kind, m))
			}
		}
		gone, err := w.visit(letters)
		for _, m := range gone {
			delete(there, m.ID)
		}
		if err == nil && (len(w.seen) >= maxLooked || !inTime()) {
			err = errBound
		}
		if err != nil {
			return err
		}
	}
}

// release makes the messages visible again, even if the caller has disconnected.
func release(ctx context.Context, q Queue, there map[string]Message) error {
	if len(there) == 0 {
		return nil
	}
	messages := make([]Message, 0, len(there))
	for _, m := range there {
		messages = append(messages, m)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	return q.Release(ctx, messages)
}

// Selection selects letters of a kind.
type Selection struct {
	App  tenant.AppID
	Kind Kind
	// IDs are the selected letters. If empty, all letters sent before Before are selected: a redriven letter that fails
	// again is newer, so it is not redriven in a loop.
	IDs    []string
	Before time.Time
}

func (sel Selection) includes(l Letter) bool {
	if l.Scope.App != sel.App {
		return false
	}
	if len(sel.IDs) > 0 {
		return slices.Contains(sel.IDs, l.ID)
	}
	return l.SentAt.Before(sel.Before.Truncate(time.Millisecond)) // queues store milliseconds
}

// Done is the result of a redrive or deletion.
type Done struct {
	Done int
	Kept int  // not repairable this way, or failed this time
	More bool // some letters were not read: call again
}

// Redrive sends letters to their original queues and then deletes them: a crash in between leaves a letter twice, which
// is harmless because consumers are idempotent. It returns errs.Invalid for a kind that cannot be redriven, and
// errs.NotFound if none of the named letters exists.
func (s *Service) Redrive(ctx context.Context, sel Selection) (Done, error) {
	if sel.Kind == Records {
		return Done{}, errs.Invalid("uncounted records can't be redriven: run make recount to repair the counts")
	}
	return s.each(ctx, sel, func(chosen []Letter) ([]Message, int, error) {
		byTarget := map[Target][]Message{}
		for _, l := range chosen {
			if l.target != "" {
				m := l.message
				m.Body, m.Redrives = l.again, m.Redrives+1
				byTarget[l.target] = append(byTarget[l.target], m)
			}
		}

		var sent []Message
		var failed error
		for target, messages := range byTarget {
			taken, err := s.Senders[target].Resend(ctx, messages)
			failed = errors.Join(failed, err)
			for _, m := range messages {
				if taken[m.ID] {
					sent = append(sent, m)
				}
			}
		}
		// Delete the sent messages even if another one failed: otherwise they would be sent again.
		left, err := s.Queues[sel.Kind].Delete(context.WithoutCancel(ctx), sent)
		return without(sent, left), len(sent), errors.Join(failed, err)
	})
}

// Delete permanently deletes letters.
func (s *Service) Delete(ctx context.Context, sel Selection) (Done, error) {
	return s.each(ctx, sel, func(chosen []Letter) ([]Message, int, error) {
		messages := make([]Message, len(chosen))
		for i, l := range chosen {
			messages[i] = l.message
		}
		left, err := s.Queues[sel.Kind].Delete(ctx, messages)
		return without(messages, left), len(messages) - len(left), err
	})
}

// each calls do with the letters of a selection, in batches of up to ten. do returns the messages to delete from the
// queue and the number of letters that succeeded.
func (s *Service) each(
	ctx context.Context, sel Selection, do func([]Letter) (gone []Message, n int, err error),
) (Done, error) {
	var out Done
	// A redriven letter may fail and return: do not redrive it twice in one request.
	if sel.Before.IsZero() {
		sel.Before = s.Clock.Now()
	}
	more, err := s.walk(ctx, sel.Kind, func(some []Letter) ([]Message, error) {
		chosen := slices.DeleteFunc(slices.Clone(some), func(l Letter) bool { return !sel.includes(l) })
		if len(chosen) == 0 {
			return nil, nil
		}
		gone, n, err := do(chosen)
		out.Done, out.Kept = out.Done+n, out.Kept+len(chosen)-n
		// All named letters were found: do not read the rest of the queue.
		if err == nil && out.Done+out.Kept == len(sel.IDs) {
			err = errEnough
		}
		return gone, err
	})
	if err != nil {
		return out, err
	}

	if out.More = more; len(sel.IDs) > 0 && out.Done+out.Kept == 0 && !more {
		return out, errs.NotFound("dead letter not found: it was already redriven or deleted")
	}
	return out, nil
}

func without(all, some []Message) []Message {
	return slices.DeleteFunc(slices.Clone(all), func(m Message) bool {
		return slices.ContainsFunc(some, func(other Message) bool { return other.ID == m.ID })
	})
}
