package finder

import (
	"context"
	"encoding/json"

	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/plan"
)

// position is a position in an ordered list: after a row as it was when the cursor was created. Later changes of the
// row do not move the position.
type position struct {
	id     table.RowID
	record map[string]any // the fields used by the order
}

// cursorText is the JSON of a position. If its values would make it too long, it has none, and position reads the row
// instead.
type cursorText struct {
	Order  string      `json:"o"`
	ID     table.RowID `json:"i"`
	Values []any       `json:"v,omitempty"`
}

// maxCursor is the maximum size of a cursor in bytes.
const maxCursor = 700

// cursor returns the position after the row, sealed if the query has a reader.
func (f *search) cursor(r table.Row) (page.Cursor, error) {
	c := cursorText{Order: f.order.String(), ID: r.ID}
	if c.Order == f.table.ByID(true).String() {
		c.Order = ""
	}

	// A row read again may have changed since it was sorted; the cursor uses the values it was sorted by.
	record := f.ranks[r.ID]
	if record == nil {
		record = f.table.Record(r)
	}

	for _, key := range f.order {
		if name := key.Column.Name; name != "id" && name != "created_at" {
			c.Values = append(c.Values, record[name])
		}
	}

	text, err := json.Marshal(c)
	if err != nil || len(text) > maxCursor {
		c.Values = nil
		text, _ = json.Marshal(c)
	}

	if f.q.Reader != nil {
		return f.seal(text)
	}
	return page.Cursor(text), nil
}

// OldestFirst returns the order by id and the cursor after a row in this order; an empty id means the start of the
// list.
func OldestFirst(t table.Table, after table.RowID) (query.Order, page.Cursor) {
	order := plan.Table{Table: t}.ByID(false)
	if after == "" {
		return order, ""
	}
	text, _ := json.Marshal(cursorText{Order: order.String(), ID: after})
	return order, page.Cursor(text)
}

// position parses a cursor. It returns errs.Invalid if the cursor is malformed, belongs to another order, or has no
// values and its row was deleted.
func (f *search) position(ctx context.Context, cursor page.Cursor) (*position, error) {
	bad, clear := page.ErrCursor(), []byte(cursor)
	if f.q.Reader != nil {
		var err error
		if clear, err = f.open(cursor); err != nil {
			return nil, err
		}
	}
	decoded, err := value.Decode("cursor", clear)
	if err != nil {
		return nil, bad
	}

	object, _ := decoded.(map[string]any)
	order, _ := object["o"].(string)
	text, _ := object["i"].(string)
	values, given := object["v"].([]any)
	id := table.RowID(text)
	if order == "" {
		order = f.table.ByID(true).String()
	}
	if wire, ok := f.table.RowIDOf(f.table.Wire(id)); !ok || wire != id {
		return nil, bad
	}
	if order != f.order.String() {
		return nil, errs.Invalid("cursor belongs to a list in another order")
	}

	// A cursor is user input, so each value is converted and validated.
	p := &position{id: id, record: map[string]any{"id": f.table.Wire(id), "created_at": id.CreatedAt()}}
	for _, key := range f.order {
		name := key.Column.Name
		if name == "id" || name == "created_at" {
			continue
		}
		if !given {
			return f.positionOf(ctx, id)
		}
		if len(values) == 0 {
			return nil, bad
		}

		column := key.Column
		column.Required = false
		if p.record[name], err = column.Convert(values[0]); err != nil {
			return nil, bad
		}

		values = values[1:]
	}

	return p, nil
}

func (f *search) positionOf(ctx context.Context, id table.RowID) (*position, error) {
	rows, err := f.Rows.ReadRows(ctx, f.scope, f.table.Table, []table.RowID{id})
	if err != nil {
		return nil, err
	}
	row, ok := rows[id]
	if !ok {
		return nil, errs.Invalid("cursor is no longer valid: its row was deleted; go on by offset")
	}
	return &position{id, f.table.Record(row)}, nil
}
