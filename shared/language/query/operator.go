package query

import (
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// build creates the parts of a condition: the canonical operand and the test of a value.
type build = func(c value.Column, op Op, operand any) (canonical any, match func(v any) bool, err error)

// universal lists the operators allowed on every type.
var universal = []Op{OpEq, OpNe, OpIn, OpNin, OpIsNull, OpExists}

// operators maps all operators of a query (D26) to their build function. value.Type.Operators lists those of a type.
var operators = map[Op]build{
	OpEq:         buildEqual,
	OpNe:         negated(buildEqual),
	OpIn:         buildIn,
	OpNin:        negated(buildIn),
	OpIsNull:     buildNull,
	OpExists:     buildNull,
	OpLt:         buildOrder,
	OpLte:        buildOrder,
	OpGt:         buildOrder,
	OpGte:        buildOrder,
	OpRange:      buildRange,
	OpContains:   buildContains,
	OpIContains:  buildContains,
	OpRegex:      buildRegex,
	OpAll:        buildAll,
	OpHasKey:     buildHasKey,
	OpIntersects: buildShape,
	OpWithin:     buildShape,
	OpCenter:     buildCenter,
	OpNearSphere: buildNear,
}

// takes reports whether the operator is allowed on the column.
func takes(c value.Column, op Op) bool {
	if c.Name == groupField.Name {
		return op == OpIn
	}
	return slices.Contains(universal, op) || slices.Contains(c.Type.Operators(), string(op))
}

func negated(inner build) build {
	return func(c value.Column, op Op, operand any) (any, func(any) bool, error) {
		canonical, match, err := inner(c, op, operand)
		return canonical, func(v any) bool { return !match(v) }, err
	}
}

func buildEqual(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	canonical, err := convert(c, op, operand)
	return canonical, equalTo(c, canonical), err
}

// equalTo returns a test for one canonical value, with a fast comparison for common types.
func equalTo(c value.Column, want any) func(any) bool {
	if want == nil {
		return func(v any) bool { return v == nil }
	}
	if c.Type == value.String {
		return func(v any) bool { return v == want }
	}
	if _, whole := want.(map[string]any); c.Type == value.Pointer && !whole {
		id := value.Column{Type: value.Number} // compares numbers with numbers and strings with strings
		return func(v any) bool {
			target, ok := v.(map[string]any)
			return ok && id.Equal(target["id"], want)
		}
	}
	return func(v any) bool { return v != nil && c.Equal(v, want) }
}

// convert converts an operand to canonical form. For pointers, the id of the target row alone is sufficient.
func convert(c value.Column, op Op, operand any) (any, error) {
	if c.Type == value.Pointer {
		// A pointer to a user holds an integer, and clients may send its digits. Everything else can only be the id of a
		// row, which has at most 64 bytes; Convert refuses longer text below.
		if canonical, err := c.Convert(operand); err == nil && canonical != nil {
			if user, ok := canonical.(map[string]any)["id"].(int64); ok && c.Target != "" {
				return user, nil
			}
		}
		if id, ok := operand.(string); ok && id != "" && len(id) <= 64 {
			return id, nil
		}
		id := value.Column{Name: c.Name, Type: value.Integer}
		if number, err := id.Convert(operand); err == nil && number != nil {
			return number, nil
		}
	}
	canonical, err := c.Convert(operand)
	if err != nil {
		return nil, errs.Invalid("operand of %s: %s", op, errs.Message(err))
	}
	return canonical, nil
}

func convertList(c value.Column, op Op, operand any, nulls bool) ([]any, error) {
	items, ok := operand.([]any)
	if !ok {
		return nil, errs.Invalid("operand of %s on field %q must be an array", op, c.Name)
	}
	canonical := make([]any, len(items))
	for i, item := range items {
		// Only $in and $nin may contain null, and only on columns that are not arrays.
		if item == nil && !nulls {
			return nil, errs.Invalid("operand of %s on field %q must not hold null", op, c.Name)
		}
		var err error
		if canonical[i], err = convert(c, op, item); err != nil {
			return nil, err
		}
	}
	return canonical, nil
}

func buildIn(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	if c.Type == value.Array {
		wanted, err := convertList(c.Item(), op, operand, false)
		member := memberOf(c.Item(), wanted)
		return wanted, func(v any) bool {
			items, _ := v.([]any)
			return slices.ContainsFunc(items, member)
		}, err
	}
	wanted, err := convertList(c, op, operand, true)
	return wanted, memberOf(c, wanted), err
}

// memberOf returns a test whether a value is in the list. Lists of ids and names may have thousands of members.
func memberOf(c value.Column, list []any) func(v any) bool {
	// Values of these types can be map keys, so a long list costs one lookup per row.
	if c.Type == value.String || c.Type == value.Integer || c.Type == value.Number {
		set := make(map[any]bool, len(list))
		for _, v := range list {
			set[hashable(v)] = true
		}
		return func(v any) bool { return set[hashable(v)] }
	}
	tests := make([]func(any) bool, len(list))
	for i, want := range list {
		tests[i] = equalTo(c, want)
	}
	return func(v any) bool {
		return slices.ContainsFunc(tests, func(test func(any) bool) bool { return test(v) })
	}
}

// unhashable is the key of values that are not scalars, and so in no list of scalars.
type unhashable struct{}

// hashable returns a map key that is equal for equal numbers of different Go types.
func hashable(v any) any {
	switch v := v.(type) {
	case nil, string, bool:
		return v
	}
	if f, ok := value.ToFloat(v); ok {
		return f
	}
	return unhashable{}
}

func holds(c value.Column, list []any, item any) bool {
	return slices.ContainsFunc(list, func(other any) bool { return c.Equal(other, item) })
}

// buildAll builds $all. An empty operand matches every array; null never matches.
func buildAll(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	wanted, err := convertList(c.Item(), op, operand, false)
	return wanted, func(v any) bool {
		items, ok := v.([]any)
		return ok && !slices.ContainsFunc(wanted, func(want any) bool { return !holds(c.Item(), items, want) })
	}, err
}

func buildNull(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	flag, ok := operand.(bool)
	if !ok {
		return nil, nil, errs.Invalid("operand of %s on field %q must be true or false", op, c.Name)
	}
	wantNull := flag == (op == OpIsNull)
	return flag, func(v any) bool { return (v == nil) == wantNull }, nil
}

func buildOrder(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	if operand == nil {
		return nil, nil, errs.Invalid("operand of %s on field %q must not be null", op, c.Name)
	}

	bound, err := convert(c, op, operand)
	against := c.Against(bound)
	return bound, func(v any) bool {
		// ok is false for null and other types: an order comparison never matches them.
		order, ok := against(v)
		switch op {
		case OpLt:
			return ok && order < 0
		case OpLte:
			return ok && order <= 0
		case OpGt:
			return ok && order > 0
		}

		return ok && order >= 0
	}, err
}

func buildRange(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	bounds, err := convertList(c, op, operand, false)
	if err == nil && len(bounds) != 2 {
		err = errs.Invalid("operand of $range on field %q must be [from, to]", c.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	from, to := c.Against(bounds[0]), c.Against(bounds[1])
	return bounds, func(v any) bool {
		low, ok := from(v)
		high, _ := to(v)
		return ok && low >= 0 && high < 0
	}, nil
}

func buildContains(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	part, ok := operand.(string)
	if !ok {
		return nil, nil, errs.Invalid("operand of %s on field %q must be a string", op, c.Name)
	}
	if op == OpContains {
		return part, func(v any) bool {
			s, ok := v.(string)
			return ok && strings.Contains(s, part)
		}, nil
	}
	// Lower-case the operand once, but the stored value for each row.
	lower := strings.ToLower(part)
	return part, func(v any) bool {
		s, ok := v.(string)
		return ok && strings.Contains(strings.ToLower(s), lower)
	}, nil
}

func buildRegex(c value.Column, _ Op, operand any) (any, func(any) bool, error) {
	pattern := operand.(Regex)
	compiled, err := pattern.compile(c.Name)
	return pattern, func(v any) bool {
		s, ok := v.(string)
		return ok && compiled.MatchString(s)
	}, err
}

func buildHasKey(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	key, ok := operand.(string)
	if !ok {
		return nil, nil, errs.Invalid("operand of %s on field %q must be a string", op, c.Name)
	}
	return key, func(v any) bool {
		m, _ := v.(map[string]any)
		_, has := m[key]
		return has
	}, nil
}
