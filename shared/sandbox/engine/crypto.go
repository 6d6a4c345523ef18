package engine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

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
	argc int32, argv uintptr, do func(host nodecrypto.Host, name string, args []any) (any, error),
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

	var refusal *nodecrypto.Error
	switch {
	case err == nil:
		return w.cryptoResult(c, result)
	case errors.Is(err, nodecrypto.ErrStopped):
		return w.interrupt()
	case errors.Is(err, nodecrypto.ErrMemory):
		w.heap.refused = true
		lib.XJS_ThrowOutOfMemory(w.tls, w.ctx)
		return undefined, errThrown
	case errors.As(err, &refusal):
		return w.cryptoResult(c, []any{refusal.Class, refusal.Message, refusal.Code, refusal.Library, refusal.Reason})
	}

	return undefined, err
}

// interrupt ends the run as the interrupt handler does: with an error that no code can catch.
func (w *world) interrupt() (value, error) {
	w.run.interrupted = true
	format, keep := cstring("interrupted")
	lib.XJS_ThrowInternalError(w.tls, w.ctx, format, 0)
	runtime.KeepAlive(keep)
	lib.XJS_SetUncatchableException(w.tls, w.ctx, 1)

	return undefined, errThrown
}

// cryptoArgument takes a value as it is, without running code: bytes stay where they are, in the guest heap, and are
// good until JavaScript runs again.
func (w *world) cryptoArgument(v value) (any, error) {
	switch v.Ftag {
	case lib.EJS_TAG_UNDEFINED, lib.EJS_TAG_NULL:
		return nil, nil
	case lib.EJS_TAG_BOOL:
		return isTrue(v), nil
	case lib.EJS_TAG_INT:
		return float64(int32(bits(v))), nil
	case lib.EJS_TAG_FLOAT64:
		return *(*float64)(unsafe.Pointer(&v)), nil
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		text, ok := w.text(v)
		if !ok {
			return nil, errThrown
		}
		return wellFormed(text), nil
	case lib.EJS_TAG_OBJECT:
		return w.cryptoObject(v)
	}
	return nil, errors.New("no value of this type")
}

func (w *world) cryptoObject(v value) (any, error) {
	class := lib.XJS_GetClassID(w.tls, v)
	switch {
	case class == handleClass():
		if o, ok := w.run.handles[lib.XJS_GetOpaque(w.tls, v, class)]; ok {
			return o, nil
		}
	case class == lib.EJS_CLASS_ARRAY_BUFFER:
		return w.bufferBytes(v), nil
	case class >= lib.EJS_CLASS_UINT8C_ARRAY && class <= lib.EJS_CLASS_FLOAT64_ARRAY:
		return w.viewBytes(v), nil
	}
	return nil, errors.New("bytes or an object of the host are needed")
}

// bufferBytes are the bytes of an ArrayBuffer; a detached one has none.
func (w *world) bufferBytes(buffer value) []byte {
	p := w.tls.Alloc(int(valueSize))
	defer w.tls.Free(int(valueSize))
	data := lib.XJS_GetArrayBuffer(w.tls, w.ctx, p, buffer)
	if data == 0 {
		w.drop(w.caught())
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Add(nil, data)), int(*word(p)))
}

// viewBytes are the bytes that a typed array sees of its buffer; those of one that lies outside are none.
func (w *world) viewBytes(view value) []byte {
	object := (*lib.TJSObject)(unsafe.Add(nil, uintptr(bits(view))))
	array := (*lib.TJSTypedArray)(unsafe.Add(nil, *(*uintptr)(unsafe.Pointer(&object.Fu))))
	buffer := value{Ftag: lib.EJS_TAG_OBJECT}
	*(*uintptr)(unsafe.Pointer(&buffer)) = array.Fbuffer

	data := w.bufferBytes(buffer)
	offset, length := int(array.Foffset), int(array.Flength)
	if offset > len(data) {
		return []byte{}
	}
	if array.Ftrack_rab != 0 { // it sees all there is, however large the buffer became
		length = len(data) - offset
	}
	if length > len(data)-offset {
		return []byte{}
	}

	return data[offset : offset+length]
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
	case nodecrypto.Object:
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
	array := lib.XJS_NewArray(w.tls, w.ctx)
	if isException(array) {
		return undefined, errThrown
	}

	for i, item := range list {
		v, err := w.cryptoResult(c, item)
		if err != nil {
			w.drop(array)
			return undefined, err
		}
		// Defined, not set: Array.prototype may have setters by now.
		if lib.XJS_DefinePropertyValueUint32(w.tls, w.ctx, array, uint32(i), v, lib.MJS_PROP_C_W_E) < 0 {
			w.drop(array)
			return undefined, errThrown
		}
	}

	return array, nil
}

// cryptoCall is the nodecrypto.Host of one call.
type cryptoCall struct {
	run    *run
	blocks []uintptr // of the guest heap, that no ArrayBuffer owns yet
}

// copyBytes is up to where a result is made in Go's memory and copied, in bytes.
const copyBytes = 4 << 10

func (c *cryptoCall) Stopped() bool { return c.run.late() }

func (c *cryptoCall) Bytes(n int) ([]byte, error) {
	if n <= copyBytes {
		return make([]byte, n), nil
	}
	p := lib.Xjs_malloc_rt(c.run.world.tls, c.run.world.rt, lib.Tsize_t(n))
	if p == 0 {
		return nil, nodecrypto.ErrMemory
	}
	c.blocks = append(c.blocks, p)
	return unsafe.Slice((*byte)(unsafe.Add(nil, p)), n), nil
}

// buffer makes an ArrayBuffer of bytes: a copy, or what Bytes gave.
func (c *cryptoCall) buffer(data []byte) value {
	w := c.run.world
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	for i, p := range c.blocks {
		if p == start {
			v := lib.XJS_NewArrayBuffer(w.tls, w.ctx, p, lib.Tsize_t(len(data)), functionPointer(freeBuffer), 0, 0)
			if !isException(v) {
				c.blocks[i] = 0
			}
			return v
		}
	}

	v := lib.XJS_NewArrayBufferCopy(w.tls, w.ctx, start, lib.Tsize_t(len(data)))
	runtime.KeepAlive(data)
	return v
}

func freeBuffer(tls *libc.TLS, rt, _, p uintptr) { lib.Xjs_free_rt(tls, rt, p) }

func (c *cryptoCall) release() {
	for _, p := range c.blocks {
		lib.Xjs_free_rt(c.run.world.tls, c.run.world.rt, p)
	}
}

func (c *cryptoCall) Reserve(n int) (func(), error) {
	h := c.run.world.heap
	if n < 0 || h.used+int64(n) > h.limit {
		return nil, nodecrypto.ErrMemory
	}
	h.grown(n)
	return func() { h.used -= int64(n) }, nil
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
		return nil, nodecrypto.ErrStopped
	}
}

// handleClass is the class of values that stand for an object of Go: without a prototype or properties, so that
// whoever holds one can do nothing with it but hand it back.
var handleClass = sync.OnceValue(func() lib.TJSClassID {
	id := new(lib.TJSClassID)
	return lib.XJS_NewClassID(nil, uintptr(unsafe.Pointer(id)))
})

// addHandleClass makes the class known to the world. Its finalizer frees what no value stands for any more.
func (w *world) addHandleClass() error {
	name, keep := cstring("handle")
	definition := &lib.TJSClassDef{Fclass_name: name, Ffinalizer: functionPointer(onHandleFreed)}
	lib.XJS_SetRuntimeOpaque(w.tls, w.rt, uintptr(unsafe.Pointer(w)))
	failed := lib.XJS_NewClass(w.tls, w.rt, handleClass(), uintptr(unsafe.Pointer(definition))) < 0
	runtime.KeepAlive(keep)
	runtime.KeepAlive(definition)
	if failed {
		return errors.New("engine: no class of handles")
	}
	return nil
}

// newHandle makes a value that stands for an object, whose memory counts as the run's.
func (w *world) newHandle(o nodecrypto.Object) (value, error) {
	h := w.heap
	if h.used+int64(o.Size()) > h.limit {
		lib.XJS_RunGC(w.tls, w.rt) // objects in cycles free theirs
	}
	if h.used+int64(o.Size()) > h.limit {
		h.refuse()
		lib.XJS_ThrowOutOfMemory(w.tls, w.ctx)
		return undefined, errThrown
	}

	v := lib.XJS_NewObjectProtoClass(w.tls, w.ctx, null, handleClass())
	if isException(v) {
		return v, errThrown
	}

	r := w.run
	if r.handles == nil {
		r.handles = map[uintptr]nodecrypto.Object{}
	}
	r.lastHandle++
	r.handles[r.lastHandle] = o
	lib.XJS_SetOpaque(w.tls, v, r.lastHandle)
	h.grown(o.Size())

	return v, nil
}

func onHandleFreed(tls *libc.TLS, rt uintptr, v value) {
	w := worldAt(lib.XJS_GetRuntimeOpaque(tls, rt))
	id := lib.XJS_GetOpaque(tls, v, handleClass())
	if o, ok := w.run.handles[id]; ok {
		delete(w.run.handles, id)
		w.heap.used -= int64(o.Size())
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
