package realm

import (
	"strings"
	"unsafe"
)

// Arguments are the arguments of a host call, in the world's memory.
type Arguments []Value

// ArgumentsAt returns the arguments that the engine stored at an address.
func (r *Realm) ArgumentsAt(address, count uint32) Arguments {
	if count == 0 {
		return nil
	}
	memory := unsafe.SliceData(r.VM.Memory(address, count*ValueSize))
	return unsafe.Slice((*Value)(unsafe.Pointer(memory)), count)
}

// At returns the i-th argument, undefined if there are fewer.
func (a Arguments) At(i int) Value {
	if i >= len(a) {
		return Undefined
	}
	return a[i]
}

// WellFormed replaces lone surrogates, which are three invalid bytes each, by U+FFFD.
func WellFormed(s string) string {
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

// Stack returns the stack of an error as the engine wrote it: frames without the message; undefined for other
// values.
func (r *Realm) Stack(v Value) Value {
	if r.VM.IsError(uint64(v)) == 0 {
		return Undefined
	}
	return Value(r.VM.ErrorStack(uint64(v)))
}
