// Package update reads the bodies that change rows (D28, endpoints 17 and 18)
// into a list of typed operations, one per field:
//
//	body  = { part, … }
//	part  = field: value                     the new value, null removes it
//	      | field: { operator: operand }     one operator
//	      | "$set": { field: value or operator, … }
//	      | "$unset": { field: anything, … }
//	field = name of a column
//	      | name of an object column "." key "." …    within it, up to 5 levels: a value, $incr_by or $unset
//
//	$incr_by        integer, number  adds; a missing value counts as 0
//	$append         array            adds the items at the end
//	$append_unique  array            adds those that are not there yet
//	$remove         array            takes out every item equal to one of the operand's
//	$pop            array            1 takes out the last item, -1 the first
//	$update         object           sets the given keys and keeps the others
//
// A missing array or object counts as an empty one. Apply is the reference in
// memory; a store that works with expressions must agree with it.
//
// The package is pure: no I/O, no clock.
package update

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// Kind is the kind of an operation, spelled as the operator on the wire.
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

// operators are the kinds that stand inside a field. The type of a column lists the ones it takes.
var operators = []Kind{Append, AppendUnique, IncrBy, Pop, Remove, Update}

// Operation changes one field, or what is under a path of keys in an object.
//
//	Kind                           Value
//	$set                           canonical value, never nil
//	$unset                         nil
//	$incr_by                       int64 or float64, as the column
//	$append $append_unique $remove []any of canonical items; without repeats for $append_unique
//	$pop                           int64 1 (last) or -1 (first)
//	$update                        map[string]any
type Operation struct {
	Column value.Column
	Kind   Kind
	Value  any
	Path   []string // keys within an object, from its own on; nil = the field itself
}

// Name is the field as the body names it.
func (o Operation) Name() string {
	return strings.Join(append([]string{o.Column.Name}, o.Path...), ".")
}

// Operations change different fields, in alphabetical order of their names.
type Operations []Operation

// Writable tells whether a field may be changed; nil lets all be.
type Writable func(column string) bool

// Parse reads a body. It returns an errs.Invalid, a value.Refused naming every
// field that does not exist, is not writable or has the wrong type (F16).
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

// FromObject is Parse for a body that is decoded already.
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

	// A map has no order: sorted names make the error of a body the same each time.
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

// field reads one change. What is wrong with the field itself is noted, so that the caller hears of all; err is about
// the body.
func (p *parser) field(name string, v any) error {
	column, path, ok := p.place(name)
	switch {
	case !ok:
		p.refused.Add(name, value.NeedsUnknown(name), value.Unknown(name))
		return nil
	case p.writable != nil && !p.writable(column.Name):
		p.refused.Add(name, "cannot be written", errs.Invalid("field %q is built in and cannot be updated", name))
		return nil
	}

	var operation Operation
	var err error
	if len(path) == 0 {
		operation, err = parseField(column, v)
	} else {
		operation, err = parseInside(column, path, v)
	}
	if err != nil {
		p.refused.Add(name, needsOf(column, path), err)
		return nil
	}
	// DynamoDB refuses an update expression with overlapping paths, without naming the field.
	for _, o := range p.operations {
		if o.Column.Name == column.Name && overlap(o.Path, path) {
			return errs.Invalid("field %q is updated twice", name)
		}
	}
	p.operations = append(p.operations, operation)
	return nil
}

// needsOf says what would be right; a change that is left out leaves a field as it is, also one that is required.
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
			// With a $ key the object is an operator and never a value, so other keys beside it are a mistake.
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
	// The operand itself may hold duplicates, which the stored array must not get.
	if kind == AppendUnique {
		converted = union(column, nil, converted.([]any))
	}

	return Operation{Column: column, Kind: kind, Value: converted}, nil
}

// unknown names what there is instead.
func unknown(kind Kind, column value.Column) error {
	fitting := slices.Sorted(slices.Values(column.Type.Updates()))
	if len(fitting) == 0 {
		return errs.Invalid(
			"operator %q of field %q does not exist: a field of type %s has none", kind, column.Name, column.Type,
		)
	}
	return errs.Invalid("operator %q of field %q does not exist, only %s", kind, column.Name, strings.Join(fitting, ", "))
}

// JSON returns the operations as a body that parses to them again: what a
// bulk update that goes on in the background remembers.
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
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // one byte would become six
	err := encoder.Encode(body)
	return bytes.TrimSpace(text.Bytes()), err
}
