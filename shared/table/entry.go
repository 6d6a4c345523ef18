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
// A text over MaxEncoded bytes is cut: entries of equal value may then belong
// to different texts.
const (
	// Separator stands between the value and the id. Escaping leaves out "\x02", which so comes after the entries of one
	// value and before all others.
	Separator  = "\x01"
	MaxEncoded = 900
)

// EncodeValue returns the place of a column's value in an index; cut reports
// that other values share it.
func EncodeValue(c value.Column, v any) (encoded string, cut bool) {
	encoded = c.Type.Key(v)
	if len(encoded) <= MaxEncoded {
		return encoded, false
	}

	// A key must stay UTF-8, so it is cut before a character.
	n := MaxEncoded
	for !utf8.RuneStart(encoded[n]) {
		n--
	}

	return encoded[:n], true
}

// Cut reports whether an entry's value may be cut, and so stand for several texts.
func (e Entry) Cut() bool { return len(e.Value) > MaxEncoded-4 }

// Entry returns the row's entry in the column's index.
func (c Column) Entry(r Row) Entry {
	encoded, _ := EncodeValue(c.Column, r.Fields[c.Name])
	return Entry{Value: encoded, ID: r.ID}
}

// Key returns the entry as it stands in keys.
func (e Entry) Key() string { return e.Value + Separator + string(e.ID) }

// ParseEntry reads what Key wrote.
func ParseEntry(key string) (Entry, bool) {
	i := strings.LastIndex(key, Separator)
	if i < 0 {
		return Entry{}, false
	}
	return Entry{key[:i], RowID(key[i+1:])}, true
}
