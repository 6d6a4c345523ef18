package sim

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Message is one message of a queue.
type Message struct {
	ID       string
	Body     string
	Receives int
	Visible  time.Time // not delivered before
}

// Queue is a standard queue: at least once, in any order.
type Queue struct {
	Name    string
	Dead    []Message // those that were received too often
	Sent    int
	waiting []Message
	log     []string
	// Hidden is how long a message that was received is not delivered again, Most how often it is received at most.
	Hidden time.Duration
	Most   int

	nudges []chan struct{} // of those that wait for messages
}

// visibility is how long a message that was received is hidden.
const visibility = 60 * time.Second

// batchSize is how many messages one invocation gets.
const batchSize = 5

// Queue returns the queue of that name, which is the last part of its address.
func (w *World) Queue(name string) *Queue {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.queues[name]
	if q == nil {
		q = &Queue{Name: name, Hidden: visibility, Most: 1000}
		w.queues[name] = q
	}
	return q
}

// URL is the address of a queue.
func URL(name string) string { return "http://simulated/000000000000/" + name }

type sendRequest struct {
	QueueUrl     string
	MessageBody  string
	DelaySeconds int
	ID           string `json:"Id"`
	Entries      []sendRequest
}

// send is SendMessage and SendMessageBatch.
func (w *World) send(c *call) answer {
	var in sendRequest
	if err := json.Unmarshal(c.body, &in); err != nil {
		return answer{err: err}
	}
	q := w.Queue(in.QueueUrl[strings.LastIndex(in.QueueUrl, "/")+1:])

	var out any
	switch c.operation {
	case "SendMessage":
		out = w.enqueue(q, in)
	case "SendMessageBatch":
		var sent []any
		for _, entry := range in.Entries {
			one := w.enqueue(q, entry)
			one["Id"] = entry.ID
			sent = append(sent, one)
		}
		out = map[string]any{"Successful": sent, "Failed": []any{}}
	default:
		return answer{status: http.StatusBadRequest, body: []byte(`{"__type":"UnsupportedOperation"}`)}
	}
	body, err := json.Marshal(out)
	return answer{status: http.StatusOK, body: body, err: err}
}

func (w *World) enqueue(q *Queue, in sendRequest) map[string]any {
	w.mu.Lock()
	q.Sent++
	m := Message{
		ID: fmt.Sprintf("%s-%d", q.Name, q.Sent), Body: in.MessageBody,
		Visible: time.Now().Add(time.Duration(in.DelaySeconds) * time.Second),
	}
	q.waiting, q.log = append(q.waiting, m), append(q.log, m.Body)
	w.mu.Unlock()
	if w.Sent != nil {
		w.Sent(q.Name, m.Body)
	}
	q.wake()

	sum := md5.Sum([]byte(in.MessageBody))
	return map[string]any{"MessageId": m.ID, "MD5OfMessageBody": hex.EncodeToString(sum[:])}
}

func (q *Queue) wake() {
	for _, nudge := range q.nudges {
		select {
		case nudge <- struct{}{}:
		default:
		}
	}
}

// Waiting returns how many messages are in the queue.
func (w *World) Waiting(q *Queue) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(q.waiting)
}

// holds reports whether a message is in the queue.
func (w *World) holds(q *Queue, id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(q.waiting, func(m Message) bool { return m.ID == id })
}

// noteDelivery counts an unusual delivery, or a dead letter. w.mu is held.
func (w *World) noteDelivery(how string, q *Queue, m Message) {
	w.Faults[how]++
	if w.OnDelivery != nil {
		w.OnDelivery(how, q.Name, m.Body)
	}
}

// take receives a batch. until is when the next message can be received.
func (w *World) take(q *Queue, random Random) (batch []Message, until time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	until = time.Hour
	for i := range q.waiting {
		m := &q.waiting[i]
		if wait := m.Visible.Sub(now); wait > 0 {
			until = min(until, wait)
			continue
		}

		if m.Receives++; m.Receives > q.Most {
			q.Dead = append(q.Dead, *m)
			w.noteDelivery("dead letter", q, *m)
			m.ID = ""
			continue
		}

		m.Visible = now.Add(q.Hidden)
		if random.Permille(w.Rates.Twice) {
			m.Visible, until = now, 0
			w.noteDelivery("delivered to two at once", q, *m)
		}
		if batch = append(batch, *m); len(batch) == batchSize {
			break
		}
	}

	q.waiting = slices.DeleteFunc(q.waiting, func(m Message) bool { return m.ID == "" })
	return batch, until
}

// remove deletes messages; some stay and are delivered again.
func (w *World) remove(q *Queue, done []string, random Random) {
	for _, id := range done {
		again := random.Permille(w.Rates.Doubled)
		w.mu.Lock()
		q.waiting = slices.DeleteFunc(q.waiting, func(m Message) bool {
			if m.ID == id && again {
				w.noteDelivery("delivered again", q, m)
			}
			return m.ID == id && !again
		})
		w.mu.Unlock()
	}
}

// SQSHandler is a function behind a queue.
type SQSHandler = func(context.Context, events.SQSEvent) (events.SQSEventResponse, error)

// Consume has a program work on a queue, with so many invocations at a time.
func (w *World) Consume(queue, program string, start Program, atOnce int, handler func(handlers any) SQSHandler) {
	q := w.Queue(queue)
	for n := range atOnce {
		random := w.Random(fmt.Sprint("queue ", queue, n, program))
		nudge := make(chan struct{}, 1)
		q.nudges = append(q.nudges, nudge)
		w.running.Go(func() {
			for {
				batch, until := w.take(q, random)
				if len(batch) > 0 {
					if until == 0 {
						q.wake()
					}
					w.invoke(q, batch, program, start, handler, random)
					continue
				}

				select {
				case <-w.stopped:
					return
				case <-nudge:
					time.Sleep(random.Jitter(0)) // the other consumers are awake, too
					select {                     // what came meanwhile is taken now; how often it has nudged depends on threads
					case <-nudge:
					default:
					}
				case <-time.After(random.Jitter(until)):
				}
			}
		})
	}
}

func (w *World) invoke(
	q *Queue, batch []Message, program string, start Program, handler func(any) SQSHandler, random Random,
) {
	var event events.SQSEvent
	for _, m := range batch {
		event.Records = append(event.Records, events.SQSMessage{MessageId: m.ID, Body: m.Body})
	}
	var answer events.SQSEventResponse
	err, alive := w.Do(program, start, func(ctx context.Context, handlers any) (err error) {
		answer, err = handler(handlers)(ctx, event)
		return err
	})
	if err != nil || !alive {
		return // they come again when they are visible
	}

	var done []string
	for _, m := range batch {
		failed := slices.ContainsFunc(answer.BatchItemFailures, func(f events.SQSBatchItemFailure) bool {
			return f.ItemIdentifier == m.ID
		})
		if !failed {
			done = append(done, m.ID)
		}
	}
	w.remove(q, done, random)
}

// Put puts a message into a queue that the platform would not send.
func (w *World) Put(queue, body string) { w.enqueue(w.Queue(queue), sendRequest{MessageBody: body}) }

// Redrive puts dead letters back, as an operator does, and returns their bodies.
func (w *World) Redrive(q *Queue) (bodies []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range q.Dead {
		m.Receives, m.Visible = 0, time.Now()
		q.waiting, bodies = append(q.waiting, m), append(bodies, m.Body)
	}
	q.Dead = nil
	q.wake()
	return bodies
}

// All returns the messages of the queue.
func (q *Queue) All() []Message { return slices.Clone(q.waiting) }

// Log returns the bodies of all messages that were ever sent.
func (q *Queue) Log() []string { return slices.Clone(q.log) }
