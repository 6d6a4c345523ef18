package engine

import (
	"errors"
	"fmt"
	"math"
	"time"

	"minicloud/shared/runtime/engine/builtin"
	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/runtime/nodecrypto"
	"minicloud/shared/runtime/nodedata"
)

// hostFunction is one function of the host object that install(host) receives.
type hostFunction struct {
	name string
	call func(w *world, args realm.Arguments) (realm.Value, error)
}

// hostFunctions returns all Go functions that the prelude can call.
func hostFunctions() []hostFunction {
	all := []hostFunction{
		{"log", ofRun(hostLog)},
		{"timer", ofRun(hostTimer)},
		{"clearTimer", ofRun(hostClearTimer)},
		{"loosenTimer", ofRun(hostLoosenTimer)},
		{"now", hostNow},
		{"crypto", ofRun(hostCrypto)},
		{"data", ofRun(hostData)},
		{"load", hostLoad},
		{"call", ofRun(hostCall)},
		{"microtask", hostMicrotask},
		{"context", hostContext},
		{"uncaught", ofRun(hostUncaught)},
		{"settle", ofRun(hostSettle)},
		{"promiseState", hostPromiseState},
		{"stack", hostStack},
		{"heap", hostHeap},
	}
	// The order may change between starts: JavaScript calls a function by its index in this list.
	for name, f := range builtin.New() {
		all = append(all, hostFunction{name, func(w *world, args realm.Arguments) (realm.Value, error) {
			return f(&w.Realm, args)
		}})
	}
	return all
}

// ofRun makes a host function of a function that needs a run.
func ofRun(call func(r *run, args realm.Arguments) (realm.Value, error)) func(*world, realm.Arguments) (realm.Value, error) {
	return func(w *world, args realm.Arguments) (realm.Value, error) {
		if w.run == nil {
			return realm.Undefined, errors.New("no run")
		}
		return call(w.run, args)
	}
}

func (w *world) newHost() (realm.Value, error) {
	host := realm.Value(w.VM.Object())
	w.functions = hostFunctions()
	for i, f := range w.functions {
		name, giveBack := w.Lend(f.name)
		v := realm.Value(w.VM.Function(name, uint32(i)))
		giveBack()
		if realm.IsException(v) {
			return v, fmt.Errorf("engine: host function %s", f.name)
		}
		w.Set(host, f.name, v)
	}
	return host, nil
}

// Call is the only entry point from JavaScript into Go.
func (d doors) Call(argc, argv, function uint32) uint64 {
	w := d.world
	v, err := w.functions[function].call(w, w.ArgumentsAt(argv, argc))
	switch {
	case err == nil:
		return uint64(v)
	case errors.Is(err, realm.ErrThrown):
		return uint64(realm.Exception)
	}
	return uint64(w.throwTypeError(err.Error()))
}

func (w *world) throwTypeError(message string) realm.Value {
	at, giveBack := w.Lend(message)
	defer giveBack()
	if at == 0 {
		return w.NoMemory()
	}
	return realm.Value(w.VM.ThrowTypeError(at))
}

func hostLog(r *run, args realm.Arguments) (realm.Value, error) {
	level, err := r.Realm.Text(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	text, err := r.Realm.Text(args.At(1))
	if err == nil {
		r.host.Log(level, text)
	}
	return realm.Undefined, err
}

// maxTimers limits the pending timers, because their memory is outside the guest heap.
const maxTimers = 100_000

func hostTimer(r *run, args realm.Arguments) (realm.Value, error) {
	id, err := r.Realm.Number(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}

	ms, err := r.Realm.Number(args.At(1))
	if err != nil {
		return realm.Undefined, err
	}
	if len(r.timers.queue) >= maxTimers {
		return realm.Undefined, fmt.Errorf("more than %d timers are waiting", maxTimers)
	}
	if !(ms >= 1) { // also NaN, as in browsers
		ms = 1
	}

	r.timers.add(
		int32(id), time.Now().Add(time.Duration(min(ms, math.MaxInt32)*float64(time.Millisecond))),
		realm.IsTrue(args.At(2)),
	)

	return realm.Undefined, nil
}

func hostClearTimer(r *run, args realm.Arguments) (realm.Value, error) {
	id, err := r.Realm.Number(args.At(0))
	if err == nil {
		r.timers.remove(int32(id))
	}
	return realm.Undefined, err
}

func hostLoosenTimer(r *run, args realm.Arguments) (realm.Value, error) {
	id, err := r.Realm.Number(args.At(0))
	if err == nil {
		r.timers.loosen(int32(id), realm.IsTrue(args.At(1)))
	}
	return realm.Undefined, err
}

func hostNow(w *world, _ realm.Arguments) (realm.Value, error) {
	if w.run == nil {
		return realm.NewFloat(0), nil
	}
	return realm.NewFloat(float64(time.Since(w.run.started)) / float64(time.Millisecond)), nil
}

// hostCrypto is host.crypto(operation, ...arguments).
func hostCrypto(r *run, args realm.Arguments) (realm.Value, error) {
	return r.Operate(args, nodecrypto.Call)
}

// hostData is host.data(operation, ...arguments).
func hostData(r *run, args realm.Arguments) (realm.Value, error) {
	return r.Operate(args, nodedata.Call)
}

// Freed is called when the last reference to a handle is dropped.
func (d doors) Freed(number uint32) { d.world.run.Freed(number) }

// hostHeap returns the number of bytes of the guest heap that are in use.
func hostHeap(w *world, _ realm.Arguments) (realm.Value, error) {
	return realm.NewFloat(float64(w.Heap.Used)), nil
}

func hostLoad(w *world, args realm.Arguments) (realm.Value, error) {
	name, err := w.Text(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	return w.engine.loadPart(name)
}

func hostCall(r *run, args realm.Arguments) (realm.Value, error) {
	op, err := r.Realm.Text(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	payload, err := r.Realm.Text(args.At(1))
	if err != nil {
		return realm.Undefined, err
	}
	id, err := r.Realm.Number(args.At(2))
	if err != nil {
		return realm.Undefined, err
	}

	if r.calls >= maxCalls {
		return realm.Undefined, fmt.Errorf("more than %d BaaS calls at once", maxCalls)
	}
	r.calls++
	r.host.Call(int32(id), op, payload)
	return realm.Undefined, nil
}

func hostMicrotask(w *world, args realm.Arguments) (realm.Value, error) {
	if w.VM.Enqueue(uint64(args.At(0))) != 0 {
		return realm.Undefined, realm.ErrThrown
	}
	return realm.Undefined, nil
}

// hostContext returns the current asynchronous context, and replaces it if an argument is given. Callbacks
// registered now, with then, await or a job, run in this context later.
func hostContext(w *world, args realm.Arguments) (realm.Value, error) {
	if len(args) == 0 {
		return realm.Value(w.VM.Context()), nil
	}
	return realm.Value(w.VM.ChangeContext(uint64(w.Keep(args.At(0))))), nil
}

func hostUncaught(r *run, args realm.Arguments) (realm.Value, error) {
	r.uncaught(args.At(0))
	return realm.Undefined, nil
}

// hostSettle receives the first result of main from boot.js: (true, JSON) or (false, error).
func hostSettle(r *run, args realm.Arguments) (realm.Value, error) {
	// Only the first settlement counts; settle drops later ones.
	result := args.At(1)
	if !realm.IsTrue(args.At(0)) {
		r.reject(result)
		return realm.Undefined, nil
	}
	text, err := r.Realm.Text(result)
	if err != nil {
		r.reject(r.Realm.Caught())
		return realm.Undefined, nil
	}
	r.fulfil(text)
	return realm.Undefined, nil
}

// hostPromiseState returns [state, value] of a promise. The console uses it.
func hostPromiseState(w *world, args realm.Arguments) (realm.Value, error) {
	promise := args.At(0)
	state := w.promiseState(promise)
	names := []string{promisePending: "pending", promiseFulfilled: "fulfilled", promiseRejected: "rejected"}
	if state < 0 || int(state) >= len(names) {
		return realm.Undefined, errors.New("not a promise")
	}
	return w.NewArray(w.NewString(names[state]), realm.Value(w.VM.PromiseResult(uint64(promise))))
}
