package engine

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// value is a JavaScript value as the engine holds it: its kind in the upper half,
// a number or an address in the lower. References are counted by hand; within a
// run most are simply left to the reset.
type value uint64

// valueSize is what a value takes in memory.
const valueSize = 8

// Values without an address, by QuickJS's numbers of their kinds.
const (
	kindInt    value = 0 << 32
	kindBool   value = 1 << 32
	null       value = 2 << 32
	undefined  value = 3 << 32
	exception  value = 6 << 32
	kindMask   value = math.MaxUint32 << 32
	floatKinds       = 0x7ff80000 + 9 + 1 // what a float's upper half is shifted by
	quietNaN         = uint64(0x7ff8000000000000)
	yes              = kindBool | 1
)

func isException(v value) bool { return v&kindMask == exception }
func isUndefined(v value) bool { return v&kindMask == undefined }

// What kind says of a value.
const (
	kindUndefined = iota
	kindNull
	kindFalse
	kindTrue
	kindNumber
	kindText
	kindObject
)

func (w *world) kind(v value) uint32 { return w.vm.Kind(uint64(v)) }

// isEmpty reports null and undefined.
func isEmpty(v value) bool { return v&kindMask == null || isUndefined(v) }

func isTrue(v value) bool { return v == yes }

func newBool(b bool) value {
	if b {
		return yes
	}
	return kindBool
}

func newInt(n int32) value { return kindInt | value(uint32(n)) }

func newFloat(f float64) value {
	number := math.Float64bits(f)
	if f != f {
		number = quietNaN
	}
	return value(number - floatKinds<<32)
}

// lend copies bytes into the world's memory for the time of one call, with the
// NUL that QuickJS wants behind every text. It is 0 when there is no room.
func (w *world) lend(data string) (at uint32, giveBack func()) {
	at = w.vm.Take(uint32(len(data) + 1))
	if at == 0 {
		return 0, func() {}
	}
	memory := w.vm.Memory(at, uint32(len(data)+1))
	copy(memory, data)
	memory[len(data)] = 0
	return at, func() { w.vm.Give(at) }
}

func (w *world) newString(s string) value {
	at, giveBack := w.lend(s)
	defer giveBack()
	if at == 0 {
		return w.noMemory()
	}
	return value(w.vm.String(at, uint32(len(s))))
}

// noMemory throws that there is none.
func (w *world) noMemory() value {
	w.vm.ThrowMemory()
	return exception
}

// latin1 makes a string whose every character is one byte of data.
func (w *world) latin1(data []byte) value {
	at, giveBack := w.lend(unsafe.String(unsafe.SliceData(data), len(data)))
	defer giveBack()
	if at == 0 {
		return w.noMemory()
	}
	return value(w.vm.Latin1(at, uint32(len(data))))
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
	at := w.vm.Text(uint64(v), w.scratch)
	if at == 0 {
		return "", false
	}
	s = string(w.vm.Memory(at, w.word(0)))
	w.vm.FreeText(at)
	return s, true
}

// word is one of the numbers that a call left in the scratch memory.
func (w *world) word(i uint32) uint32 {
	return binary.LittleEndian.Uint32(w.vm.Memory(w.scratch+4*i, 4))
}

func (w *world) get(object value, name string) value {
	at, giveBack := w.lend(name)
	defer giveBack()
	if at == 0 {
		return w.noMemory()
	}
	return value(w.vm.Get(uint64(object), at))
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
	at, giveBack := w.lend(name)
	defer giveBack()
	if at != 0 {
		w.vm.Set(uint64(object), at, uint64(v))
	}
}

// call calls f with args, which stay the caller's.
func (w *world) call(f, this value, args ...value) value {
	if len(args) == 0 {
		return value(w.vm.Call(uint64(f), uint64(this), 0, 0))
	}
	at := w.vm.Take(uint32(len(args) * valueSize))
	if at == 0 {
		return w.noMemory()
	}
	defer w.vm.Give(at)
	memory := w.vm.Memory(at, uint32(len(args)*valueSize))
	for i, arg := range args {
		binary.LittleEndian.PutUint64(memory[i*valueSize:], uint64(arg))
	}
	return value(w.vm.Call(uint64(f), uint64(this), uint32(len(args)), at))
}

func (w *world) drop(v value)       { w.vm.Drop(uint64(v)) }
func (w *world) keep(v value) value { return value(w.vm.Keep(uint64(v))) }

// caught takes the pending exception out of the context.
func (w *world) caught() value { return value(w.vm.Caught()) }

// argument returns the i-th argument of a host call, undefined past the end.
func argument(argc int32, argv uintptr, i int32) value {
	if i >= argc {
		return undefined
	}
	return unsafe.Slice((*value)(unsafe.Add(nil, argv)), argc)[i]
}

// newArray makes an array, giving the items away.
func (w *world) newArray(items ...value) (value, error) {
	array := value(w.vm.Array())
	if isException(array) {
		return undefined, errThrown
	}
	for i, item := range items {
		if int32(w.vm.SetIndex(uint64(array), uint32(i), uint64(item))) < 0 {
			w.drop(array)
			return undefined, errThrown
		}
	}
	return array, nil
}

// number converts a value; ok is false when that threw.
func (w *world) number(v value) (n float64, ok bool) {
	if w.vm.ToNumber(uint64(v), w.scratch) != 0 {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(w.vm.Memory(w.scratch, 8))), true
}

// newBuffer makes an ArrayBuffer of a copy of data.
func (w *world) newBuffer(data []byte) value {
	at, giveBack := w.lend(unsafe.String(unsafe.SliceData(data), len(data)))
	defer giveBack()
	if at == 0 {
		return w.noMemory()
	}
	return value(w.vm.Bytes(at, uint32(len(data))))
}
