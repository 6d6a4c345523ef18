package client

import (
	"context"
	"fmt"
)

// Column is a field of a table; an array is one of strings.
type Column struct {
	Name, Type string
	Indexed    bool
}

// Schema is the body of a table (D29: a schema is a list of fields).
func Schema(name string, columns ...Column) map[string]any {
	var fields []map[string]any
	for _, c := range columns {
		field := map[string]any{"name": c.Name, "type": c.Type, "indexed": c.Indexed}
		if c.Type == "array" {
			field["items"] = map[string]any{"type": "string"}
		}
		fields = append(fields, field)
	}
	return map[string]any{"name": name, "schema": map[string]any{"fields": fields}}
}

// The paths that list and create tables, functions and triggers.
const (
	TablesPath    = "/oserve/v1.8/table/"
	FunctionsPath = "/oserve/v1.3/cloud-function/"
	TriggersPath  = "/oserve/v3/trigger/"
)

// Table creates a table and returns its id.
func (a *Application) Table(ctx context.Context, name string, columns ...Column) (int64, error) {
	return a.Create(ctx, TablesPath, Schema(name, columns...))
}

// Create creates an object of a list and returns its id.
func (a *Application) Create(ctx context.Context, path string, body any) (int64, error) {
	var made struct {
		ID int64 `json:"id"`
	}
	err := a.Call(ctx, "POST", path, body, &made)
	return made.ID, err
}

// RowsPath lists and creates rows of a table.
func RowsPath(table int64) string { return fmt.Sprintf("/oserve/v2.4/table/%d/record/", table) }

// UpdatesPath changes rows of a table.
func UpdatesPath(table int64) string { return fmt.Sprintf("/oserve/v2.6/table/%d/record/", table) }
