// Package bridge connects JavaScript calls to the operations of packages nodecrypto and nodedata. A refusal is
// returned as a list [class, message, code, library, reason], from which the prelude creates the error that Node
// throws.
package bridge

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"

	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/runtime/hostcall"
)

// Bridge executes operations in Go for one run and converts arguments and results.
type Bridge struct {
	Realm       *realm.Realm
	Deadline    time.Time // of the run
	Interrupted bool      // the run ends when JavaScript continues
	Abandoned   bool      // an operation continues in Go after the end of the run

	handles map[uint32]hostcall.Object // objects by the number of their handle
	last    uint32
}

// Late reports whether the run's time is over; if so, it interrupts the run.
func (b *Bridge) Late() bool {
	if !time.Now().Before(b.Deadline) {
		b.Interrupted = true
	}
	return b.Interrupted
}

// Operate executes an operation of package nodecrypto or nodedata.
type Operate func(host hostcall.Host, name string, args []any) (any, error)

// Operate executes the operation that JavaScript names in its first argument.
func (b *Bridge) Operate(args realm.Arguments, do Operate) (realm.Value, error) {
	w := b.Realm
	name, err := w.Text(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}

	// The first argument is the name.
	arguments := make([]any, max(len(args)-1, 0))
	for i := range arguments {
		if arguments[i], err = b.argument(args[i+1]); err != nil {
			return realm.Undefined, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}

	c := &call{bridge: b}
	defer c.release()
	result, err := do(c, name, arguments)

	var refusal *hostcall.Error
	switch {
	case err == nil:
		return b.result(c, result)
	case errors.Is(err, hostcall.ErrStopped):
		// Like the interrupt handler, throw an error that user code cannot catch.
		b.Interrupted = true
		w.VM.ThrowInterrupted()
		return realm.Undefined, realm.ErrThrown
	case errors.Is(err, hostcall.ErrMemory):
		w.Heap.Refused = 1
		return w.NoMemory(), realm.ErrThrown
	case errors.As(err, &refusal):
		return b.result(c, []any{refusal.Class, refusal.Message, refusal.Code, refusal.Library, refusal.Reason})
	}

	return realm.Undefined, err
}

// argument converts a value without running user code. Bytes are not copied: they stay in the guest heap and are
// valid until JavaScript runs again.
func (b *Bridge) argument(v realm.Value) (any, error) {
	switch b.Realm.Kind(v) {
	case realm.KindUndefined, realm.KindNull:
		return nil, nil
	case realm.KindFalse, realm.KindTrue:
		return realm.IsTrue(v), nil
	case realm.KindNumber:
		return b.Realm.Number(v)
	case realm.KindText:
		text, err := b.Realm.Text(v)
		// A JavaScript string may contain lone surrogates, which UTF-8 cannot encode.
		return realm.WellFormed(text), err
	case realm.KindObject:
		return b.object(v)
	}
	return nil, errors.New("no value of this type")
}

func (b *Bridge) object(v realm.Value) (any, error) {
	if number := b.Realm.VM.Handled(uint64(v)); number != 0 {
		if o, ok := b.handles[number]; ok {
			return o, nil
		}
	}
	if b.Realm.VM.Binary(uint64(v), b.Realm.Scratch) != 0 {
		return b.Realm.VM.Memory(b.Realm.Word(0), b.Realm.Word(1)), nil
	}
	return nil, errors.New("bytes or an object of the host are needed")
}

// result converts the result of an operation to a value.
func (b *Bridge) result(c *call, result any) (realm.Value, error) {
	var v realm.Value
	switch result := result.(type) {
	case nil:
		return realm.Undefined, nil
	case bool:
		return realm.NewBool(result), nil
	case float64:
		return realm.NewFloat(result), nil
	case string:
		v = b.Realm.NewString(result)
	case []byte:
		v = c.buffer(result)
	// JavaScript holds an object only as a handle, so that it cannot read a key.
	case hostcall.Object:
		return b.newHandle(result)
	case []any:
		return b.list(c, result)
	default:
		return realm.Undefined, fmt.Errorf("no value for %T", result)
	}
	if realm.IsException(v) {
		return realm.Undefined, realm.ErrThrown
	}

	return v, nil
}

func (b *Bridge) list(c *call, list []any) (realm.Value, error) {
	items := make([]realm.Value, len(list))
	for i, item := range list {
		v, err := b.result(c, item)
		if err != nil {
			return realm.Undefined, err
		}
		items[i] = v
	}
	return b.Realm.NewArray(items...)
}

// call is the hostcall.Host of one call.
type call struct {
	bridge *Bridge
	blocks []uint32 // blocks of the guest heap that no ArrayBuffer owns yet
}

// copyBytes is the size in bytes up to which a result is made in Go's memory and then copied.
const copyBytes = 4 << 10

func (c *call) Stopped() bool { return c.bridge.Late() }

func (c *call) Bytes(n int) ([]byte, error) {
	if n <= copyBytes {
		return make([]byte, n), nil
	}
	if n > math.MaxInt32 {
		return nil, hostcall.ErrMemory
	}
	at := c.bridge.Realm.VM.Take(uint32(n))
	if at == 0 {
		return nil, hostcall.ErrMemory
	}
	c.blocks = append(c.blocks, at)
	return c.bridge.Realm.VM.Memory(at, uint32(n)), nil
}

// buffer returns an ArrayBuffer: a block that Bytes allocated, or a copy of data.
func (c *call) buffer(data []byte) realm.Value {
	w := c.bridge.Realm
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

func (c *call) release() {
	for _, at := range c.blocks {
		c.bridge.Realm.VM.Give(at)
	}
}

func (c *call) Reserve(n int) (func(), error) {
	w := c.bridge.Realm
	if n < 0 || !w.Heap.Holds(n) {
		return nil, hostcall.ErrMemory
	}
	w.VM.Charge(uint32(n))
	return func() { w.VM.Charge(uint32(-n)) }, nil
}

func (c *call) Aside(f func() (any, error)) (any, error) {
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

	alarm := time.NewTimer(time.Until(c.bridge.Deadline))
	defer alarm.Stop()
	select {
	case o := <-done:
		return o.result, o.err
	case <-alarm.C:
		// f still uses the processor; only the end of the process stops it.
		c.bridge.Abandoned = true
		return nil, hostcall.ErrStopped
	}
}

// newHandle returns a handle for an object and counts the object's size as memory of the run.
func (b *Bridge) newHandle(o hostcall.Object) (realm.Value, error) {
	if !b.Realm.Heap.Holds(o.Size()) {
		b.Realm.VM.Collect() // collecting cycles may free other objects
	}
	if !b.Realm.Heap.Holds(o.Size()) {
		b.Realm.Heap.Refused = 1
		return b.Realm.NoMemory(), realm.ErrThrown
	}

	if b.handles == nil {
		b.handles = map[uint32]hostcall.Object{}
	}
	b.last++
	v := realm.Value(b.Realm.VM.Handle(b.last))
	if realm.IsException(v) {
		return v, realm.ErrThrown
	}
	b.handles[b.last] = o
	b.Realm.VM.Charge(uint32(o.Size()))

	return v, nil
}

// Freed releases the object of a handle that has no references left.
func (b *Bridge) Freed(number uint32) {
	if o, ok := b.handles[number]; ok {
		delete(b.handles, number)
		b.Realm.VM.Charge(uint32(-o.Size()))
	}
}
