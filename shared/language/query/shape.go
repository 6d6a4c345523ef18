package query

import (
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/geo"
)

// onShape returns a test of a stored value: it parses the value as a geometry and applies test. A value that is not a
// geometry never matches.
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
	wrong := errs.Invalid(
		`operand of %s on field %q must be {"geometry": point, "min_distance": m, "max_distance": m}`, op, c.Name,
	)
	m, ok := operand.(map[string]any)
	if !ok {
		return nil, nil, wrong
	}

	// 0 is a valid maximum, so a negative one means "unlimited".
	near := Near{Max: -1}
	for key, v := range m {
		distance, isNumber := value.ToFloat(v)
		switch {
		case key == "geometry":
		case key == "min_distance" && isNumber && distance >= 0:
			near.Min = distance
		case key == "max_distance" && isNumber && distance >= 0:
			near.Max = distance
		// A client may send null for an unused bound.
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
