package realm

import (
	"fmt"
	"strings"
)

// TextArgument returns the i-th argument of a host call as a string.
func (r *Realm) TextArgument(argc int32, argv uintptr, i int32) (string, error) {
	text, ok := r.Text(Argument(argc, argv, i))
	if !ok {
		return "", ErrThrown
	}
	return text, nil
}

// BytesArgument returns the bytes of a binary string, in which each character is one byte.
func (r *Realm) BytesArgument(argc int32, argv uintptr, i int32) ([]byte, error) {
	v := Argument(argc, argv, i)
	data, ok := r.BytesOf(v)
	if !ok {
		return nil, fmt.Errorf("argument %d is not a binary string", i+1)
	}
	return data, nil
}

// NumberArgument returns the i-th argument as a number.
func (r *Realm) NumberArgument(argc int32, argv uintptr, i int32) (float64, error) {
	n, ok := r.Number(Argument(argc, argv, i))
	if !ok {
		return 0, ErrThrown
	}
	return n, nil
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
