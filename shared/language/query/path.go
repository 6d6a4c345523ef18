package query

import (
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// place returns the column of a field, and the path inside it if the name has dots (C20).
func (g Grammar) place(name string) (value.Column, []string, error) {
	if column, path, ok, err := g.Schema.Place(name); ok && len(path) > 0 {
		return column, path, err
	}
	column, err := g.field(name)
	return column, nil, err
}

// insideTypes are the types of what an object may hold that have an order. An object has no dates: they are strings.
var insideTypes = []value.Type{value.Number, value.String, value.Boolean}

// insideText lists the operators on strings inside objects.
var insideText = []Op{OpContains, OpIContains, OpRegex}

// insideOps lists the operators on values inside objects.
var insideOps = append([]Op{OpEq, OpNe, OpIn, OpNin, OpIsNull, OpExists, OpLt, OpLte, OpGt, OpGte, OpRange, OpHasKey}, insideText...)

// inside creates a condition on a value inside an object. Its type is that of the operand: values of other types are
// never equal, less or greater.
func inside(column value.Column, path []string, op Op, operand any) (term *Term, err error) {
	term = &Term{Column: column, Op: op, from: column.Name, path: path}
	if !slices.Contains(insideOps, op) {
		return nil, errs.Invalid("operator %q cannot be used on field %q inside an object", op, term.Field())
	}

	c := value.Column{Name: term.Field(), Type: value.Object}
	switch {
	case op == OpEq || op == OpNe:
		operand, term.match, err = sameInside(c, operand)
		if equal := term.match; op == OpNe {
			term.match = func(v any) bool { return !equal(v) }
		}
		term.Operand = operand
		return term, err
	case op == OpIn || op == OpNin:
		term.Operand, term.match, err = amongInside(c, op, operand)
		return term, err
	case slices.Contains(insideText, op):
		c.Type = value.String
	case op == OpRange:
		bounds, _ := operand.([]any)
		c.Type, err = typeInside(c, op, append(bounds, nil)[0])
	case slices.Contains([]Op{OpLt, OpLte, OpGt, OpGte}, op):
		c.Type, err = typeInside(c, op, operand)
	}
	if err != nil {
		return nil, err
	}
	term.Operand, term.match, err = operators[op](c, op, operand)
	return term, err
}

// typeInside returns the type of an operand, by which values are compared.
func typeInside(c value.Column, op Op, operand any) (value.Type, error) {
	for _, kind := range insideTypes {
		if v, err := (value.Column{Type: kind}).Convert(operand); err == nil && v != nil {
			return kind, nil
		}
	}
	return "", errs.Invalid("operand of %s on field %q must be a number, a string, true or false", op, c.Name)
}

// sameInside returns the canonical form of any JSON value, and the test for values that equal it.
func sameInside(c value.Column, v any) (canonical any, equal func(any) bool, err error) {
	// The conversion of an object checks its parts, and has the same form as the stored ones.
	converted, err := c.Convert(map[string]any{"value": v})
	if err != nil {
		return nil, nil, err
	}
	canonical = value.At(converted, []string{"value"})
	return canonical, func(v any) bool { return c.Equal(v, canonical) }, nil
}

func amongInside(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	items, ok := operand.([]any)
	if !ok {
		return nil, nil, errs.Invalid("operand of %s on field %q must be an array", op, c.Name)
	}
	canonical, tests := make([]any, len(items)), make([]func(any) bool, len(items))
	for i, item := range items {
		var err error
		if canonical[i], tests[i], err = sameInside(c, item); err != nil {
			return nil, nil, err
		}
	}
	return canonical, func(v any) bool {
		is := slices.ContainsFunc(tests, func(equal func(any) bool) bool { return equal(v) })
		return is == (op == OpIn)
	}, nil
}
