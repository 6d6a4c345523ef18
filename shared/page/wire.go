package page

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxBytes limits the JSON of a page, in bytes, because a response is limited to httpapi.MaxAnswer. A page that would
// exceed it ends before Limit and has a Next.
const MaxBytes = 4_400_000

// Wire returns the size of v as JSON in a response, in bytes. It is exact for strings, booleans, lists, maps, nil and
// int64, and an upper bound for other numbers. v must not contain other types.
func Wire(v any) int {
	switch v := v.(type) {
	case nil:
		return len("null")
	case bool:
		return len("false")
	case string:
		return wireText(v)
	case int64:
		return len(strconv.FormatInt(v, 10))
	case []any:
		sum := len("[]")
		for _, item := range v {
			sum += len(",") + Wire(item)
		}
		return sum
	case map[string]any:
		sum := len("{}")
		for name, item := range v {
			sum += wireText(name) + len(":,") + Wire(item)
		}
		return sum
	}
	return longestNumber
}

// longestNumber is the maximum number of bytes that encoding/json writes for a number.
var longestNumber = len(strconv.FormatFloat(-math.MaxFloat64, 'e', -1, 64)) + 1

// wireText is the length of a JSON string with its quotes.
func wireText(s string) int {
	_, sum := walk(s, math.MaxInt)
	return sum
}

// Clip returns the longest prefix of s that takes at most limit bytes as a JSON string.
func Clip(s string, limit int) string {
	end, _ := walk(s, limit)
	return s[:end]
}

// walk returns the longest prefix of s whose JSON string takes at most limit bytes, quotes included: its end in s and
// its JSON size. Responses escape U+2028 and U+2029, but not HTML characters.
func walk(s string, limit int) (end, wire int) {
	wire = len(`""`)
	for end < len(s) {
		n, bytes := 1, 0
		if c := s[end]; c < utf8.RuneSelf {
			bytes = int(asciiWire[c])
		} else {
			n, bytes = wideWire(s[end:])
		}
		if wire+bytes > limit {
			break
		}
		end, wire = end+n, wire+bytes
	}
	return end, wire
}

// asciiWire is the JSON size of each ASCII character.
var asciiWire = func() (sizes [utf8.RuneSelf]uint8) {
	for c := range sizes {
		switch {
		case strings.ContainsRune("\"\\\b\f\n\r\t", rune(c)):
			sizes[c] = uint8(len(`\n`))
		case c < 0x20:
			sizes[c] = uint8(len(`\u0000`))
		default:
			sizes[c] = 1
		}
	}
	return sizes
}()

// wideWire returns the length of the character at the start of s, which is not ASCII, and its JSON size.
func wideWire(s string) (n, bytes int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 || r == '\u2028' || r == '\u2029' {
		return n, len(`\u0000`)
	}
	return n, n
}
