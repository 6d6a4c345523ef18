package query

import (
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/value"
	"minicloud/shared/value/geo"
)

// operator is one row of the table: the types it takes and how it is built.
// build returns the canonical operand and the test of one value.
type operator struct {
	types []value.Type
	build func(c value.Column, op Op, operand any) (canonical any, match func(v any) bool, err error)
}

func (o operator) takes(c value.Column) bool {
	return o.types == nil || slices.Contains(o.types, c.Type)
}

var (
	everyType []value.Type
	ordered   = []value.Type{value.String, value.Integer, value.Number, value.Boolean, value.Date}
	text      = []value.Type{value.String}
	list      = []value.Type{value.Array}
	object    = []value.Type{value.Object}
	shape     = []value.Type{value.Geojson}
)

// operators are all of D26, by type.
var operators = map[Op]operator{
	OpEq:         {everyType, buildEqual},
	OpNe:         {everyType, negated(buildEqual)},
	OpIn:         {everyType, buildIn},
	OpNin:        {everyType, negated(buildIn)},
	OpIsNull:     {everyType, buildNull},
	OpExists:     {everyType, buildNull},
	OpLt:         {ordered, buildOrder},
	OpLte:        {ordered, buildOrder},
	OpGt:         {ordered, buildOrder},
	OpGte:        {ordered, buildOrder},
	OpRange:      {ordered, buildRange},
	OpContains:   {text, buildContains},
	OpIContains:  {text, buildContains},
	OpRegex:      {text, buildRegex},
	OpAll:        {list, buildAll},
	OpHasKey:     {object, buildHasKey},
	OpIntersects: {shape, buildShape},
	OpWithin:     {shape, buildShape},
	OpCenter:     {shape, buildCenter},
	OpNearSphere: {shape, buildNear},
}

type build = func(c value.Column, op Op, operand any) (any, func(any) bool, error)

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

// equalTo tests for one canonical value, by the shortest way its type allows.
func equalTo(c value.Column, want any) func(any) bool {
	if want == nil {
		return func(v any) bool { return v == nil }
	}
	if c.Type == value.String {
		return func(v any) bool { return v == want }
	}
	if _, whole := want.(map[string]any); c.Type == value.Pointer && !whole {
		id := value.Column{Type: value.Number} // compares by the kind the value has
		return func(v any) bool {
			target, ok := v.(map[string]any)
			return ok && id.Equal(target["id"], want)
		}
	}
	return func(v any) bool { return v != nil && c.Equal(v, want) }
}

// convert makes an operand canonical. On pointers the bare id of the row it
// points to is enough.
func convert(c value.Column, op Op, operand any) (any, error) {
	if c.Type == value.Pointer {
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
		return wanted, func(v any) bool {
			items, _ := v.([]any)
			return slices.ContainsFunc(items, func(item any) bool { return holds(c.Item(), wanted, item) })
		}, err
	}
	wanted, err := convertList(c, op, operand, true)
	tests := make([]func(any) bool, len(wanted))
	for i, want := range wanted {
		tests[i] = equalTo(c, want)
	}
	return wanted, func(v any) bool {
		return slices.ContainsFunc(tests, func(test func(any) bool) bool { return test(v) })
	}, err
}

func holds(c value.Column, list []any, item any) bool {
	return slices.ContainsFunc(list, func(other any) bool { return c.Equal(other, item) })
}

// buildAll makes $all: with an empty operand it holds for every array, and
// never for null.
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
	return bound, func(v any) bool {
		if !c.Holds(v) {
			return false
		}
		order := c.Compare(v, bound)
		switch op {
		case OpLt:
			return order < 0
		case OpLte:
			return order <= 0
		case OpGt:
			return order > 0
		}
		return order >= 0
	}, err
}

func buildRange(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	bounds, err := convertList(c, op, operand, false)
	if err == nil && len(bounds) != 2 {
		err = errs.Invalid("operand of $range on field %q must be [from, to]", c.Name)
	}
	return bounds, func(v any) bool {
		return c.Holds(v) && c.Compare(v, bounds[0]) >= 0 && c.Compare(v, bounds[1]) < 0
	}, err
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

// onShape makes a test of a stored geometry; what is none never matches.
func onShape(test func(geo.Geometry) bool) func(any) bool {
	return func(v any) bool {
		stored, ok := v.(map[string]any)
		if !ok {
			return false
		}
		g, err := geo.Parse(stored)
		return err == nil && test(g)
	}
}

func buildShape(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	other, err := geometry(c, op, operand)
	if op == OpWithin {
		return other, onShape(func(g geo.Geometry) bool { return g.Within(other) }), err
	}
	return other, onShape(func(g geo.Geometry) bool { return g.Intersects(other) }), err
}

func geometry(c value.Column, op Op, operand any) (geo.Geometry, error) {
	canonical, err := convert(c, op, operand)
	if err != nil {
		return geo.Geometry{}, err
	}
	if canonical == nil {
		return geo.Geometry{}, errs.Invalid("operand of %s on field %q must be a geometry", op, c.Name)
	}
	g, err := geo.Parse(canonical.(map[string]any))
	if err != nil {
		return geo.Geometry{}, errs.Invalid("operand of %s on field %q must be a geometry: %v", op, c.Name, err)
	}
	return g, nil
}

func buildCenter(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	wrong := errs.Invalid(`operand of %s on field %q must be {"radius": km, "coordinates": [lon, lat]}`, op, c.Name)
	m, ok := operand.(map[string]any)
	if !ok || len(m) != 2 {
		return nil, nil, wrong
	}
	radius, ok := value.ToFloat(m["radius"])
	at, err := geo.ParsePosition(m["coordinates"])
	if !ok || radius < 0 || err != nil {
		return nil, nil, wrong
	}
	return Center{radius, at}, onShape(func(g geo.Geometry) bool { return g.WithinCircle(at, radius*1000) }), nil
}

func buildNear(c value.Column, op Op, operand any) (any, func(any) bool, error) {
	wrong := errs.Invalid(`operand of %s on field %q must be {"geometry": point, "min_distance": m, "max_distance": m}`, op, c.Name)
	m, ok := operand.(map[string]any)
	if !ok {
		return nil, nil, wrong
	}
	near := Near{Max: -1}
	for key, v := range m {
		distance, isNumber := value.ToFloat(v)
		switch {
		case key == "geometry":
		case key == "min_distance" && isNumber && distance >= 0:
			near.Min = distance
		case key == "max_distance" && isNumber && distance >= 0:
			near.Max = distance
		case v == nil && (key == "min_distance" || key == "max_distance"):
		default:
			return nil, nil, wrong
		}
	}
	point, err := geometry(c, op, m["geometry"])
	if err != nil || !point.IsPoint() {
		return nil, nil, wrong
	}
	near.Position = point.Point
	return near, onShape(func(g geo.Geometry) bool {
		distance := g.DistanceTo(near.Position)
		return distance >= near.Min && (near.Max < 0 || distance <= near.Max)
	}), nil
}
