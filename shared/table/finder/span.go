package finder

import (
	"unicode/utf8"

	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// past sorts after all entries of a value and before all entries of later values.
const past = "\x02"

// span is a range of keys, [from, to); "" = open.
type span struct{ from, to string }

// spanOf returns the span of the entries whose value is exactly encoded.
func spanOf(encoded string) span { return span{encoded + table.Separator, encoded + past} }

// spanOfType returns the span of the entries of all values except null: all keys of a type have the same first
// character.
func spanOfType(c value.Column) span {
	mark := c.Type.Mark()
	return span{mark, afterPrefix(mark)}
}

// intersect returns the intersection of both spans; empty reports that it has no keys.
func (s span) intersect(o span) (both span, empty bool) {
	both.from = max(s.from, o.from)
	both.to = s.to
	if s.to == "" || o.to != "" && o.to < s.to {
		both.to = o.to
	}
	return both, both.to != "" && both.from >= both.to
}

// afterPrefix returns the smallest key after all keys with this prefix, or "" if there is none.
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

// The surrogate range: these code points are not valid characters, so no key contains them.
const (
	surrogates      = 0xD800
	afterSurrogates = 0xE000
)

// lastNumber is the largest number of an id.
const lastNumber = id.ID(1)<<53 - 1

// numberAt returns the largest number n with FirstRowID(n) ≤ key; key need not be an id.
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
