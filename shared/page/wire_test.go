package page

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// wired returns v as httpapi.Write writes it.
func wired(t testing.TB, v any) int {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Len() - len("\n")
}

func TestWireSizeOfTextIsExact(t *testing.T) {
	for c := range rune(0x3000) {
		if s := "a" + string(c); Wire(s) != wired(t, s) {
			t.Fatalf("%q is %d bytes, not %d", s, wired(t, s), Wire(s))
		}
	}
}

func FuzzWireOfAText(f *testing.F) {
	for _, s := range []string{
		"", "plain", "<p>\"\\\x7f\x01", "\u2028\u2029\u202a", "\xe2\x80", "\xff\xe2\x80\xa8", "😀\xf0\x9f",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if Wire(s) != wired(t, s) {
			t.Errorf("%q is %d bytes, not %d", s, wired(t, s), Wire(s))
		}
		for limit := range wired(t, s) + 2 {
			if got := Clip(s, limit); limit >= 2 && wired(t, got) > limit || !strings.HasPrefix(s, got) {
				t.Errorf("%q in %d bytes is %q", s, limit, got)
			}
		}
		if got := Clip(s, wired(t, s)); got != s {
			t.Errorf("%q is cut to %q without need", s, got)
		}
	})
}

// TestWireSizeIsNeverTooSmall: Wire may be too large by one comma per list and by the difference to the longest number.
func TestWireSizeIsNeverTooSmall(t *testing.T) {
	for _, v := range []any{
		nil, true, false, int64(math.MinInt64), int64(0), 1.5, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e21,
		int32(-7),
		[]any{}, []any{nil, "x", []any{int64(1)}}, map[string]any{},
		map[string]any{"a\n": []any{}, "b": map[string]any{"c": false}},
		strings.Repeat("\x00", 100),
	} {
		if got, want := Wire(v), wired(t, v); got < want || got > want+40 {
			t.Errorf("%v is %d bytes, not %d", v, want, got)
		}
	}
}
