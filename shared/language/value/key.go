package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Index keys of values:
//
//	0                            null
//	1f 1t                        boolean
//	2<16 hex digits>             integer, number: order-preserving bits of the float
//	3<text>                      string; the three lowest characters escaped
//	4<16 hex digits><9 digits>   date: seconds and nanoseconds of the instant

func keyOfBoolean(v any) string {
	if v == true {
		return "t"
	}
	return "f"
}

func keyOfNumber(v any) string {
	f, _ := ToFloat(v)
	if f == 0 {
		f = 0 // -0 equals 0
	}
	// With the sign bit flipped, or all bits for negative numbers, the bits sort in the order of the floats.
	bits := math.Float64bits(f)
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], bits)
	return fmt.Sprintf("%x", b)
}

func keyOfDate(v any) string {
	at, _ := Instant(v.(string))
	return fmt.Sprintf("%016x%09d", uint64(at.Unix())^1<<63, at.Nanosecond())
}

// escape is the largest character that KeyText escapes. Keys use the characters up to escape to separate the value
// from the id.
const escape = '\x02'

// KeyText escapes the characters of a text that would change the order of keys of different lengths. It is a prefix
// code: a prefix of the text is encoded as a prefix of the result.
func KeyText(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r <= escape }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r <= escape {
			b.WriteRune(escape)
			r += '0'
		}
		b.WriteRune(r)
	}
	return b.String()
}
