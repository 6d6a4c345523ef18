package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"minicloud/shared/httpapi/paging"
)

// TestWritesAsEncodingJSON compares responses with those of encoding/json.
func TestWritesAsEncodingJSON(t *testing.T) {
	type row map[string]any
	type view struct {
		Name  string `json:"name"`
		Count Float  `json:"count"`
	}
	type detailed struct { // as the list of triggers with detail=1
		Envelope[view]
		More string `json:"more"`
	}
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z"\\<>&\x01\x7f é]{0,9}`),
		rapid.SampledFrom([]string{"\u2028", "\xff", "a\u2029b", "\n\t\r\b\f", "漢字 😀", ""}))
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			switch kind := rapid.IntRange(0, 12).Draw(t, "kind"); {
			case kind == 0:
				return nil
			case kind == 1:
				return rapid.Bool().Draw(t, "bool")
			case kind == 2:
				return rapid.Int64().Draw(t, "integer")
			case kind == 3:
				return rapid.Float64().Draw(t, "number")
			case kind == 4:
				return view{text.Draw(t, "name"), 2}
			case kind == 5:
				return map[string]any(nil)
			case kind == 6:
				return []any(nil)
			case kind == 7:
				return rapid.Int().Draw(t, "int")
			case kind < 10 && depth > 0:
				return rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list")
			case depth > 0:
				return row(rapid.MapOfN(text, value(depth-1), 0, 4).Draw(t, "object"))
			}
			return text.Draw(t, "text")
		})
	}

	rapid.Check(t, func(t *rapid.T) {
		next := text.Draw(t, "next")
		for _, body := range []any{
			value(3).Draw(t, "value"),
			Envelope[row]{Meta: paging.Meta{Next: &next}, Objects: []row{{"a": value(2).Draw(t, "a")}, nil}},
			Envelope[view]{Objects: []view{{Name: next}}},
			Envelope[any]{},
			detailed{Envelope[view]{Objects: []view{{Name: next}}}, next},
		} {
			var want bytes.Buffer
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(body); err != nil {
				t.Fatal(err)
			}
			got := httptest.NewRecorder()
			Write(got, 200, body)
			if got.Body.String() != strings.TrimSuffix(want.String(), "\n") {
				t.Errorf("%#v:\n%s, want\n%s", body, got.Body, want.String())
			}
		}
	})
}
