package plan

import (
	"testing"

	"minicloud/shared/language/value"
)

// TestSpanOfType checks that the span of a type holds the keys of all values except null.
func TestSpanOfType(t *testing.T) {
	for kind, v := range map[value.Type]any{
		value.String: "", value.Integer: int64(-1), value.Number: 1e100, value.Boolean: false, value.Date: "2026-11-21T00:00:00Z",
	} {
		s := spanOfType(value.Column{Type: kind})
		if key := kind.Key(v); !s.Holds(key) || s.Holds(kind.Key(nil)) {
			t.Errorf("%s: key %q is not in the span of its type, or null is", kind, key)
		}
	}
}

func TestAfterPrefix(t *testing.T) {
	for prefix, want := range map[string]string{
		"a": "b", "3": "4", "a\uD7FF": "a\uE000", "a\U0010FFFF": "b", "\U0010FFFF": "",
	} {
		if got := afterPrefix(prefix); got != want {
			t.Errorf("afterPrefix(%q) = %q, want %q", prefix, got, want)
		}
	}
}
