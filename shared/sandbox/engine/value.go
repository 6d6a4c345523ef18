package engine

import (
	"runtime"
	"unsafe"

	lib "modernc.org/libquickjs"
)

// value is a JavaScript value as QuickJS holds it. References are counted by
// hand; within a run most are simply left to the reset.
type value = lib.TJSValue

const valueSize = unsafe.Sizeof(value{})

var (
	undefined = value{Ftag: lib.EJS_TAG_UNDEFINED}
	null      = value{Ftag: lib.EJS_TAG_NULL}
	exception = value{Ftag: lib.EJS_TAG_EXCEPTION}
)

func isException(v value) bool { return v.Ftag == lib.EJS_TAG_EXCEPTION }
func isUndefined(v value) bool { return v.Ftag == lib.EJS_TAG_UNDEFINED }

// isEmpty reports null and undefined.
func isEmpty(v value) bool { return v.Ftag == lib.EJS_TAG_NULL || isUndefined(v) }

func bits(v value) uint64 { return *(*uint64)(unsafe.Pointer(&v)) }

func isTrue(v value) bool { return v.Ftag == lib.EJS_TAG_BOOL && uint32(bits(v)) != 0 }

func newBool(b bool) value {
	v := value{Ftag: lib.EJS_TAG_BOOL}
	if b {
		*(*uint64)(unsafe.Pointer(&v)) = 1
	}
	return v
}

func newInt(n int32) value {
	v := value{Ftag: lib.EJS_TAG_INT}
	*(*uint64)(unsafe.Pointer(&v)) = uint64(uint32(n))
	return v
}

func newFloat(f float64) value {
	v := value{Ftag: lib.EJS_TAG_FLOAT64}
	*(*float64)(unsafe.Pointer(&v)) = f
	return v
}

// cstring returns s with the NUL that QuickJS wants behind every text, as an
// address; keep holds the memory and must be kept alive during the call.
func cstring(s string) (address uintptr, keep []byte) {
	keep = make([]byte, len(s)+1)
	copy(keep, s)
	return uintptr(unsafe.Pointer(&keep[0])), keep
}

func (w *world) newString(s string) value {
	p, keep := cstring(s)
	v := lib.XJS_NewStringLen(w.tls, w.ctx, p, lib.Tsize_t(len(s)))
	runtime.KeepAlive(keep)
	return v
}

// latin1 makes a string whose every character is one byte of data.
func (w *world) latin1(data []byte) value {
	wide := make([]byte, 0, len(data)+len(data)/2+1)
	for _, b := range data {
		if b < 0x80 {
			wide = append(wide, b)
		} else {
			wide = append(wide, 0xc0|b>>6, 0x80|b&0x3f)
		}
	}
	return w.newString(unsafe.String(unsafe.SliceData(wide), len(wide)))
}

// bytesOf is the inverse of latin1; ok is false when a character is no byte.
func (w *world) bytesOf(v value) (data []byte, ok bool) {
	text, ok := w.text(v)
	if !ok {
		return nil, false
	}

	data = make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case b < 0x80:
			data = append(data, b)
		case b>>1 == 0xc2>>1 && i+1 < len(text):
			i++
			data = append(data, b<<6|text[i]&0x3f)
		default:
			return nil, false
		}
	}

	return data, true
}

// text returns the string of v in UTF-8, where a lone surrogate is the three
// bytes of its code point; ok is false when converting threw.
func (w *world) text(v value) (s string, ok bool) {
	size := int(unsafe.Sizeof(lib.Tsize_t(0)))
	length := w.tls.Alloc(size)
	defer w.tls.Free(size)
	p := lib.XJS_ToCStringLen2(w.tls, w.ctx, length, v, 0)
	if p == 0 {
		return "", false
	}
	s = string(unsafe.Slice((*byte)(unsafe.Add(nil, p)), int(*word(length))))
	lib.XJS_FreeCString(w.tls, w.ctx, p)
	return s, true
}

func (w *world) get(object value, name string) value {
	p, keep := cstring(name)
	v := lib.XJS_GetPropertyStr(w.tls, w.ctx, object, p)
	runtime.KeepAlive(keep)
	return v
}

// textOf returns a property as text, "" when asking for it threw.
func (w *world) textOf(object value, name string) string {
	v := w.get(object, name)
	defer w.drop(v)
	s, _ := w.text(v)
	return s
}

// set gives v away to the object.
func (w *world) set(object value, name string, v value) {
	p, keep := cstring(name)
	lib.XJS_SetPropertyStr(w.tls, w.ctx, object, p, v)
	runtime.KeepAlive(keep)
}

// call calls f with args, which stay the caller's.
func (w *world) call(f, this value, args ...value) value {
	var argv uintptr
	if size := len(args) * int(valueSize); size > 0 {
		argv = w.tls.Alloc(size)
		defer w.tls.Free(size)
		copy(unsafe.Slice((*value)(unsafe.Add(nil, argv)), len(args)), args)
	}
	return lib.XJS_Call(w.tls, w.ctx, f, this, int32(len(args)), argv)
}

func (w *world) drop(v value)       { lib.XFreeValue(w.tls, w.ctx, v) }
func (w *world) keep(v value) value { return lib.XDupValue(w.tls, w.ctx, v) }

// caught takes the pending exception out of the context.
func (w *world) caught() value { return lib.XJS_GetException(w.tls, w.ctx) }

// argument returns the i-th argument of a host call, undefined past the end.
func argument(argc int32, argv uintptr, i int32) value {
	if i >= argc {
		return undefined
	}
	return unsafe.Slice((*value)(unsafe.Add(nil, argv)), argc)[i]
}
