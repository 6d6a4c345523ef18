// Package update parses the bodies of row updates (D28, endpoints 17 and 18) into a list of typed operations, one per
// field:
//
//	body  = { part, … }
//	part  = field: value                     the new value; null removes the value
//	      | field: { operator: operand }     one operator
//	      | "$set": { field: value or operator, … }
//	      | "$unset": { field: anything, … }
//	field = name of a column
//	      | name of an object column "." key "." …    within it, up to 5 levels: a value, $incr_by or $unset
//
//	$incr_by        integer, number  adds the operand; a missing value counts as 0
//	$append         array            appends the items
//	$append_unique  array            appends the items that are not present yet
//	$remove         array            removes every item that equals one of the operand's items
//	$pop            array            1 removes the last item, -1 the first item
//	$update         object           sets the given keys and keeps the others
//
// A missing array or object counts as empty. Apply is the reference implementation; stores that use update
// expressions must agree with it.
//
// The package is pure: it performs no I/O and reads no clock.
package update

import (
	"maps"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// Kind is the kind of an operation, spelled like its operator on the wire.
type Kind string

// The kinds of D28.
const (
	Set          Kind = "$set"
	Unset        Kind = "$unset"
	IncrBy       Kind = "$incr_by"
	Append       Kind = "$append"
	AppendUnique Kind = "$append_unique"
	Remove       Kind = "$remove"
	Pop          Kind = "$pop"
	Update       Kind = "$update"
)

// operators lists the kinds allowed as operators inside a field. value.Type.Updates lists those of a type.
var operators = []Kind{Append, AppendUnique, IncrBy, Pop, Remove, Update}

// Operation changes one field, or the value at a path of keys inside an object.
//
//	Kind                           Value
//	$set                           canonical value, never nil
//	$unset                         nil
//	$incr_by                       int64 or float64, as in the column
//	$append $append_unique $remove []any of canonical items; without duplicates for $append_unique
//	$pop                           int64 1 (last) or -1 (first)
//	$update                        map[string]any
type Operation struct {
	Column value.Column
	Kind   Kind
	Value  any
	Path   []string // keys inside an object, from the outermost; nil = the field itself
}

// Name returns the field's name as in the body, with dots between the keys of a path.
func (o Operation) Name() string {
	return strings.Join(append([]string{o.Column.Name}, o.Path...), ".")
}

// Operations is a list of operations on different fields, sorted by name.
type Operations []Operation

// Writable returns the errs.Invalid for a column that may not be changed, otherwise nil; a nil Writable allows every
// column.
type Writable func(column string) error

func (w Writable) check(column string) error {
	if w == nil {
		return nil
	}
	return w(column)
}

// Parse parses a body. It returns errs.Invalid for a malformed body, and a *value.Refused with every field that does
// not exist, is not writable or has the wrong type (F16).
func Parse(body []byte, schema value.Schema, writable Writable) (Operations, error) {
	decoded, err := value.Decode("body", body)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, errs.Invalid("body must be a JSON object")
	}
	return FromObject(object, schema, writable)
}

// FromObject is Parse for a decoded body.
func FromObject(body map[string]any, schema value.Schema, writable Writable) (Operations, error) {
	p := &parser{schema: schema, writable: writable}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if err := p.part(name, body[name]); err != nil {
			return nil, err
		}
	}
	if err := p.refused.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.operations, func(a, b Operation) int { return strings.Compare(a.Name(), b.Name()) })
	return p.operations, nil
}

type parser struct {
	schema     value.Schema
	writable   Writable
	operations Operations
	refused    value.Refused
}

func (p *parser) part(name string, v any) error {
	kind := Kind(name)
	if kind != Set && kind != Unset {
		if strings.HasPrefix(name, "$") {
			return errs.Invalid("operator %q must stand inside a field", name)
		}
		return p.field(name, v)
	}

	fields, ok := v.(map[string]any)
	if !ok {
		return errs.Invalid("%s must be an object of fields", name)
	}

	// Maps are unordered: sorting the names makes the first error deterministic.
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		change := fields[field]
		if kind == Unset {
			change = nil
		}
		if err := p.field(field, change); err != nil {
			return err
		}
	}

	return nil
}

// field parses the change of one field. It adds errors of the field to refused, so that all of them are reported
// together; it returns only errors of the body.
func (p *parser) field(name string, v any) error {
	column, path, ok, misplaced := p.schema.Place(name)
	if !ok {
		p.refused.Add(name, value.NeedsUnknown(name), value.Unknown(name))
		return nil
	}
	err := p.writable.check(column.Name)
	if err != nil {
		p.refused.Add(name, "cannot be written", err)
		return nil
	}
	if misplaced != nil {
		p.refused.Add(name, needsOf(column, path), misplaced)
		return nil
	}

	var operation Operation
	if len(path) == 0 {
		operation, err = parseField(column, v)
	} else {
		operation, err = parseInside(column, path, v)
	}
	if err != nil {
		p.refused.Add(name, needsOf(column, path), err)
		return nil
	}
	// DynamoDB refuses an update expression with overlapping paths without naming the field.
	for _, o := range p.operations {
		if o.Column.Name == column.Name && overlap(o.Path, path) {
			return errs.Invalid("field %q is updated twice", name)
		}
	}
	p.operations = append(p.operations, operation)
	return nil
}

// needsOf describes the valid values of a field. The field is treated as optional, because an update without it
// leaves its value unchanged.
func needsOf(column value.Column, path []string) string {
	if len(path) > 0 {
		return "needs a value that fits within an object"
	}
	column.Required = false
	return column.Needs()
}

func parseField(column value.Column, v any) (Operation, error) {
	if object, ok := v.(map[string]any); ok {
		for key, operand := range object {
			if !strings.HasPrefix(key, "$") {
				continue
			}
			// An object with a $ key is an operator and never a value, so other keys next to it are an error.
			if len(object) > 1 {
				return Operation{}, errs.Invalid("field %q must have a value or a single operator", column.Name)
			}
			return parseOperator(column, Kind(key), operand)
		}
	}

	converted, err := column.Convert(v)
	if err != nil {
		return Operation{}, err
	}
	if converted == nil {
		return Operation{Column: column, Kind: Unset}, nil
	}

	return Operation{Column: column, Kind: Set, Value: converted}, nil
}

func parseOperator(column value.Column, kind Kind, operand any) (Operation, error) {
	switch {
	case !slices.Contains(operators, kind):
		return Operation{}, unknown(kind, column)
	case !slices.Contains(column.Type.Updates(), string(kind)):
		return Operation{}, errs.Invalid("operator %s cannot be used on field %q of type %s", kind, column.Name, column.Type)
	case operand == nil:
		return Operation{}, errs.Invalid("operand of %s on field %q must not be null", kind, column.Name)
	case kind == Pop:
		number, ok := value.ToFloat(operand)
		if !ok || number != 1 && number != -1 {
			return Operation{}, errs.Invalid("operand of $pop on field %q must be 1 or -1", column.Name)
		}
		return Operation{Column: column, Kind: Pop, Value: int64(number)}, nil
	}

	converted, err := column.Convert(operand)
	if err != nil {
		return Operation{}, errs.Invalid("operand of %s: %s", kind, errs.Message(err))
	}
	// The operand itself may contain duplicates, which the stored array must not get.
	if kind == AppendUnique {
		converted = union(column, nil, converted.([]any))
	}

	return Operation{Column: column, Kind: kind, Value: converted}, nil
}

// unknown returns the errs.Invalid for an unknown operator, with the operators allowed on the column.
func unknown(kind Kind, column value.Column) error {
	fitting := slices.Sorted(slices.Values(column.Type.Updates()))
	if len(fitting) == 0 {
		return errs.Invalid(
			"operator %q of field %q does not exist: a field of type %s has none", kind, column.Name, column.Type,
		)
	}
	return errs.Invalid("operator %q of field %q does not exist, only %s", kind, column.Name, strings.Join(fitting, ", "))
}

// JSON returns the operations as a body that Parse accepts. Background bulk updates store this form.
func (o Operations) JSON() ([]byte, error) {
	body := make(map[string]any, len(o))
	for _, operation := range o {
		switch operation.Kind {
		case Set, Unset:
			body[operation.Name()] = operation.Value
		default:
			body[operation.Name()] = map[Kind]any{operation.Kind: operation.Value}
		}
	}
	return value.Encode(body)
}
