package plan

import (
	"unicode/utf8"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// past sorts after all entries of a value and before all entries of later values.
const past = "\x02"

// Span is a range of keys, [from, to); "" = open.
type Span struct{ From, To string }

// SpanOf returns the span of the entries whose value is exactly encoded.
func SpanOf(encoded string) Span { return Span{encoded + table.Separator, encoded + past} }

// spanOfType returns the span of the entries of all values except null: all keys of a type have the same first
// character.
func spanOfType(c value.Column) Span {
	mark := c.Type.Mark()
	return Span{mark, afterPrefix(mark)}
}

// Intersect returns the intersection of both spans; empty reports that it has no keys.
func (s Span) Intersect(o Span) (both Span, empty bool) {
	both.From = max(s.From, o.From)
	both.To = s.To
	if s.To == "" || o.To != "" && o.To < s.To {
		both.To = o.To
	}
	return both, both.To != "" && both.From >= both.To
}

// Behind returns the part of the span after the key, in walk direction.
func (s Span) Behind(key string, descending bool) Span {
	if descending {
		s.To = key
	} else {
		s.From = key + "0" // keys end with an id of fixed length, so no key is a prefix of another
	}
	return s
}

// Holds reports whether the key is in the span.
func (s Span) Holds(key string) bool { return key >= s.From && (s.To == "" || key < s.To) }

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
