package table

import (
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"minicloud/shared/language/value"
)

// TestEncodedOrder compares the order of entries with the order of their values.
func TestEncodedOrder(t *testing.T) {
	dates := []string{
		"2026-11-21T08:00:00+08:00", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00.000000001Z", "1901-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
	}
	generators := map[value.Type]*rapid.Generator[any]{
		value.String:  rapid.StringOf(rapid.RuneFrom([]rune{0, 1, 2, 3, 'a', 'b', '数', 0xD7FF, 0xE000, 0x10FFFF})).AsAny(),
		value.Integer: rapid.Int64Range(-value.MaxInteger, value.MaxInteger).AsAny(),
		value.Number:  rapid.Float64().AsAny(),
		value.Boolean: rapid.Bool().AsAny(),
		value.Date:    rapid.SampledFrom(dates).AsAny(),
	}
	for kind, values := range generators {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := Column{Column: value.Column{Name: "c", Type: kind}}
				a, b := values.Draw(t, "a"), values.Draw(t, "b")
				row := func(v any, id RowID) string { return c.Entry(Row{ID: id, Fields: map[string]any{"c": v}}).Key() }
				want := c.Compare(a, b)
				if got := cmp.Compare(row(a, "5"), row(b, "5")); got != want {
					t.Errorf("entries of %q and %q compare %d, the values %d", a, b, got, want)
				}
				if want == 0 && row(a, "5") >= row(b, "6") {
					t.Errorf("entries of the equal values %q and %q do not go by id", a, b)
				}
				if row(nil, "9") >= row(a, "0") {
					t.Errorf("null does not come before %q", a)
				}
				if e, ok := ParseEntry(row(a, "5")); !ok || e.ID != "5" {
					t.Errorf("entry of %q reads as %q", a, e)
				}
			})
		})
	}
}

func TestLongTextsShareAnIndexEntry(t *testing.T) {
	c := value.Column{Name: "c", Type: value.String}
	long := strings.Repeat("数", 400)
	a, cut := EncodeValue(c, long+"a")
	b, _ := EncodeValue(c, long+"b")
	if !cut || a != b || len(a) > MaxEncoded || len(a) <= MaxEncoded-4 || strings.ToValidUTF8(a, "?") != a {
		t.Errorf("cut %v to %d bytes, the same %v", cut, len(a), a == b)
	}
}
