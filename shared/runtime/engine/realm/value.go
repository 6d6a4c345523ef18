package realm

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Value is a JavaScript value as the engine holds it: its kind in the upper half,
// a number or an address in the lower. References are counted by hand; within a
// run most are simply left to the reset.
type Value uint64

// ValueSize is the size of a value in memory, in bytes.
const ValueSize = 8

// Values without an address, by QuickJS's numbers of their kinds.
const (
	kindInt    Value = 0 << 32
	kindBool   Value = 1 << 32
	Null       Value = 2 << 32
	Undefined  Value = 3 << 32
	Exception  Value = 6 << 32 // a call threw: Caught returns what
	kindMask   Value = math.MaxUint32 << 32
	floatKinds       = 0x7ff80000 + 9 + 1 // what a float's upper half is shifted by
	quietNaN         = uint64(0x7ff8000000000000)
	yes              = kindBool | 1
)

// IsException reports whether a call threw.
func IsException(v Value) bool { return v&kindMask == Exception }

// IsUndefined reports undefined.
func IsUndefined(v Value) bool { return v&kindMask == Undefined }

// Kinds of values.
const (
	KindUndefined = iota
	KindNull
	KindFalse
	KindTrue
	KindNumber
	KindText
	KindObject
)

// Kind returns the kind of a value, one of the constants above.
func (r *Realm) Kind(v Value) uint32 { return r.VM.Kind(uint64(v)) }

// IsEmpty reports null and undefined.
func IsEmpty(v Value) bool { return v&kindMask == Null || IsUndefined(v) }

// IsTrue reports true; other values are not converted.
func IsTrue(v Value) bool { return v == yes }

// NewBool makes a boolean.
func NewBool(b bool) Value {
	if b {
		return yes
	}
	return kindBool
}

// NewInt makes a number.
func NewInt(n int32) Value { return kindInt | Value(uint32(n)) }

// NewFloat makes a number.
func NewFloat(f float64) Value {
	number := math.Float64bits(f)
	if f != f {
		number = quietNaN
	}
	return Value(number - floatKinds<<32)
}

// Lend copies bytes into the world's memory for the time of one call, with the
// NUL that QuickJS wants behind every text. It is 0 when there is no room.
func (r *Realm) Lend(data string) (at uint32, giveBack func()) {
	at = r.VM.Take(uint32(len(data) + 1))
	if at == 0 {
		return 0, func() {}
	}
	memory := r.VM.Memory(at, uint32(len(data)+1))
	copy(memory, data)
	memory[len(data)] = 0
	return at, func() { r.VM.Give(at) }
}

// NewString makes a text; lone surrogates are three bytes each.
func (r *Realm) NewString(s string) Value {
	at, giveBack := r.Lend(s)
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return Value(r.VM.String(at, uint32(len(s))))
}

// NoMemory throws that there is none.
func (r *Realm) NoMemory() Value {
	r.VM.ThrowMemory()
	return Exception
}

// Latin1 makes a string whose every character is one byte of data.
func (r *Realm) Latin1(data []byte) Value {
	at, giveBack := r.Lend(unsafe.String(unsafe.SliceData(data), len(data)))
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return Value(r.VM.Latin1(at, uint32(len(data))))
}

// BytesOf is the inverse of latin1; ok is false when a character is no byte.
func (r *Realm) BytesOf(v Value) (data []byte, ok bool) {
	text, ok := r.Text(v)
	if !ok {
		return nil, false
	}

	data = make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case b < 0x80:
			data = append(data, b)
		// In UTF-8, U+0080 to U+00FF begin with the byte 0xc2 or 0xc3.
		case b>>1 == 0xc2>>1 && i+1 < len(text):
			i++
			data = append(data, b<<6|text[i]&0x3f)
		default:
			return nil, false
		}
	}

	return data, true
}

// Text returns the string of v in UTF-8, where a lone surrogate is the three
// bytes of its code point; ok is false when converting threw.
func (r *Realm) Text(v Value) (s string, ok bool) {
	at := r.VM.Text(uint64(v), r.Scratch)
	if at == 0 {
		return "", false
	}
	s = string(r.VM.Memory(at, r.Word(0)))
	r.VM.FreeText(at)
	return s, true
}

// Word is one of the numbers that a call left in the scratch memory.
func (r *Realm) Word(i uint32) uint32 {
	return binary.LittleEndian.Uint32(r.VM.Memory(r.Scratch+4*i, 4))
}

// Get returns a property.
func (r *Realm) Get(object Value, name string) Value {
	at, giveBack := r.Lend(name)
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return Value(r.VM.Get(uint64(object), at))
}

// TextOf returns a property as text, "" when asking for it threw.
func (r *Realm) TextOf(object Value, name string) string {
	v := r.Get(object, name)
	defer r.Drop(v)
	s, _ := r.Text(v)
	return s
}

// Set gives v away to the object.
func (r *Realm) Set(object Value, name string, v Value) {
	at, giveBack := r.Lend(name)
	defer giveBack()
	if at != 0 {
		r.VM.Set(uint64(object), at, uint64(v))
	}
}

// Call calls f with args, which stay the caller's.
func (r *Realm) Call(f, this Value, args ...Value) Value {
	if len(args) == 0 {
		return Value(r.VM.Call(uint64(f), uint64(this), 0, 0))
	}
	at := r.VM.Take(uint32(len(args) * ValueSize))
	if at == 0 {
		return r.NoMemory()
	}
	defer r.VM.Give(at)
	memory := r.VM.Memory(at, uint32(len(args)*ValueSize))
	for i, arg := range args {
		binary.LittleEndian.PutUint64(memory[i*ValueSize:], uint64(arg))
	}
	return Value(r.VM.Call(uint64(f), uint64(this), uint32(len(args)), at))
}

// Drop counts one reference less.
func (r *Realm) Drop(v Value) { r.VM.Drop(uint64(v)) }

// Keep counts one reference more.
func (r *Realm) Keep(v Value) Value { return Value(r.VM.Keep(uint64(v))) }

// Caught takes the pending exception out of the context.
func (r *Realm) Caught() Value { return Value(r.VM.Caught()) }

// Argument returns the i-th argument of a host call, undefined past the end.
func Argument(argc int32, argv uintptr, i int32) Value {
	if i >= argc {
		return Undefined
	}
	return unsafe.Slice((*Value)(unsafe.Add(nil, argv)), argc)[i]
}

// NewArray makes an array, giving the items away.
func (r *Realm) NewArray(items ...Value) (Value, error) {
	array := Value(r.VM.Array())
	if IsException(array) {
		return Undefined, ErrThrown
	}
	for i, item := range items {
		if int32(r.VM.SetIndex(uint64(array), uint32(i), uint64(item))) < 0 {
			r.Drop(array)
			return Undefined, ErrThrown
		}
	}
	return array, nil
}

// Number converts a value; ok is false when that threw.
func (r *Realm) Number(v Value) (n float64, ok bool) {
	if r.VM.ToNumber(uint64(v), r.Scratch) != 0 {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(r.VM.Memory(r.Scratch, 8))), true
}

// NewBuffer makes an ArrayBuffer of a copy of data.
func (r *Realm) NewBuffer(data []byte) Value {
	at, giveBack := r.Lend(unsafe.String(unsafe.SliceData(data), len(data)))
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return Value(r.VM.Bytes(at, uint32(len(data))))
}
