package query

import (
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// Key is one field of an order.
type Key struct {
	Column     value.Column
	Descending bool
}

// Order sorts rows by its keys; the first key that differs decides. The last key is always id, so no two rows are
// equal and pages are stable.
type Order []Key

// OrderBy parses an order_by parameter: field names separated by commas; a leading minus sorts descending. Ties are
// sorted by id, newest first, or in the direction of created_at if the order has it: created_at is in seconds, and ids tell
// which of two rows of a second is older. An empty parameter means newest first (D6). It returns an errs.Invalid that names a
// field that does not exist, occurs twice or does not support sorting.
func (g Grammar) OrderBy(text string) (Order, error) {
	var order Order
	if strings.TrimSpace(text) == "" {
		text = "-created_at"
		if _, ok := g.Schema.Column("created_at"); !ok {
			text = "-id"
		}
	}

	for part := range strings.SplitSeq(text, ",") {
		name, descending := strings.CutPrefix(strings.TrimSpace(part), "-")
		column, ok := g.column(name)
		switch {
		case !ok:
			return nil, errs.Invalid("order_by: field %q does not exist", name)
		case slices.Contains(g.Unsorted, name) || !column.Type.Ordered():
			return nil, errs.Invalid("order_by: cannot sort by field %q", name)
		case order.has(column.Name):
			return nil, errs.Invalid("order_by: field %q is given twice", name)
		case len(order) == MaxOrder:
			return nil, errs.Invalid("order_by: more than %d fields", MaxOrder)
		}

		order = append(order, Key{column, descending})
	}

	if !order.has("id") {
		id, _ := g.Schema.Column("id")
		id.Name = "id"
		created := slices.IndexFunc(order, func(k Key) bool { return k.Column.Name == "created_at" })
		order = append(order, Key{id, created < 0 || order[created].Descending})
	}

	// Fields after id have no effect, because ids are unique.
	last := slices.IndexFunc(order, func(k Key) bool { return k.Column.Name == "id" })
	return order[:last+1], nil
}

func (o Order) has(name string) bool {
	return slices.ContainsFunc(o, func(k Key) bool { return k.Column.Name == name })
}

// Compare returns the order of two rows: -1, 0 or +1. Nulls sort first, or last in descending order.
func (o Order) Compare(a, b map[string]any) int {
	for _, key := range o {
		order := key.Column.Compare(a[key.Column.Name], b[key.Column.Name])
		if key.Descending {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// String returns the order as an order_by parameter.
func (o Order) String() string {
	names := make([]string, len(o))
	for i, key := range o {
		if names[i] = key.Column.Name; key.Descending {
			names[i] = "-" + names[i]
		}
	}
	return strings.Join(names, ",")
}
