package finder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/table/plan"
)

// TestWireSize compares the measured size of a row with that of its JSON.
func TestWireSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var item func(depth int) any
		item = func(depth int) any {
			switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
			case kind == 0:
				return int64(math.MinInt64)
			case kind == 1:
				return -math.MaxFloat64
			case kind == 2:
				return rapid.Bool().Draw(t, "bool")
			case kind == 3:
				return nil
			case kind == 4:
				return rapid.SampledFrom([]string{"\x01\x02", "\xff\xff", "\u2028", "plain", ""}).Draw(t, "text")
			case depth == 0:
				return "x"
			case kind == 5:
				return []any{item(depth - 1), item(depth - 1)}
			}
			return map[string]any{rapid.String().Draw(t, "name"): item(depth - 1)}
		}
		of := table.Table{ID: table.ID(rapid.SampledFrom([]int64{int64(table.UserProfiles), 1 << 50}).Draw(t, "table"))}
		row := table.Row{
			ID: table.RowID(strings.Repeat("f", 24)), UpdatedAt: math.MinInt64, CreatedBy: math.MinInt64, Fields: map[string]any{},
			Perm: table.RowPerm{Read: []string{"user:*", "\x01"}, Write: []string{""}},
		}
		for i := range rapid.IntRange(0, 40).Draw(t, "columns") {
			name := fmt.Sprint("c", i)
			of.Columns = append(of.Columns, table.Column{Column: value.Column{Name: name}})
			if rapid.Bool().Draw(t, "has") {
				row.Fields[name] = item(2)
			}
		}
		answer := of.Answer(row)
		for _, c := range of.Columns {
			if _, has := answer[c.Name]; !has {
				answer[c.Name] = nil
			}
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // as in responses
		if err := encoder.Encode(answer); err != nil {
			t.Fatal(err)
		}
		f := &search{table: plan.Table{Table: of}}
		if most, size := f.wireSize(row), text.Len(); most < size || most > size+2*builtInBytes {
			t.Errorf("at most %d bytes, but it has %d: %s", most, size, text.Bytes())
		}
	})
}
