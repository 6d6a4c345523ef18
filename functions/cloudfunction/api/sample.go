package api

import (
	"encoding/json"
	"fmt"

	"minicloud/shared/job"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// sampleRow is event.data as a trigger of the table would give it: a row with a
// value in each of its columns.
func sampleRow(t table.Table) (json.RawMessage, error) {
	row := map[string]any{}
	if err := json.Unmarshal(job.Sample(job.SourceFlexSchema), &row); err != nil {
		return nil, fmt.Errorf("sample row: %w", err)
	}
	if t.IntegerIDs() {
		row["id"] = row["created_by"]
	}

	for _, c := range t.Columns {
		switch {
		case c.Default != nil:
			row[c.Name] = c.Default
		case c.Type == value.Array:
			row[c.Name] = []any{samples[c.Items]}
		default:
			row[c.Name] = samples[c.Type]
		}
	}

	data, err := json.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("sample row: %w", err)
	}

	return data, nil
}

// samples are values in the shapes of the contract (Data-table record in trigger
// payloads): geometries are texts.
var samples = map[value.Type]any{
	value.String:  "sample",
	value.Integer: 1,
	value.Number:  1.5,
	value.Boolean: true,
	value.Object:  map[string]any{"sample": "value"},
	value.File: map[string]any{
		"id": "5f3e5f3e5f3e5f3e5f3e5f3f", "name": "sample.png", "mime_type": "image/png", "size": 1024,
		"cdn_path": "sample.png", "path": "https://files.example.com/sample.png", "created_at": 1732190400,
	},
	value.Date:    "2024-11-21T20:00:00.000000+08:00",
	value.Pointer: map[string]any{"_table": "sample", "id": "5f3e5f3e5f3e5f3e5f3e5f40"},
	value.Geojson: `{"type": "Point", "coordinates": [116.46, 39.92]}`,
}
