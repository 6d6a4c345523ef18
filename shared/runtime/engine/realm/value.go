package realm

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"
)

// Value is a JavaScript value in the engine's representation: its kind in the upper half, a number or an address in
// the lower half. References are counted manually; during a run most are not released, because the reset frees
// them.
type Value uint64

// ValueSize is the size of a value in memory, in bytes.
const ValueSize = 8

// Values without an address; the numbers of the kinds are QuickJS's.
const (
	kindInt    Value = 0 << 32
	kindBool   Value = 1 << 32
	Null       Value = 2 << 32
	Undefined  Value = 3 << 32
	Exception  Value = 6 << 32 // a call threw; Caught returns the exception
	kindMask   Value = math.MaxUint32 << 32
	floatKinds       = 0x7ff80000 + 9 + 1 // offset that is subtracted from a float's upper half
	quietNaN         = uint64(0x7ff8000000000000)
	yes              = kindBool | 1
)

// IsException reports whether a call threw.
func IsException(v Value) bool { return v&kindMask == Exception }

// IsUndefined reports whether v is undefined.
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

// IsEmpty reports whether v is null or undefined.
func IsEmpty(v Value) bool { return v&kindMask == Null || IsUndefined(v) }

// IsTrue reports whether v is true; it does not convert other values.
func IsTrue(v Value) bool { return v == yes }

// NewBool returns a boolean.
func NewBool(b bool) Value {
	if b {
		return yes
	}
	return kindBool
}

// NewInt returns an integer number.
func NewInt(n int32) Value { return kindInt | Value(uint32(n)) }

// NewFloat returns a number.
func NewFloat(f float64) Value {
	number := math.Float64bits(f)
	if f != f {
		number = quietNaN
	}
	return Value(number - floatKinds<<32)
}

// Lend copies data into the world's memory for the duration of one call and adds the NUL that QuickJS requires
// after a string. It returns 0 if there is no memory.
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

// NewString returns a string; in s a lone surrogate is three bytes.
func (r *Realm) NewString(s string) Value {
	at, giveBack := r.Lend(s)
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return Value(r.VM.String(at, uint32(len(s))))
}

// NoMemory throws the out-of-memory error.
func (r *Realm) NoMemory() Value {
	r.VM.ThrowMemory()
	return Exception
}

// Latin1 returns a string in which each character is one byte of data.
func (r *Realm) Latin1(data []byte) Value {
	at, giveBack := r.Lend(unsafe.String(unsafe.SliceData(data), len(data)))
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return Value(r.VM.Latin1(at, uint32(len(data))))
}

// BytesOf is the inverse of Latin1. It returns an error if a character is above U+00FF.
func (r *Realm) BytesOf(v Value) ([]byte, error) {
	text, err := r.Text(v)
	if err != nil {
		return nil, err
	}

	data := make([]byte, 0, len(text))
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
			return nil, errors.New("not a binary string")
		}
	}

	return data, nil
}

// Text returns v converted to a string in UTF-8; a lone surrogate becomes the three bytes of its code point. It returns
// ErrThrown if the conversion threw.
func (r *Realm) Text(v Value) (string, error) {
	at := r.VM.Text(uint64(v), r.Scratch)
	if at == 0 {
		return "", ErrThrown
	}
	s := string(r.VM.Memory(at, r.Word(0)))
	r.VM.FreeText(at)
	return s, nil
}

// Word returns the i-th number that a call stored in the scratch memory.
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

// TextOf returns a property as a string, "" if reading it threw.
func (r *Realm) TextOf(object Value, name string) string {
	v := r.Get(object, name)
	defer r.Drop(v)
	s, _ := r.Text(v)
	return s
}

// Set sets a property and takes over the reference v.
func (r *Realm) Set(object Value, name string, v Value) {
	at, giveBack := r.Lend(name)
	defer giveBack()
	if at != 0 {
		r.VM.Set(uint64(object), at, uint64(v))
	}
}

// Call calls f with args; the caller keeps the references in args.
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

// Drop decrements the reference count of v.
func (r *Realm) Drop(v Value) { r.VM.Drop(uint64(v)) }

// Keep increments the reference count of v.
func (r *Realm) Keep(v Value) Value { return Value(r.VM.Keep(uint64(v))) }

// Caught removes the pending exception and returns it.
func (r *Realm) Caught() Value { return Value(r.VM.Caught()) }

// NewArray returns an array and takes over the references in items.
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

// Number converts a value to a number. It returns ErrThrown if the conversion threw.
func (r *Realm) Number(v Value) (float64, error) {
	if r.VM.ToNumber(uint64(v), r.Scratch) != 0 {
		return 0, ErrThrown
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(r.VM.Memory(r.Scratch, 8))), nil
}

// NewBuffer returns an ArrayBuffer with a copy of data.
func (r *Realm) NewBuffer(data []byte) Value {
	at, giveBack := r.Lend(unsafe.String(unsafe.SliceData(data), len(data)))
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return Value(r.VM.Bytes(at, uint32(len(data))))
}
