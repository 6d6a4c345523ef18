package table

import (
	"strings"
	"unicode/utf8"

	"minicloud/shared/language/value"
)

// The key of an index entry is the key of its value (value.Type.Key), a separator and the row's id. String comparison
// orders entries by value.Column.Compare, then by id.
//
// Keys of text over MaxEncoded bytes are truncated, so entries with equal keys may belong to different texts.
const (
	// Separator separates the value from the id. An escaped value (value.KeyText) contains no character below "\x02",
	// so value+"\x02" sorts after all entries of that value and before the entries of longer values that start with it.
	Separator  = "\x01"
	MaxEncoded = 900
)

// EncodeValue returns the key of a column's value in its index. cut reports that the key was truncated, so other
// values may have the same key.
func EncodeValue(c value.Column, v any) (encoded string, cut bool) {
	encoded = c.Type.Key(v)
	if len(encoded) <= MaxEncoded {
		return encoded, false
	}

	// A key must be valid UTF-8, so truncate it at a character boundary.
	n := MaxEncoded
	for !utf8.RuneStart(encoded[n]) {
		n--
	}

	return encoded[:n], true
}

// Cut reports whether the entry's value may be truncated and shared by several texts.
func (e Entry) Cut() bool { return len(e.Value) > MaxEncoded-4 }

// Entry returns the row's entry in the column's index.
func (c Column) Entry(r Row) Entry {
	encoded, _ := EncodeValue(c.Column, r.Fields[c.Name])
	return Entry{Value: encoded, ID: r.ID}
}

// Key returns the sort key of the entry.
func (e Entry) Key() string { return e.Value + Separator + string(e.ID) }

// ParseEntry parses the format of Key.
func ParseEntry(key string) (Entry, bool) {
	i := strings.LastIndex(key, Separator)
	if i < 0 {
		return Entry{}, false
	}
	return Entry{key[:i], RowID(key[i+1:])}, true
}
