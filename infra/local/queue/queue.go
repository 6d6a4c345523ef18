package queue

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
	"strconv"
	"time"

	"minicloud/infra/local/template"
)

// Message is a message of a queue, in the form that the journal stores.
type Message struct {
	ID            string               `json:"id"`
	Body          string               `json:"body"`
	Attributes    map[string]Attribute `json:"attributes,omitempty"`
	Group         string               `json:"group,omitempty"`
	Trace         string               `json:"trace,omitempty"` // header
	Sent          time.Time            `json:"sent"`
	NotBefore     time.Time            `json:"not_before,omitzero"` // time from which a delayed message is visible
	Receives      int                  `json:"receives,omitempty"`
	FirstReceived time.Time            `json:"first_received,omitzero"`
	Buried        time.Time            `json:"buried,omitzero"` // time at which it became a dead letter

	handle   string
	visible  time.Time // time at which a hidden message becomes visible
	inFlight bool
	ready    bool
}

// Handle returns the receipt handle of the receive that returned the message.
func (m *Message) Handle() string { return m.handle }

// queue holds the messages of one queue. Guarded by Broker.mu.
type queue struct {
	about    template.Queue
	unlisted bool // only in the journal, not in the template
	messages map[string]*Message
	groups   map[string][]*Message // ready messages by group, oldest first
	ring     []string              // groups with ready messages, the next first
	waiting  byVisible             // delayed and in flight
	pushed   int                   // number of entries ever pushed onto waiting
	changed  chan struct{}         // closed when a message becomes ready
}

func newQueue(about template.Queue) *queue {
	return &queue{
		about: about, messages: map[string]*Message{}, groups: map[string][]*Message{}, changed: make(chan struct{}),
	}
}

// add adds a new message to the queue.
func (q *queue) add(m *Message) {
	q.messages[m.ID] = m
	if m.visible.IsZero() {
		m.visible = m.NotBefore // the message comes from the journal
	}
	m.inFlight, m.ready, m.handle = false, false, ""
	q.push(m)
	q.wake()
}

func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *queue) push(m *Message) {
	q.pushed++
	heap.Push(&q.waiting, wait{m.visible, q.pushed, m})
}

func (q *queue) remove(id string) { delete(q.messages, id) }

// promote moves messages that have become visible to ready. It removes messages older than the retention period and
// returns them.
func (q *queue) promote(now time.Time) (expired []*Message) {
	for len(q.waiting) > 0 && !q.waiting[0].at.After(now) {
		w := heap.Pop(&q.waiting).(wait)
		m := w.message
		if q.messages[m.ID] != m || m.ready || !m.visible.Equal(w.at) {
			continue // stale: the message is deleted or its time has changed
		}

		if now.Sub(m.Sent) > q.about.Retention {
			q.remove(m.ID)
			expired = append(expired, m)
			continue
		}

		m.inFlight, m.ready, m.NotBefore = false, true, time.Time{}
		if len(q.groups[m.Group]) == 0 {
			q.ring = append(q.ring, m.Group)
		}

		q.groups[m.Group] = append(q.groups[m.Group], m)
	}
	return expired
}

// next returns the next ready message, round-robin by group, and takes it off its group.
func (q *queue) next() *Message {
	for len(q.ring) > 0 {
		group := q.ring[0]
		q.ring = q.ring[1:]
		m := q.groups[group][0]
		if q.groups[group] = q.groups[group][1:]; len(q.groups[group]) > 0 {
			// The group goes to the end of the ring, so that a large group cannot starve the others.
			q.ring = append(q.ring, group)
		} else {
			delete(q.groups, group)
		}
		m.ready = false
		if q.messages[m.ID] == m {
			return m
		}
	}
	return nil
}

// hold puts a message in flight.
func (q *queue) hold(m *Message, now time.Time, visibility time.Duration) {
	m.Receives++
	if m.FirstReceived.IsZero() {
		m.FirstReceived = now
	}
	m.handle = m.ID + "." + strconv.Itoa(m.Receives)
	m.inFlight, m.visible = true, now.Add(visibility)
	q.push(m)
}

// release changes the time at which a message in flight becomes visible.
func (q *queue) release(m *Message, at time.Time) {
	m.visible = at
	q.push(m)
	q.wake()
}

// nextVisible returns the time until the next hidden message may become ready, 0 if no message is hidden.
func (q *queue) nextVisible(now time.Time) time.Duration {
	if len(q.waiting) == 0 {
		return 0
	}
	return max(q.waiting[0].at.Sub(now), time.Millisecond)
}

func (q *queue) count() Count {
	var c Count
	for _, m := range q.messages {
		switch {
		case m.inFlight:
			c.InFlight++
		case m.ready:
			c.Visible++
		default:
			c.Delayed++
		}
	}
	return c
}

// inOrder returns all messages, oldest first; messages of the same time are ordered by ID.
func (q *queue) inOrder() []*Message {
	return slices.SortedFunc(maps.Values(q.messages), func(a, b *Message) int {
		return cmp.Or(a.Sent.Compare(b.Sent), cmp.Compare(a.ID, b.ID))
	})
}

// wait is an entry in the heap of hidden messages. It is stale if its time differs from its message's.
type wait struct {
	at      time.Time
	order   int // order among entries of the same time
	message *Message
}

type byVisible []wait

func (h byVisible) Len() int { return len(h) }
func (h byVisible) Less(i, j int) bool {
	return cmp.Or(h[i].at.Compare(h[j].at), h[i].order-h[j].order) < 0
}
func (h byVisible) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *byVisible) Push(x any) { *h = append(*h, x.(wait)) }

// Pop implements heap.Interface: it removes the last element.
func (h *byVisible) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
