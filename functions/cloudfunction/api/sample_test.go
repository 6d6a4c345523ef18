package api

import (
	"encoding/json"
	"testing"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// TestSampleRowHasEveryColumn: each value has a form that its column accepts.
func TestSampleRowHasEveryColumn(t *testing.T) {
	var columns []table.Column
	for _, kind := range []value.Type{
		value.String, value.Integer, value.Number, value.Boolean, value.Object, value.File, value.Date, value.Pointer,
		value.Geojson,
	} {
		columns = append(columns, table.Column{Column: value.Column{Name: string(kind), Type: kind}})
		if kind != value.Pointer {
			columns = append(
				columns, table.Column{Column: value.Column{Name: "list_of_" + string(kind), Type: value.Array, Items: kind}},
			)
		}
	}
	columns = append(columns, table.Column{Column: value.Column{Name: "usual", Type: value.String, Default: "this"}})
	data, err := sampleRow(table.Table{ID: 7, Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	var row map[string]any
	if err := json.Unmarshal(data, &row); err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		if _, err := c.Convert(row[c.Name]); err != nil || row[c.Name] == nil {
			t.Errorf("%s: %v, %v", c.Name, row[c.Name], err)
		}
	}
	if row["usual"] != "this" || len(row["id"].(string)) != 24 || row["_read_perm"] == nil {
		t.Errorf("row %s", data)
	}
}
