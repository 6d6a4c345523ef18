package action

import (
	"context"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

// kinds maps assignments to row updates (D28).
var kinds = map[trigger.AssignmentChange]update.Kind{
	trigger.Append: update.Append, trigger.AppendUnique: update.AppendUnique, trigger.Remove: update.Remove,
	trigger.IncBy: update.IncrBy,
}

// operations returns the updates of the rendered assignments. It returns errs.Invalid that names the field whose value
// does not fit.
func (o *tableOperation) operations(ctx context.Context) (update.Operations, error) {
	written := o.work.Action.Settings.(*trigger.TableOperationSettings).Assign
	operations := make(update.Operations, 0, len(o.settings.Assign))
	for i, a := range o.settings.Assign {
		c, ok := o.table.Column(a.Field)
		if !ok {
			return nil, gone(a.Field, o.table)
		}

		v, err := o.fitted(ctx, c.Column, written[i].Value, a.Value)
		if err != nil {
			return nil, err
		}
		operation, err := assignment(c.Column, a.Operator, v)
		if err != nil {
			return nil, err
		}
		operations = append(operations, operation)
	}

	slices.SortFunc(operations, func(a, b update.Operation) int { return strings.Compare(a.Column.Name, b.Column.Name) })
	return operations, nil
}

// fitted converts a value for its column. An object from a template becomes text in a string column and is invalid in
// any other; the id of a row becomes a pointer in a pointer column.
func (o *tableOperation) fitted(ctx context.Context, c value.Column, written, v any) (any, error) {
	object, isObject := v.(map[string]any)
	_, isTemplate := written.(string)
	switch {
	case isObject && isTemplate && c.Type == value.String:
		return placeholder.Text(object), nil
	case isObject && isTemplate && c.Type != value.File:
		return nil, errs.Invalid(
			"field %q is of type %s: a variable that is an object fits string columns only", c.Name, c.Type,
		)
	case !isObject && v != nil && c.Type == value.Pointer:
		return o.pointer(ctx, c, written, v)
	}
	return v, nil
}

// assignment returns the update of one assignment.
func assignment(c value.Column, operator trigger.AssignmentChange, v any) (update.Operation, error) {
	if operator == trigger.Assign {
		// update.FromObject would interpret operators inside the value.
		converted, err := c.Convert(v)
		if converted == nil {
			return update.Operation{Column: c, Kind: update.Unset}, err
		}
		return update.Operation{Column: c, Kind: update.Set, Value: converted}, err
	}

	kind, known := kinds[operator]
	if !known {
		return update.Operation{}, errs.Invalid("operator %q of field %q does not exist", operator, c.Name)
	}
	if _, isList := v.([]any); !isList && v != nil && c.Type == value.Array {
		v = []any{v} // one item
	}
	if v == nil {
		return update.Operation{}, errs.Invalid("field %q needs a value for %s", c.Name, operator)
	}
	if _, err := c.Convert(v); err != nil {
		return update.Operation{}, err
	}

	body := map[string]any{c.Name: map[string]any{string(kind): v}}
	operations, err := update.FromObject(body, value.Schema{c}, nil)
	if err != nil {
		return update.Operation{}, err
	}
	return operations[0], nil
}

// pointer returns a pointer to the row with an id. Its table is the one that the variable implies, else the one that
// has the row: ids are unique across tables.
func (o *tableOperation) pointer(ctx context.Context, c value.Column, written, v any) (any, error) {
	id, ok := trigger.Identifier(v)
	if !ok {
		return nil, errs.Invalid("field %q must be the id of a row", c.Name)
	}
	if name := o.tableOf(written); name != nil {
		return map[string]any{"_table": name, "id": v}, nil
	}

	all, err := o.Tables.AllTables(ctx, o.work.Run.Scope, table.TableFilter{})
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		row, err := t.ParseRowID(id)
		if err != nil {
			continue
		}
		_, err = o.Tables.Read(ctx, o.work.Run.Scope, t, row)
		if err == nil {
			return map[string]any{"_table": t.Name, "id": t.Wire(row)}, nil
		}
		if !errs.Is(err, errs.KindNotFound) {
			return nil, err
		}
	}
	return nil, errs.Invalid("field %q: no table has a row %q", c.Name, id)
}

// tableOf returns the table that a template's variable implies for a row id, by its event. It returns nil if unknown.
func (o *tableOperation) tableOf(written any) any {
	text, _ := written.(string)
	template, err := placeholder.Parse(text)
	name := template.Single()
	if err != nil || name == "" {
		return nil
	}

	// Variables of table events can begin with before., after. or payload., which select a version of the row.
	e := o.work.Run.Event
	path := strings.Split(name, ".")
	record := e.Payload
	if len(path) > 1 && e.Type.Definition().Actions.Row {
		switch path[0] {
		case "before":
			record, path = e.Before, path[1:]
		case "after":
			record, path = e.After, path[1:]
		case "payload":
			path = path[1:]
		}
	}

	switch {
	case len(path) > 2 || len(path) == 2 && path[1] != "id":
		return nil
	case path[0] == trigger.CreatedBy:
		return table.UserProfilesName
	case len(path) == 1 && path[0] == "id" && e.Type.Definition().Actions.Row:
		return e.TableName
	}
	if pointer, ok := record[path[0]].(map[string]any); ok && len(pointer) == 2 {
		return pointer["_table"]
	}
	return nil
}
