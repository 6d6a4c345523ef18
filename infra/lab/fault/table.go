package fault

import (
	"context"
	"fmt"

	"minicloud/infra/lab/promise"
)

// column is a field of a table; a list is one of texts.
type column struct {
	name, kind string
	indexed    bool
}

// schema is the body of a table (D29).
func schema(name string, columns ...column) map[string]any {
	var fields []map[string]any
	for _, c := range columns {
		field := map[string]any{"name": c.name, "type": c.kind, "indexed": c.indexed}
		if c.kind == "array" {
			field["items"] = map[string]any{"type": "string"}
		}
		fields = append(fields, field)
	}
	return map[string]any{"name": name, "schema": map[string]any{"fields": fields}}
}

const tablesPath = "/oserve/v1.8/table/"

// makeTable makes a table and returns its id.
func (a *Application) makeTable(ctx context.Context, name string, columns ...column) (int64, error) {
	var made struct {
		ID int64 `json:"id"`
	}
	err := a.call(ctx, "POST", tablesPath, schema(name, columns...), &made)
	return made.ID, err
}

func rowsPath(table int64) string    { return fmt.Sprintf("/oserve/v2.4/table/%d/record/", table) }
func updatesPath(table int64) string { return fmt.Sprintf("/oserve/v2.6/table/%d/record/", table) }

// made reads the answer to a bulk create or change: the ids of the rows for which
// it succeeded, "" where it did not, and whether such a failure is certain.
type made struct {
	Results []madeRow `json:"operation_result"`
}

type madeRow struct {
	Success *struct {
		ID any `json:"id"`
	} `json:"success"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// known is what is known of row i.
func (m made) known(i int) promise.Need {
	switch result := m.Results[i]; {
	case result.Success != nil:
		return acknowledged
	case result.Error != nil && result.Error.Code < 500:
		return refused
	}
	return unknown
}
