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

// reserved lists the query parameters with a meaning of their own; a column with such a name can be used in where
// only.
var reserved = []string{
	"where", "order_by", "limit", "offset", "cursor", "return_total_count", "expand", "keys", "enable_trigger",
}

// suffixes maps the suffixes of query-string filters to operators (D27).
var suffixes = map[string]Op{
	"gt": OpGt, "gte": OpGte, "lt": OpLt, "lte": OpLte, "contains": OpContains, "in": OpIn, "isnull": OpIsNull,
}

// Filters parses query-string filters (D27) such as field= and field__gt=; all of them must hold. It ignores
// parameters that do not name a field, and treats an empty value as "not given" (D43). It returns an errs.Invalid
// that names the field whose operator or value is invalid.
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
			// Check the name before skipping an empty value: an invalid operator is an error even without a value.
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

// CheckFilters returns errs.Invalid for a parameter that Filters would ignore because it names no field. A bulk write
// needs this check: with a misspelled filter it would change every row (D50).
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

		// Compare the field without its operator: with it, no known name is similar enough for a hint.
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

// filter splits a parameter name into column and operator; op is "" if it names no column. It tries the whole name
// first, because column names may contain two underscores.
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
		// The comma separates items, so an item cannot contain a comma; an item in a where can.
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
