package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"minicloud/shared/language/value"
)

// An index entry is kept under its encoded value, a separator and the row's
// id. Under string comparison entries have the order of value.Column.Compare,
// then of ids:
//
//	0                            null
//	1f 1t                        boolean
//	2<16 hex digits>             integer, number: the bits of the float, order-preserving
//	3<text>                      string; the three lowest characters escaped
//	4<16 hex digits><9 digits>   date: seconds and nanoseconds of the instant
//
// A text over maxEncoded bytes is cut: entries of equal value may then belong
// to different texts.
const (
	separator  = "\x01"
	past       = "\x02" // between the entries of a value and everything after them
	escape     = '\x02'
	maxEncoded = 900
)

// EncodeValue returns the place of a column's value in an index; cut reports
// that other values share it.
func EncodeValue(c value.Column, v any) (encoded string, cut bool) {
	if v == nil {
		return "0", false
	}

	switch c.Type {
	case value.Boolean:
		if v == true {
			return "1t", false
		}
		return "1f", false
	case value.Integer, value.Number:
		f, _ := value.ToFloat(v)
		return "2" + encodeFloat(f), false
	case value.Date:
		at, _ := value.Instant(v.(string))
		return fmt.Sprintf("4%016x%09d", uint64(at.Unix())^1<<63, at.Nanosecond()), false
	}

	encoded = "3" + encodeText(v.(string))
	if len(encoded) <= maxEncoded {
		return encoded, false
	}

	n := maxEncoded
	for !utf8.RuneStart(encoded[n]) {
		n--
	}

	return encoded[:n], true
}

func encodeFloat(f float64) string {
	if f == 0 {
		f = 0 // minus zero equals zero
	}
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

// encodeText escapes what would disturb the order of entries of different
// length. It is a prefix code: a prefix of the text is a prefix of the result.
func encodeText(text string) string {
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

// Entry returns the row's entry in the column's index.
func (c Column) Entry(r Row) Entry {
	encoded, _ := EncodeValue(c.Column, r.Fields[c.Name])
	return Entry{Value: encoded, ID: r.ID}
}

// Key returns the entry as it stands in keys.
func (e Entry) Key() string { return e.Value + separator + string(e.ID) }

// ParseEntry reads what Key wrote.
func ParseEntry(key string) (Entry, bool) {
	i := strings.LastIndex(key, separator)
	if i < 0 {
		return Entry{}, false
	}
	return Entry{key[:i], RowID(key[i+1:])}, true
}

// span is a range of keys, [from, to); "" is open.
type span struct{ from, to string }

// spanOf returns the entries whose value is exactly encoded.
func spanOf(encoded string) span { return span{encoded + separator, encoded + past} }

// spanOfType returns the entries of all values but null: the encodings of a
// type have a first character of their own.
func spanOfType(c value.Column) span {
	switch c.Type {
	case value.Boolean:
		return span{"1", "2"}
	case value.Integer, value.Number:
		return span{"2", "3"}
	case value.String:
		return span{"3", "4"}
	}
	return span{"4", "5"}
}

// intersect returns what lies in both; empty reports that nothing does.
func (s span) intersect(o span) (both span, empty bool) {
	both.from = max(s.from, o.from)
	both.to = s.to
	if s.to == "" || o.to != "" && o.to < s.to {
		both.to = o.to
	}
	return both, both.to != "" && both.from >= both.to
}

// afterPrefix returns the smallest key after all that begin with prefix.
func afterPrefix(prefix string) string {
	for prefix != "" {
		last, n := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-n]
		if last++; last == surrogates {
			last = afterSurrogates
		}
		if last <= utf8.MaxRune {
			return prefix + string(last)
		}
	}
	return ""
}

// The runes between these are not characters and cannot stand in a key.
const (
	surrogates      = 0xD800
	afterSurrogates = 0xE000
)
