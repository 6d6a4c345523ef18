package engine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"

	"minicloud/shared/sandbox/hostcall"
	"minicloud/shared/sandbox/nodecrypto"
	"minicloud/shared/sandbox/nodedata"
)

// hostCrypto is host.crypto(operation, ...arguments). What the operation refuses comes back as a list
// [class, message, code, library, reason], of which the prelude makes the error that Node throws.
func hostCrypto(w *world, argc int32, argv uintptr) (value, error) {
	return w.operate(argc, argv, nodecrypto.Call)
}

// hostData is host.data(operation, ...arguments), the same for package nodedata.
func hostData(w *world, argc int32, argv uintptr) (value, error) {
	return w.operate(argc, argv, nodedata.Call)
}

// operate takes the name of an operation and its arguments to Go, and what comes of it back.
func (w *world) operate(
	argc int32, argv uintptr, do func(host hostcall.Host, name string, args []any) (any, error),
) (value, error) {
	if w.run == nil {
		return undefined, errors.New("no run")
	}
	name, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}

	arguments := make([]any, 0, max(argc-1, 0))
	for i := int32(1); i < argc; i++ {
		v, err := w.cryptoArgument(argument(argc, argv, i))
		if err != nil {
			return undefined, fmt.Errorf("argument %d: %w", i, err)
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
		w.heap.refused = 1
		return w.noMemory(), errThrown
	case errors.As(err, &refusal):
		return w.cryptoResult(c, []any{refusal.Class, refusal.Message, refusal.Code, refusal.Library, refusal.Reason})
	}

	return undefined, err
}

// interrupt ends the run as the interrupt handler does: with an error that no code can catch.
func (w *world) interrupt() (value, error) {
	w.run.interrupted = true
	w.vm.ThrowInterrupted()

	return undefined, errThrown
}

// cryptoArgument takes a value as it is, without running code: bytes stay where they are, in the guest heap, and are
// good until JavaScript runs again.
func (w *world) cryptoArgument(v value) (any, error) {
	switch w.kind(v) {
	case kindUndefined, kindNull:
		return nil, nil
	case kindFalse, kindTrue:
		return isTrue(v), nil
	case kindNumber:
		n, _ := w.number(v)
		return n, nil
	case kindText:
		text, ok := w.text(v)
		if !ok {
			return nil, errThrown
		}
		return wellFormed(text), nil
	case kindObject:
		return w.cryptoObject(v)
	}
	return nil, errors.New("no value of this type")
}

func (w *world) cryptoObject(v value) (any, error) {
	if number := w.vm.Handled(uint64(v)); number != 0 {
		if o, ok := w.run.handles[number]; ok {
			return o, nil
		}
	}
	if w.vm.Binary(uint64(v), w.scratch) != 0 {
		return w.vm.Memory(w.word(0), w.word(1)), nil
	}
	return nil, errors.New("bytes or an object of the host are needed")
}

// cryptoResult makes a value of what an operation gave.
func (w *world) cryptoResult(c *cryptoCall, result any) (value, error) {
	var v value
	switch result := result.(type) {
	case nil:
		return undefined, nil
	case bool:
		return newBool(result), nil
	case float64:
		return newFloat(result), nil
	case string:
		v = w.newString(result)
	case []byte:
		v = c.buffer(result)
	case hostcall.Object:
		return w.newHandle(result)
	case []any:
		return w.cryptoList(c, result)
	default:
		return undefined, fmt.Errorf("no value for %T", result)
	}
	if isException(v) {
		return undefined, errThrown
	}

	return v, nil
}

func (w *world) cryptoList(c *cryptoCall, list []any) (value, error) {
	items := make([]value, len(list))
	for i, item := range list {
		v, err := w.cryptoResult(c, item)
		if err != nil {
			return undefined, err
		}
		items[i] = v
	}
	return w.newArray(items...)
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
	at := c.run.world.vm.Take(uint32(n))
	if at == 0 {
		return nil, hostcall.ErrMemory
	}
	c.blocks = append(c.blocks, at)
	return c.run.world.vm.Memory(at, uint32(n)), nil
}

// buffer makes an ArrayBuffer of bytes: a copy, or what Bytes gave.
func (c *cryptoCall) buffer(data []byte) value {
	w := c.run.world
	for i, at := range c.blocks {
		if at != 0 && unsafe.SliceData(w.vm.Memory(at, 1)) == unsafe.SliceData(data) {
			v := value(w.vm.Own(at, uint32(len(data))))
			if !isException(v) {
				c.blocks[i] = 0
			}
			return v
		}
	}

	return w.newBuffer(data)
}

func (c *cryptoCall) release() {
	for _, at := range c.blocks {
		c.run.world.vm.Give(at)
	}
}

func (c *cryptoCall) Reserve(n int) (func(), error) {
	w := c.run.world
	if n < 0 || !w.heap.holds(n) {
		return nil, hostcall.ErrMemory
	}
	w.vm.Charge(uint32(n))
	return func() { w.vm.Charge(uint32(-n)) }, nil
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
func (w *world) newHandle(o hostcall.Object) (value, error) {
	if !w.heap.holds(o.Size()) {
		w.vm.Collect() // objects in cycles free theirs
	}
	if !w.heap.holds(o.Size()) {
		w.heap.refused = 1
		return w.noMemory(), errThrown
	}

	r := w.run
	if r.handles == nil {
		r.handles = map[uint32]hostcall.Object{}
	}
	r.lastHandle++
	v := value(w.vm.Handle(r.lastHandle))
	if isException(v) {
		return v, errThrown
	}
	r.handles[r.lastHandle] = o
	w.vm.Charge(uint32(o.Size()))

	return v, nil
}

// Freed is told of handles that nothing holds any more.
func (d doors) Freed(number uint32) {
	r := d.world.run
	if o, ok := r.handles[number]; ok {
		delete(r.handles, number)
		d.world.vm.Charge(uint32(-o.Size()))
	}
}

// hostRandom is host.random(n): n random bytes, as a binary string.
func hostRandom(w *world, argc int32, argv uintptr) (value, error) {
	n, err := w.numberArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}
	if !(n >= 0 && n <= 65536) {
		return undefined, fmt.Errorf("at most 65536 random bytes at once, not %v", n)
	}
	data := make([]byte, int(n))
	rand.Read(data)
	return w.latin1(data), nil
}
