package api

import (
	"encoding/json"
	"fmt"

	"minicloud/shared/job"
	"minicloud/shared/table"
)

// sampleRow is event.data as a trigger of the table would give it: a row with a
// value in each of its columns.
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

	// A trigger sees a row with its defaults, so those come before made-up values.
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
