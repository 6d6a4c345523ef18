package engine

import (
	"container/list"
	"fmt"

	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/sandbox"
)

// rejection is a rejected promise and why it was rejected.
type rejection struct{ promise, reason realm.Value }

// rejections are the promises that were rejected and have no handler yet, in
// order. What is in there is kept alive, and so its address is its own.
type rejections struct {
	waiting list.List                     // of rejection
	at      map[realm.Value]*list.Element // by promise
	shown   int                           // of the whole run
}

func (l *rejections) add(rejected rejection) {
	if l.at == nil {
		l.at = map[realm.Value]*list.Element{}
	}
	l.at[rejected.promise] = l.waiting.PushBack(rejected)
}

// take removes what place holds.
func (l *rejections) take(place *list.Element) rejection {
	rejected := l.waiting.Remove(place).(rejection)
	delete(l.at, rejected.promise)
	return rejected
}

// maxRejections is how many unhandled rejections of a run are logged one by one.
const maxRejections = 100

// Rejected keeps the list of rejected promises without a handler.
func (d doors) Rejected(rejected, why uint64, handled uint32) {
	r := d.world.run
	if r == nil {
		return
	}
	promise, reason := realm.Value(rejected), realm.Value(why)
	if handled == 0 {
		r.rejections.add(rejection{r.world.Keep(promise), r.world.Keep(reason)})
	} else if place, known := r.rejections.at[promise]; known {
		r.forget(r.rejections.take(place))
	}
}

// forget lets the memory of a rejected promise go: a run may see millions.
func (r *run) forget(rejected rejection) {
	r.world.Drop(rejected.promise)
	r.world.Drop(rejected.reason)
}

// reportRejections logs the rejections nobody handled. They decide the run only
// if main never does.
func (r *run) reportRejections() {
	list := &r.rejections
	more := 0
	for list.waiting.Len() > 0 { // describing runs user code, which may change it
		rejected := list.take(list.waiting.Front())
		switch {
		case !realm.IsUndefined(r.loading) && rejected.promise == r.loading:
		case list.shown == maxRejections:
			more++
		default:
			failure := r.describe(rejected.reason)
			if failure == nil {
				return
			}
			list.shown++
			r.reportRejection(failure)
		}

		r.forget(rejected)
	}

	if more > 0 {
		r.host.Log("ERROR", fmt.Sprintf("Unhandled rejection: %d more are not shown", more))
	}
}

func (r *run) reportRejection(failure *sandbox.Error) {
	r.host.Log("ERROR", "Unhandled rejection: "+Trace(failure))
	if r.lastFailure == nil {
		r.lastFailure = failure
	}
}
