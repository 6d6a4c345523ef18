package query

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// reserved are query parameters with a meaning of their own; a column of that
// name is reached by where only.
var reserved = []string{
	"where", "order_by", "limit", "offset", "cursor", "return_total_count", "expand", "keys", "enable_trigger",
}

// suffixes are the operators of query-string filters (D27).
var suffixes = map[string]Op{
	"gt": OpGt, "gte": OpGte, "lt": OpLt, "lte": OpLte, "contains": OpContains, "in": OpIn, "isnull": OpIsNull,
}

// Filters reads the query-string filters (D27): field=, field__gt= and so on,
// all of which must hold. Parameters that name no field are not ours and are
// ignored; an empty value means "not given" (D43). It returns an errs.Invalid
// naming the field whose operator or value is wrong.
func (g Grammar) Filters(parameters url.Values) (Predicate, error) {
	var parts []Predicate
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if slices.Contains(reserved, name) {
			continue
		}

		column, op, err := g.filter(name)
		if err != nil {
			return nil, err
		}

		for _, text := range parameters[name] {
			// The name is checked before the empty value is skipped: a wrong operator is an error in both cases.
			if text == "" || op == "" {
				continue
			}

			operand, err := filterOperand(column, op, text)
			if err != nil {
				return nil, err
			}

			term, err := g.Term(column.Name, op, operand)
			if err != nil {
				return nil, err
			}

			parts = append(parts, term)
		}
	}

	if len(parts) > MaxTerms {
		return nil, errs.Invalid("the query string has more than %d conditions", MaxTerms)
	}

	return All(parts...), nil
}

// CheckFilters refuses a parameter that Filters would ignore, because it names no
// field: where all that match are changed, a typing error must not select
// everybody (D50).
func (g Grammar) CheckFilters(parameters url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if slices.Contains(reserved, name) {
			continue
		}
		_, op, err := g.filter(name)
		if err != nil {
			return err
		}
		if op != "" {
			continue
		}

		// The hint must compare the field without its operator, or no name is near enough.
		field := name
		if cut := strings.LastIndex(name, "__"); cut > 0 && suffixes[name[cut+2:]] != "" {
			field = name[:cut]
		}
		known := slices.Clone(reserved)
		for _, c := range g.Schema {
			known = append(known, c.Name)
		}
		return errs.Invalid("there is no field or query parameter %q%s", clip.Text(field, clip.Name), DidYouMean(field, known))
	}
	return nil
}

// filter splits a parameter's name; op is "" when it names no field. Column
// names may hold two underscores themselves, so the whole name goes first.
func (g Grammar) filter(name string) (value.Column, Op, error) {
	if column, err := g.field(name); err == nil {
		return column, OpEq, nil
	}

	cut := strings.LastIndex(name, "__")
	if cut < 0 {
		return value.Column{}, "", nil
	}

	column, err := g.field(name[:cut])
	if err != nil {
		return value.Column{}, "", nil
	}

	op, ok := suffixes[name[cut+2:]]
	if !ok {
		return value.Column{}, "", errs.Invalid("operator %q of field %q does not exist, only __%s", name[cut:], column.Name,
			strings.Join(slices.Sorted(maps.Keys(suffixes)), ", __"))
	}

	return column, op, nil
}

func filterOperand(column value.Column, op Op, text string) (any, error) {
	switch op {
	case OpIsNull:
		return value.Column{Name: column.Name, Type: value.Boolean}.Literal(text)
	case OpContains:
		return text, nil
	case OpIn:
		if column.Type == value.Array {
			column = column.Item()
		}

		var list []any
		// The comma separates items, so an item of a query string cannot contain one; where can.
		for item := range strings.SplitSeq(text, ",") {
			operand, err := column.Literal(item)
			if err != nil {
				return nil, err
			}
			list = append(list, operand)
		}

		return list, nil
	}
	return column.Literal(text)
}
