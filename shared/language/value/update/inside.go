package update

import (
	"maps"
	"math"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// overlap reports whether one path is a prefix of the other, so that changing one changes the other.
func overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// parseInside parses a change of the value at a path inside an object.
func parseInside(column value.Column, path []string, v any) (Operation, error) {
	o := Operation{Column: column, Kind: Set, Path: path}
	object, _ := v.(map[string]any)
	if by, increments := object[string(IncrBy)]; increments && len(object) == 1 {
		number, ok := value.ToFloat(by)
		if !ok {
			return o, errs.Invalid("operand of %s on field %q must be a number", IncrBy, clip.Text(o.Name(), clip.Name))
		}
		o.Kind, o.Value = IncrBy, number
		return o, nil
	}
	if v == nil {
		o.Kind = Unset
		return o, nil
	}

	// Convert the value nested in its full path, so that the check of the depth includes the path.
	for i := len(path) - 1; i >= 0; i-- {
		v = map[string]any{path[i]: v}
	}
	converted, err := column.Convert(v)
	if err != nil {
		return o, err
	}
	for _, key := range path {
		converted = converted.(map[string]any)[key]
	}
	o.Value = converted
	return o, nil
}

// inside changes the value at the path inside an object. It creates missing levels and does not modify stored.
func (o Operation) inside(stored any) (any, error) {
	root, ok := stored.(map[string]any)
	if stored != nil && !ok {
		return nil, errs.Invalid("field %q does not hold a value of type %s", o.Column.Name, o.Column.Type)
	}
	// $unset below a missing level changes nothing and must not create the levels.
	if o.Kind == Unset && !reaches(root, o.Path) {
		return stored, nil
	}

	after := clone(root)
	at, last := after, o.Path[len(o.Path)-1]
	for i, key := range o.Path[:len(o.Path)-1] {
		below, ok := at[key].(map[string]any)
		if at[key] != nil && !ok {
			return nil, errs.Invalid("field %q: there is no object at %q", clip.Text(o.Name(), clip.Name), strings.Join(o.Path[:i+1], "."))
		}
		below = clone(below)
		at[key], at = below, below
	}

	switch o.Kind {
	case Unset:
		delete(at, last)
	case IncrBy:
		before, ok := value.ToFloat(at[last])
		if at[last] != nil && !ok {
			return nil, errs.Invalid("field %q does not hold a number", clip.Text(o.Name(), clip.Name))
		}
		sum := before + o.Value.(float64)
		// Two finite numbers can add up to infinity, which JSON cannot represent.
		if math.IsInf(sum, 0) {
			return nil, errs.Invalid("field %q would leave the range of numbers", clip.Text(o.Name(), clip.Name))
		}
		at[last] = sum
	default:
		at[last] = o.Value
	}
	return after, nil
}

func clone(object map[string]any) map[string]any {
	if object == nil {
		return map[string]any{}
	}
	return maps.Clone(object)
}

// reaches reports whether the object has a value at the path.
func reaches(object map[string]any, path []string) bool {
	for _, key := range path[:len(path)-1] {
		object, _ = object[key].(map[string]any)
	}
	_, there := object[path[len(path)-1]]
	return there
}
