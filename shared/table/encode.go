package table

import (
	"strings"
	"unicode/utf8"

	"minicloud/shared/language/value"
)

// An index entry is kept under the key of its value (value.Type.Key), a
// separator and the row's id. Under string comparison entries have the order
// of value.Column.Compare, then of ids.
//
// A text over maxEncoded bytes is cut: entries of equal value may then belong
// to different texts.
const (
	separator  = "\x01"
	past       = "\x02" // between the entries of a value and everything after them
	maxEncoded = 900
)

// EncodeValue returns the place of a column's value in an index; cut reports
// that other values share it.
func EncodeValue(c value.Column, v any) (encoded string, cut bool) {
	encoded = c.Type.Key(v)
	if len(encoded) <= maxEncoded {
		return encoded, false
	}

	// A key must stay UTF-8, so it is cut before a character.
	n := maxEncoded
	for !utf8.RuneStart(encoded[n]) {
		n--
	}

	return encoded[:n], true
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

// spanOfType returns the entries of all values but null: the keys of a type
// have a first character of their own.
func spanOfType(c value.Column) span {
	mark := c.Type.Mark()
	return span{mark, afterPrefix(mark)}
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
