package engine

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// hostFunction is one function of the host object that install(host) gets.
type hostFunction struct {
	name string
	call func(w *world, argc int32, argv uintptr) (value, error)
}

// errThrown says that a JavaScript exception is already pending.
var errThrown = errors.New("exception pending")

// hostFunctions is everything the prelude can reach of Go.
func hostFunctions() []hostFunction {
	return []hostFunction{
		{"log", hostLog},
		{"timer", hostTimer},
		{"clearTimer", hostClearTimer},
		{"loosenTimer", hostLoosenTimer},
		{"now", hostNow},
		{"random", hostRandom},
		{"crypto", hostCrypto},
		{"data", hostData},
		{"encode", hostEncode},
		{"decode", hostDecode},
		{"load", hostLoad},
		{"call", hostCall},
		{"microtask", hostMicrotask},
		{"context", hostContext},
		{"uncaught", hostUncaught},
		{"settle", hostSettle},
		{"promiseState", hostPromiseState},
		{"bytes", hostBytes},
		{"base64", hostBase64},
		{"fromBase64", hostFromBase64},
		{"stack", hostStack},
		{"proxy", hostProxy},
		{"zone", hostZone},
		{"collate", hostCollate},
		{"heap", hostHeap},
	}
}

func (w *world) newHost() (value, error) {
	host := value(w.vm.Object())
	w.functions = hostFunctions()
	for i, f := range w.functions {
		name, giveBack := w.lend(f.name)
		v := value(w.vm.Function(name, uint32(i)))
		giveBack()
		if isException(v) {
			return v, fmt.Errorf("engine: host function %s", f.name)
		}
		w.set(host, f.name, v)
	}
	return host, nil
}

// Call is the single door from JavaScript into Go.
func (d doors) Call(argc, argv, function uint32) uint64 {
	w := d.world
	var arguments uintptr
	if argc > 0 {
		arguments = uintptr(unsafe.Pointer(unsafe.SliceData(w.vm.Memory(argv, argc*valueSize))))
	}
	v, err := w.functions[function].call(w, int32(argc), arguments)
	switch {
	case err == nil:
		return uint64(v)
	case errors.Is(err, errThrown):
		return uint64(exception)
	}
	return uint64(w.throwTypeError(err.Error()))
}

func (w *world) throwTypeError(message string) value {
	at, giveBack := w.lend(message)
	defer giveBack()
	if at == 0 {
		return w.noMemory()
	}
	return value(w.vm.ThrowTypeError(at))
}

func (w *world) textArgument(argc int32, argv uintptr, i int32) (string, error) {
	text, ok := w.text(argument(argc, argv, i))
	if !ok {
		return "", errThrown
	}
	return text, nil
}

func (w *world) bytesArgument(argc int32, argv uintptr, i int32) ([]byte, error) {
	v := argument(argc, argv, i)
	data, ok := w.bytesOf(v)
	if !ok {
		return nil, fmt.Errorf("argument %d is not a binary string", i+1)
	}
	return data, nil
}

func (w *world) numberArgument(argc int32, argv uintptr, i int32) (float64, error) {
	n, ok := w.number(argument(argc, argv, i))
	if !ok {
		return 0, errThrown
	}
	return n, nil
}

func hostLog(w *world, argc int32, argv uintptr) (value, error) {
	level, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}
	text, err := w.textArgument(argc, argv, 1)
	if err == nil && w.run != nil {
		w.run.log(level, text)
	}
	return undefined, err
}

// maxTimers bounds the memory that waiting timers take outside the guest heap.
const maxTimers = 100_000

func hostTimer(w *world, argc int32, argv uintptr) (value, error) {
	id, err := w.numberArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}

	ms, err := w.numberArgument(argc, argv, 1)
	if err != nil || w.run == nil {
		return undefined, err
	}
	if len(w.run.timers.queue) >= maxTimers {
		return undefined, fmt.Errorf("more than %d timers are waiting", maxTimers)
	}
	if !(ms >= 1) { // also NaN, as in browsers
		ms = 1
	}

	w.run.timers.add(
		int32(id), time.Now().Add(time.Duration(min(ms, math.MaxInt32)*float64(time.Millisecond))),
		isTrue(argument(argc, argv, 2)),
	)

	return undefined, nil
}

func hostClearTimer(w *world, argc int32, argv uintptr) (value, error) {
	id, err := w.numberArgument(argc, argv, 0)
	if err == nil && w.run != nil {
		w.run.timers.remove(int32(id))
	}
	return undefined, err
}

func hostLoosenTimer(w *world, argc int32, argv uintptr) (value, error) {
	id, err := w.numberArgument(argc, argv, 0)
	if err == nil && w.run != nil {
		w.run.timers.loosen(int32(id), isTrue(argument(argc, argv, 1)))
	}
	return undefined, err
}

func hostNow(w *world, _ int32, _ uintptr) (value, error) {
	if w.run == nil {
		return newFloat(0), nil
	}
	return newFloat(float64(time.Since(w.run.started)) / float64(time.Millisecond)), nil
}

// hostHeap returns how many bytes of the guest heap are in use.
func hostHeap(w *world, _ int32, _ uintptr) (value, error) {
	return newFloat(float64(w.heap.used)), nil
}

func hostEncode(w *world, argc int32, argv uintptr) (value, error) {
	text, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}
	return w.latin1([]byte(wellFormed(text))), nil
}

func hostDecode(w *world, argc int32, argv uintptr) (value, error) {
	data, err := w.bytesArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}
	if utf8.Valid(data) {
		return w.newString(string(data)), nil
	}
	return w.newString(string([]rune(string(data)))), nil
}

// wellFormed replaces lone surrogates, three invalid bytes each, by U+FFFD.
func wellFormed(s string) string {
	for i := strings.IndexByte(s, 0xed); i >= 0 && i+2 < len(s); {
		if s[i+1] >= 0xa0 {
			s = s[:i] + "\uFFFD" + s[i+3:]
		}
		next := strings.IndexByte(s[i+1:], 0xed)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return s
}

func hostLoad(w *world, argc int32, argv uintptr) (value, error) {
	name, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}
	return w.engine.loadPart(name)
}

func hostCall(w *world, argc int32, argv uintptr) (value, error) {
	op, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}

	payload, err := w.textArgument(argc, argv, 1)
	if err != nil {
		return undefined, err
	}

	id, err := w.numberArgument(argc, argv, 2)
	if err != nil {
		return undefined, err
	}
	if w.run == nil {
		return undefined, errors.New("no run")
	}

	return undefined, w.run.startCall(int32(id), op, payload)
}

func hostMicrotask(w *world, argc int32, argv uintptr) (value, error) {
	if w.vm.Enqueue(uint64(argument(argc, argv, 0))) != 0 {
		return undefined, errThrown
	}
	return undefined, nil
}

// hostContext returns what asynchronous code of now runs in, and changes it when it is given another value. Whatever is
// asked for now, by then, await or a job, runs in it later.
func hostContext(w *world, argc int32, argv uintptr) (value, error) {
	if argc == 0 {
		return value(w.vm.Context()), nil
	}
	return value(w.vm.ChangeContext(uint64(w.keep(argument(argc, argv, 0))))), nil
}

func hostUncaught(w *world, argc int32, argv uintptr) (value, error) {
	if w.run != nil {
		w.run.uncaught(argument(argc, argv, 0))
	}
	return undefined, nil
}

// hostSettle receives the first result of main from boot.js: (true, JSON text)
// or (false, error).
func hostSettle(w *world, argc int32, argv uintptr) (value, error) {
	if w.run == nil {
		return undefined, errors.New("no run")
	}
	result := argument(argc, argv, 1)
	if !isTrue(argument(argc, argv, 0)) {
		w.run.reject(result)
		return undefined, nil
	}
	text, ok := w.text(result)
	if !ok {
		w.run.reject(w.caught())
		return undefined, nil
	}
	w.run.fulfil(text)
	return undefined, nil
}

// hostPromiseState returns [state, value] of a promise, for console.
func hostPromiseState(w *world, argc int32, argv uintptr) (value, error) {
	promise := argument(argc, argv, 0)
	state := w.promiseState(promise)
	names := []string{promisePending: "pending", promiseFulfilled: "fulfilled", promiseRejected: "rejected"}
	if state < 0 || int(state) >= len(names) {
		return undefined, errors.New("not a promise")
	}
	return w.newArray(w.newString(names[state]), value(w.vm.PromiseResult(uint64(promise))))
}
