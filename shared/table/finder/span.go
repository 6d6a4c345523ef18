package finder

import (
	"unicode/utf8"

	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// past comes between the entries of a value and everything after them.
const past = "\x02"

// span is a range of keys, [from, to); "" is open.
type span struct{ from, to string }

// spanOf returns the entries whose value is exactly encoded.
func spanOf(encoded string) span { return span{encoded + table.Separator, encoded + past} }

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

// lastNumber is larger than all numbers of ids.
const lastNumber = id.ID(1)<<53 - 1

// numberAt returns the largest number whose ids may be at or before the key,
// which need not be an id.
func numberAt(t table.Table, key string) id.ID {
	low, high := id.ID(0), lastNumber
	for low < high {
		middle := (low + high + 1) / 2
		if string(t.FirstRowID(middle)) <= key {
			low = middle
		} else {
			high = middle - 1
		}
	}

	return low
}
