package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"

	"minicloud/shared/runtime/engine/bridge"
	"minicloud/shared/runtime/engine/builtin"
	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/runtime/nodecrypto"
	"minicloud/shared/runtime/nodedata"
)

// hostFunction is one function of the host object that install(host) receives.
type hostFunction struct {
	name string
	call func(w *world, argc int32, argv uintptr) (realm.Value, error)
}

// hostFunctions returns all Go functions that the prelude can call.
func hostFunctions() []hostFunction {
	all := []hostFunction{
		{"log", hostLog},
		{"timer", hostTimer},
		{"clearTimer", hostClearTimer},
		{"loosenTimer", hostLoosenTimer},
		{"now", hostNow},
		{"crypto", hostCrypto},
		{"data", hostData},
		{"load", hostLoad},
		{"call", hostCall},
		{"microtask", hostMicrotask},
		{"context", hostContext},
		{"uncaught", hostUncaught},
		{"settle", hostSettle},
		{"promiseState", hostPromiseState},
		{"stack", hostStack},
		{"heap", hostHeap},
	}
	// The order may change between starts: JavaScript calls a function by its index in this list.
	for name, f := range builtin.New() {
		all = append(all, hostFunction{name, func(w *world, argc int32, argv uintptr) (realm.Value, error) {
			return f(&w.Realm, argc, argv)
		}})
	}
	return all
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
	var arguments uintptr
	if argc > 0 {
		arguments = uintptr(unsafe.Pointer(unsafe.SliceData(w.VM.Memory(argv, argc*realm.ValueSize))))
	}
	v, err := w.functions[function].call(w, int32(argc), arguments)
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

func hostLog(w *world, argc int32, argv uintptr) (realm.Value, error) {
	level, err := w.TextArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}
	text, err := w.TextArgument(argc, argv, 1)
	if err == nil && w.run != nil {
		w.run.log(level, text)
	}
	return realm.Undefined, err
}

// maxTimers limits the pending timers, because their memory is outside the guest heap.
const maxTimers = 100_000

func hostTimer(w *world, argc int32, argv uintptr) (realm.Value, error) {
	id, err := w.NumberArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}

	ms, err := w.NumberArgument(argc, argv, 1)
	if err != nil || w.run == nil {
		return realm.Undefined, err
	}
	if len(w.run.timers.queue) >= maxTimers {
		return realm.Undefined, fmt.Errorf("more than %d timers are waiting", maxTimers)
	}
	if !(ms >= 1) { // also NaN, as in browsers
		ms = 1
	}

	w.run.timers.add(
		int32(id), time.Now().Add(time.Duration(min(ms, math.MaxInt32)*float64(time.Millisecond))),
		realm.IsTrue(realm.Argument(argc, argv, 2)),
	)

	return realm.Undefined, nil
}

func hostClearTimer(w *world, argc int32, argv uintptr) (realm.Value, error) {
	id, err := w.NumberArgument(argc, argv, 0)
	if err == nil && w.run != nil {
		w.run.timers.remove(int32(id))
	}
	return realm.Undefined, err
}

func hostLoosenTimer(w *world, argc int32, argv uintptr) (realm.Value, error) {
	id, err := w.NumberArgument(argc, argv, 0)
	if err == nil && w.run != nil {
		w.run.timers.loosen(int32(id), realm.IsTrue(realm.Argument(argc, argv, 1)))
	}
	return realm.Undefined, err
}

func hostNow(w *world, _ int32, _ uintptr) (realm.Value, error) {
	if w.run == nil {
		return realm.NewFloat(0), nil
	}
	return realm.NewFloat(float64(time.Since(w.run.started)) / float64(time.Millisecond)), nil
}

// hostCrypto is host.crypto(operation, ...arguments).
func hostCrypto(w *world, argc int32, argv uintptr) (realm.Value, error) {
	return w.operate(argc, argv, nodecrypto.Call)
}

// hostData is host.data(operation, ...arguments).
func hostData(w *world, argc int32, argv uintptr) (realm.Value, error) {
	return w.operate(argc, argv, nodedata.Call)
}

func (w *world) operate(argc int32, argv uintptr, do bridge.Operate) (realm.Value, error) {
	if w.run == nil {
		return realm.Undefined, errors.New("no run")
	}
	return w.run.bridge.Operate(argc, argv, do)
}

// Freed is called when the last reference to a handle is dropped.
func (d doors) Freed(number uint32) { d.world.run.bridge.Freed(number) }

// hostHeap returns the number of bytes of the guest heap that are in use.
func hostHeap(w *world, _ int32, _ uintptr) (realm.Value, error) {
	return realm.NewFloat(float64(w.Heap.Used)), nil
}

func hostLoad(w *world, argc int32, argv uintptr) (realm.Value, error) {
	name, err := w.TextArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}
	return w.engine.loadPart(name)
}

func hostCall(w *world, argc int32, argv uintptr) (realm.Value, error) {
	op, err := w.TextArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}

	payload, err := w.TextArgument(argc, argv, 1)
	if err != nil {
		return realm.Undefined, err
	}

	id, err := w.NumberArgument(argc, argv, 2)
	if err != nil {
		return realm.Undefined, err
	}
	if w.run == nil {
		return realm.Undefined, errors.New("no run")
	}

	return realm.Undefined, w.run.startCall(int32(id), op, payload)
}

func hostMicrotask(w *world, argc int32, argv uintptr) (realm.Value, error) {
	if w.VM.Enqueue(uint64(realm.Argument(argc, argv, 0))) != 0 {
		return realm.Undefined, realm.ErrThrown
	}
	return realm.Undefined, nil
}

// hostContext returns the current asynchronous context, and replaces it if an argument is given. Callbacks
// registered now, with then, await or a job, run in this context later.
func hostContext(w *world, argc int32, argv uintptr) (realm.Value, error) {
	if argc == 0 {
		return realm.Value(w.VM.Context()), nil
	}
	return realm.Value(w.VM.ChangeContext(uint64(w.Keep(realm.Argument(argc, argv, 0))))), nil
}

func hostUncaught(w *world, argc int32, argv uintptr) (realm.Value, error) {
	if w.run != nil {
		w.run.uncaught(realm.Argument(argc, argv, 0))
	}
	return realm.Undefined, nil
}

// hostSettle receives the first result of main from boot.js: (true, JSON) or (false, error).
func hostSettle(w *world, argc int32, argv uintptr) (realm.Value, error) {
	if w.run == nil {
		return realm.Undefined, errors.New("no run")
	}
	// Only the first settlement counts; settle drops later ones.
	result := realm.Argument(argc, argv, 1)
	if !realm.IsTrue(realm.Argument(argc, argv, 0)) {
		w.run.reject(result)
		return realm.Undefined, nil
	}
	text, ok := w.Text(result)
	if !ok {
		w.run.reject(w.Caught())
		return realm.Undefined, nil
	}
	w.run.fulfil(text)
	return realm.Undefined, nil
}

// hostPromiseState returns [state, value] of a promise. The console uses it.
func hostPromiseState(w *world, argc int32, argv uintptr) (realm.Value, error) {
	promise := realm.Argument(argc, argv, 0)
	state := w.promiseState(promise)
	names := []string{promisePending: "pending", promiseFulfilled: "fulfilled", promiseRejected: "rejected"}
	if state < 0 || int(state) >= len(names) {
		return realm.Undefined, errors.New("not a promise")
	}
	return w.NewArray(w.NewString(names[state]), realm.Value(w.VM.PromiseResult(uint64(promise))))
}
