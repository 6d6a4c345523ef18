package engine

import (
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"minicloud/shared/sandbox"
)

// rejection is a rejected promise and why it was rejected.
type rejection struct{ promise, reason value }

// rejections are the promises that were rejected and have no handler yet, in
// order. Those that got one leave an empty place.
type rejections struct {
	waiting []rejection
	at      map[uint64]int // by promise, places in waiting
	shown   int            // of the whole run
}

// maxRejections is how many unhandled rejections of a run are logged one by one.
const maxRejections = 100

// onRejection keeps the list of rejected promises without a handler.
func onRejection(tls *libc.TLS, ctx uintptr, promise, reason value, handled int32, opaque uintptr) {
	r := worldAt(opaque).run
	if r == nil {
		return
	}
	list := &r.rejections
	if handled == 0 {
		if list.at == nil {
			list.at = map[uint64]int{}
		}
		list.at[bits(promise)] = len(list.waiting)
		list.waiting = append(list.waiting, rejection{lib.XDupValue(tls, ctx, promise), lib.XDupValue(tls, ctx, reason)})
		return
	}
	if i, known := list.at[bits(promise)]; known {
		delete(list.at, bits(promise))
		list.waiting[i] = rejection{undefined, undefined}
	}
}

// reportRejections logs the rejections nobody handled. They decide the run only
// if main never does.
func (r *run) reportRejections() {
	list := &r.rejections
	waiting := list.waiting
	list.waiting, list.at = nil, nil
	more := 0
	for _, rejected := range waiting {
		if isUndefined(rejected.promise) || !isUndefined(r.loading) && bits(rejected.promise) == bits(r.loading) {
			continue
		}
		if list.shown == maxRejections {
			more++
			continue
		}
		failure := r.describe(rejected.reason)
		if failure == nil {
			return
		}
		list.shown++
		r.reportRejection(failure)
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
