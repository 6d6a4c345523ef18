package page

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxBytes bounds the JSON of a page, in bytes: an answer ends at
// httpapi.MaxAnswer. A page that would pass it ends before Limit and has a Next,
// however many records were asked for.
const MaxBytes = 4_400_000

// Fit returns how many of the records make a page of at most MaxBytes, wire
// being the bytes of one with its comma; at least 1 if there is one.
func Fit[T any](records []T, wire func(T) int) int {
	sum := 0
	for n, record := range records {
		if sum += wire(record); sum > MaxBytes && n > 0 {
			return n
		}
	}
	return len(records)
}

// Wire returns how long v is as JSON in an answer, in bytes: exactly for texts,
// truth values, lists, maps and nil, at most for numbers. Everything else must
// not occur in it.
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

// longestNumber is how many bytes encoding/json takes for a number at most.
var longestNumber = len(strconv.FormatFloat(-math.MaxFloat64, 'e', -1, 64)) + 1

// wireText is the length of a JSON string with its quotes.
func wireText(s string) int {
	_, sum := walk(s, math.MaxInt)
	return sum
}

// Clip returns the beginning of s that has at most limit bytes as a JSON string.
func Clip(s string, limit int) string {
	end, _ := walk(s, limit)
	return s[:end]
}

// walk goes along a text while its JSON has at most limit bytes, quotes included,
// and returns how far it came and how many these are. HTML characters are not
// escaped in answers, U+2028 and U+2029 are.
func walk(s string, limit int) (end, wire int) {
	wire = len(`""`)
	for end < len(s) {
		r, n := rune(s[end]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[end:])
		}

		bytes := n
		switch {
		case r == '"', r == '\\', r == '\b', r == '\f', r == '\n', r == '\r', r == '\t':
			bytes = len(`\n`)
		case r < 0x20, r == utf8.RuneError && n == 1, r == '\u2028', r == '\u2029':
			bytes = len(`\u0000`)
		}

		if wire+bytes > limit {
			break
		}

		end, wire = end+n, wire+bytes
	}

	return end, wire
}
