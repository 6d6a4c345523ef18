package engine

import (
	pile "container/heap"
	"time"
)

// timer is a one-shot timer. Timers that are due at the same time fire by order, the order in which they were set.
type timer struct {
	id    int32
	order int
	due   time.Time
	index int
	loose bool // does not keep the run alive
}

// timers are the pending timers of a run, by id and by due time.
type timers struct {
	queue timerQueue
	byID  map[int32]*timer
	added int
	held  int // timers that are not loose
}

func (t *timers) add(id int32, due time.Time, loose bool) {
	if t.byID == nil {
		t.byID = map[int32]*timer{}
	}
	t.remove(id)
	t.added++
	e := &timer{id: id, order: t.added, due: due, loose: loose}
	if !loose {
		t.held++
	}
	t.byID[id] = e
	pile.Push(&t.queue, e)
}

func (t *timers) remove(id int32) {
	if e, ok := t.byID[id]; ok {
		pile.Remove(&t.queue, e.index)
		if !e.loose {
			t.held--
		}
		delete(t.byID, id)
	}
}

// loosen sets whether a pending timer is loose: a loose timer does not keep the run alive.
func (t *timers) loosen(id int32, loose bool) {
	if e, ok := t.byID[id]; ok && e.loose != loose {
		e.loose = loose
		if loose {
			t.held--
		} else {
			t.held++
		}
	}
}

// next returns when the next timer is due; ok is false if there is none.
func (t *timers) next() (due time.Time, ok bool) {
	if len(t.queue) == 0 {
		return time.Time{}, false
	}
	return t.queue[0].due, true
}

// pop removes and returns the first timer that is due at now.
func (t *timers) pop(now time.Time) (id int32, ok bool) {
	if len(t.queue) == 0 || t.queue[0].due.After(now) {
		return 0, false
	}
	id = t.queue[0].id
	t.remove(id)
	return id, true
}

type timerQueue []*timer

func (q timerQueue) Len() int { return len(q) }
func (q timerQueue) Less(i, j int) bool {
	if q[i].due.Equal(q[j].due) {
		return q[i].order < q[j].order
	}
	return q[i].due.Before(q[j].due)
}
func (q timerQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *timerQueue) Push(x any) {
	e := x.(*timer)
	e.index = len(*q)
	*q = append(*q, e)
}
func (q *timerQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	*q = old[:len(old)-1]
	return e
}
