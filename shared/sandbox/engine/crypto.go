package engine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"

	"minicloud/shared/sandbox/engine/realm"
	"minicloud/shared/sandbox/hostcall"
	"minicloud/shared/sandbox/nodecrypto"
	"minicloud/shared/sandbox/nodedata"
)

// hostCrypto is host.crypto(operation, ...arguments). What the operation refuses comes back as a list
// [class, message, code, library, reason], of which the prelude makes the error that Node throws.
func hostCrypto(w *world, argc int32, argv uintptr) (realm.Value, error) {
	return w.operate(argc, argv, nodecrypto.Call)
}

// hostData is host.data(operation, ...arguments), the same for package nodedata.
func hostData(w *world, argc int32, argv uintptr) (realm.Value, error) {
	return w.operate(argc, argv, nodedata.Call)
}

// operate takes the name of an operation and its arguments to Go, and what comes of it back.
func (w *world) operate(
	argc int32, argv uintptr, do func(host hostcall.Host, name string, args []any) (any, error),
) (realm.Value, error) {
	if w.run == nil {
		return realm.Undefined, errors.New("no run")
	}
	name, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}

	arguments := make([]any, 0, max(argc-1, 0))
	for i := int32(1); i < argc; i++ {
		v, err := w.cryptoArgument(realm.Argument(argc, argv, i))
		if err != nil {
			return realm.Undefined, fmt.Errorf("argument %d: %w", i, err)
		}
		arguments = append(arguments, v)
	}

	c := &cryptoCall{run: w.run}
	defer c.release()
	result, err := do(c, name, arguments)

	var refusal *hostcall.Error
	switch {
	case err == nil:
		return w.cryptoResult(c, result)
	case errors.Is(err, hostcall.ErrStopped):
		return w.interrupt()
	case errors.Is(err, hostcall.ErrMemory):
		w.Heap.Refused = 1
		return w.NoMemory(), realm.ErrThrown
	case errors.As(err, &refusal):
		return w.cryptoResult(c, []any{refusal.Class, refusal.Message, refusal.Code, refusal.Library, refusal.Reason})
	}

	return realm.Undefined, err
}

// interrupt ends the run as the interrupt handler does: with an error that no code can catch.
func (w *world) interrupt() (realm.Value, error) {
	w.run.interrupted = true
	w.VM.ThrowInterrupted()

	return realm.Undefined, realm.ErrThrown
}

// cryptoArgument takes a value as it is, without running code: bytes stay where they are, in the guest heap, and are
// good until JavaScript runs again.
func (w *world) cryptoArgument(v realm.Value) (any, error) {
	switch w.Kind(v) {
	case realm.KindUndefined, realm.KindNull:
		return nil, nil
	case realm.KindFalse, realm.KindTrue:
		return realm.IsTrue(v), nil
	case realm.KindNumber:
		n, _ := w.Number(v)
		return n, nil
	case realm.KindText:
		text, ok := w.Text(v)
		if !ok {
			return nil, realm.ErrThrown
		}
		return wellFormed(text), nil
	case realm.KindObject:
		return w.cryptoObject(v)
	}
	return nil, errors.New("no value of this type")
}

func (w *world) cryptoObject(v realm.Value) (any, error) {
	if number := w.VM.Handled(uint64(v)); number != 0 {
		if o, ok := w.run.handles[number]; ok {
			return o, nil
		}
	}
	if w.VM.Binary(uint64(v), w.Scratch) != 0 {
		return w.VM.Memory(w.Word(0), w.Word(1)), nil
	}
	return nil, errors.New("bytes or an object of the host are needed")
}

// cryptoResult makes a value of what an operation gave.
func (w *world) cryptoResult(c *cryptoCall, result any) (realm.Value, error) {
	var v realm.Value
	switch result := result.(type) {
	case nil:
		return realm.Undefined, nil
	case bool:
		return realm.NewBool(result), nil
	case float64:
		return realm.NewFloat(result), nil
	case string:
		v = w.NewString(result)
	case []byte:
		v = c.buffer(result)
	case hostcall.Object:
		return w.newHandle(result)
	case []any:
		return w.cryptoList(c, result)
	default:
		return realm.Undefined, fmt.Errorf("no value for %T", result)
	}
	if realm.IsException(v) {
		return realm.Undefined, realm.ErrThrown
	}

	return v, nil
}

func (w *world) cryptoList(c *cryptoCall, list []any) (realm.Value, error) {
	items := make([]realm.Value, len(list))
	for i, item := range list {
		v, err := w.cryptoResult(c, item)
		if err != nil {
			return realm.Undefined, err
		}
		items[i] = v
	}
	return w.NewArray(items...)
}

// cryptoCall is the hostcall.Host of one call.
type cryptoCall struct {
	run    *run
	blocks []uint32 // of the guest heap, that no ArrayBuffer owns yet
}

// copyBytes is up to where a result is made in Go's memory and copied, in bytes.
const copyBytes = 4 << 10

func (c *cryptoCall) Stopped() bool { return c.run.late() }

func (c *cryptoCall) Bytes(n int) ([]byte, error) {
	if n <= copyBytes {
		return make([]byte, n), nil
	}
	if n > math.MaxInt32 {
		return nil, hostcall.ErrMemory
	}
	at := c.run.world.VM.Take(uint32(n))
	if at == 0 {
		return nil, hostcall.ErrMemory
	}
	c.blocks = append(c.blocks, at)
	return c.run.world.VM.Memory(at, uint32(n)), nil
}

// buffer makes an ArrayBuffer of bytes: a copy, or what Bytes gave.
func (c *cryptoCall) buffer(data []byte) realm.Value {
	w := c.run.world
	for i, at := range c.blocks {
		if at != 0 && unsafe.SliceData(w.VM.Memory(at, 1)) == unsafe.SliceData(data) {
			v := realm.Value(w.VM.Own(at, uint32(len(data))))
			if !realm.IsException(v) {
				c.blocks[i] = 0
			}
			return v
		}
	}

	return w.NewBuffer(data)
}

func (c *cryptoCall) release() {
	for _, at := range c.blocks {
		c.run.world.VM.Give(at)
	}
}

func (c *cryptoCall) Reserve(n int) (func(), error) {
	w := c.run.world
	if n < 0 || !w.Heap.Holds(n) {
		return nil, hostcall.ErrMemory
	}
	w.VM.Charge(uint32(n))
	return func() { w.VM.Charge(uint32(-n)) }, nil
}

func (c *cryptoCall) Aside(f func() (any, error)) (any, error) {
	type outcome struct {
		result any
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- outcome{nil, errors.New("the operation failed")}
			}
		}()
		result, err := f()
		done <- outcome{result, err}
	}()

	alarm := time.NewTimer(time.Until(c.run.deadline))
	defer alarm.Stop()
	select {
	case o := <-done:
		return o.result, o.err
	case <-alarm.C:
		// f still uses the processor: only the end of the process stops it.
		c.run.abandoned = true
		return nil, hostcall.ErrStopped
	}
}

// newHandle makes a value that stands for an object, whose memory counts as the run's.
func (w *world) newHandle(o hostcall.Object) (realm.Value, error) {
	if !w.Heap.Holds(o.Size()) {
		w.VM.Collect() // objects in cycles free theirs
	}
	if !w.Heap.Holds(o.Size()) {
		w.Heap.Refused = 1
		return w.NoMemory(), realm.ErrThrown
	}

	r := w.run
	if r.handles == nil {
		r.handles = map[uint32]hostcall.Object{}
	}
	r.lastHandle++
	v := realm.Value(w.VM.Handle(r.lastHandle))
	if realm.IsException(v) {
		return v, realm.ErrThrown
	}
	r.handles[r.lastHandle] = o
	w.VM.Charge(uint32(o.Size()))

	return v, nil
}

// Freed is told of handles that nothing holds any more.
func (d doors) Freed(number uint32) {
	r := d.world.run
	if o, ok := r.handles[number]; ok {
		delete(r.handles, number)
		d.world.VM.Charge(uint32(-o.Size()))
	}
}

// hostRandom is host.random(n): n random bytes, as a binary string.
func hostRandom(w *world, argc int32, argv uintptr) (realm.Value, error) {
	n, err := w.numberArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}
	if !(n >= 0 && n <= 65536) {
		return realm.Undefined, fmt.Errorf("at most 65536 random bytes at once, not %v", n)
	}
	data := make([]byte, int(n))
	rand.Read(data)
	return w.Latin1(data), nil
}
