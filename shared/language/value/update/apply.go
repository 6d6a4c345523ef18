package update

import (
	"maps"
	"math"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// Apply returns the row after the operations, without modifying the given row. It returns an errs.Invalid that names
// the field if the stored value does not suit the operator or a number would be out of range.
func (o Operations) Apply(row map[string]any) (map[string]any, error) {
	after := maps.Clone(row)
	if after == nil {
		after = map[string]any{}
	}

	for _, operation := range o {
		// Apply to the result of the previous operations: several may change the same object.
		v, err := operation.Apply(after[operation.Column.Name])
		if err != nil {
			return nil, err
		}

		if v == nil {
			delete(after, operation.Column.Name)
		} else {
			after[operation.Column.Name] = v
		}
	}

	return after, nil
}

// Apply returns the field's value after the operation, or nil for no value. It does not modify stored.
func (o Operation) Apply(stored any) (any, error) {
	if len(o.Path) > 0 {
		return o.inside(stored)
	}
	switch o.Kind {
	case Set, Unset:
		return o.Value, nil
	}

	if stored != nil && !o.Column.Holds(stored) {
		return nil, errs.Invalid("field %q does not hold a value of type %s", o.Column.Name, o.Column.Type)
	}

	switch o.Kind {
	case IncrBy:
		return o.increment(stored)
	case Update:
		merged := map[string]any{}
		if object, ok := stored.(map[string]any); ok {
			maps.Copy(merged, object)
		}
		maps.Copy(merged, o.Value.(map[string]any))
		return merged, nil
	}

	items, _ := stored.([]any)
	switch o.Kind {
	case Append:
		added := o.Value.([]any)
		// Do not return a nil slice: it would be encoded as null.
		return append(append(make([]any, 0, len(items)+len(added)), items...), added...), nil
	case AppendUnique:
		return union(o.Column, items, o.Value.([]any)), nil
	case Remove:
		return without(o.Column, items, o.Value.([]any)), nil
	}

	return pop(stored, items, o.Value.(int64)), nil
}

func (o Operation) increment(stored any) (any, error) {
	before, _ := value.ToFloat(stored) // a missing value is 0
	by, _ := value.ToFloat(o.Value)
	after := before + by
	if o.Column.Type == value.Number {
		if math.IsInf(after, 0) {
			return nil, errs.Invalid("field %q would leave the range of numbers", o.Column.Name)
		}
		return after, nil
	}
	if math.Abs(after) > value.MaxInteger {
		return nil, errs.Invalid("field %q would leave the range of integers", o.Column.Name)
	}
	return int64(after), nil
}

func contains(column value.Column, items []any, item any) bool {
	return slices.ContainsFunc(items, func(other any) bool { return column.Item().Equal(other, item) })
}

// union returns the items followed by the added items that are not yet present.
func union(column value.Column, items, added []any) []any {
	result := make([]any, len(items), len(items)+len(added))
	copy(result, items)
	for _, item := range added {
		if !contains(column, result, item) {
			result = append(result, item)
		}
	}
	return result
}

// without returns the items that are not in removed. The result is an empty array, not nil, if no items are left.
func without(column value.Column, items, removed []any) []any {
	result := make([]any, 0, len(items))
	for _, item := range items {
		if !contains(column, removed, item) {
			result = append(result, item)
		}
	}
	return result
}

func pop(stored any, items []any, end int64) any {
	switch {
	case len(items) == 0:
		return stored
	case end == 1:
		return slices.Clone(items[:len(items)-1])
	}
	return slices.Clone(items[1:])
}
