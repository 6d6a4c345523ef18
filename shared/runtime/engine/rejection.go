package engine

import (
	"container/list"
	"fmt"

	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/sandbox"
)

// rejection is a rejected promise and the reason of the rejection.
type rejection struct{ promise, reason realm.Value }

// rejections are the rejected promises without a handler, in order. The list holds references, so no other promise
// can get the address of a listed one.
type rejections struct {
	waiting list.List                     // elements are of type rejection
	at      map[realm.Value]*list.Element // elements of waiting by promise
	shown   int                           // logged rejections of the whole run
}

func (l *rejections) add(rejected rejection) {
	if l.at == nil {
		l.at = map[realm.Value]*list.Element{}
	}
	l.at[rejected.promise] = l.waiting.PushBack(rejected)
}

// take removes and returns an element.
func (l *rejections) take(place *list.Element) rejection {
	rejected := l.waiting.Remove(place).(rejection)
	delete(l.at, rejected.promise)
	return rejected
}

// maxRejections is the number of unhandled rejections of a run that are logged individually.
const maxRejections = 100

// Rejected updates the list of rejected promises without a handler.
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

// forget releases the memory of a rejected promise, because a run may reject millions.
func (r *run) forget(rejected rejection) {
	r.world.Drop(rejected.promise)
	r.world.Drop(rejected.reason)
}

// reportRejections logs unhandled rejections. The first one becomes the error of the run if main never settles.
func (r *run) reportRejections() {
	list := &r.rejections
	more := 0
	for list.waiting.Len() > 0 { // describing runs user code, which may change the list
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
