package api

import (
	"encoding/json"
	"fmt"

	"minicloud/shared/job"
	"minicloud/shared/table"
)

// sampleRow returns event.data as a trigger of the table would have it: a row with a value in each column.
func sampleRow(t table.Table) (json.RawMessage, error) {
	row := map[string]any{}
	sample, err := sampleData(job.SourceFlexSchema)
	if err == nil {
		err = json.Unmarshal(sample, &row)
	}
	if err != nil {
		return nil, fmt.Errorf("sample row: %w", err)
	}
	if t.IntegerIDs() {
		row["id"] = row["created_by"]
	}

	// Triggers see rows with their defaults, so defaults precede sample values.
	for _, c := range t.Columns {
		if row[c.Name] = c.Default; c.Default == nil {
			row[c.Name] = c.Payload(c.Sample())
		}
	}

	data, err := json.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("sample row: %w", err)
	}

	return data, nil
}
