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

// hostFunction is one function of the host object that install(host) gets.
type hostFunction struct {
	name string
	call func(w *world, argc int32, argv uintptr) (realm.Value, error)
}

// hostFunctions is everything that the prelude can reach of Go.
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
	// The order may change from start to start: JavaScript calls a function by its place in this list.
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

// Call is the single door from JavaScript into Go.
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

// maxTimers bounds the memory that waiting timers take outside the guest heap.
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

// Freed is told of handles that nothing holds any more.
func (d doors) Freed(number uint32) { d.world.run.bridge.Freed(number) }

// hostHeap returns how many bytes of the guest heap are in use.
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

// hostContext returns what asynchronous code of now runs in, and changes it when it is given another value. Whatever is
// asked for now, by then, await or a job, runs in it later.
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

// hostSettle receives the first result of main from boot.js: (true, JSON text)
// or (false, error).
func hostSettle(w *world, argc int32, argv uintptr) (realm.Value, error) {
	if w.run == nil {
		return realm.Undefined, errors.New("no run")
	}
	// The first settlement counts; settle drops later ones.
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

// hostPromiseState returns [state, value] of a promise, for console.
func hostPromiseState(w *world, argc int32, argv uintptr) (realm.Value, error) {
	promise := realm.Argument(argc, argv, 0)
	state := w.promiseState(promise)
	names := []string{promisePending: "pending", promiseFulfilled: "fulfilled", promiseRejected: "rejected"}
	if state < 0 || int(state) >= len(names) {
		return realm.Undefined, errors.New("not a promise")
	}
	return w.NewArray(w.NewString(names[state]), realm.Value(w.VM.PromiseResult(uint64(promise))))
}
