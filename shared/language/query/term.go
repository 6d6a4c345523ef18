package query

import (
	"maps"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/geo"
)

// Op is an operator, spelled as on the wire.
type Op string

// The operators of D26.
const (
	OpEq         Op = "$eq"
	OpNe         Op = "$ne"
	OpLt         Op = "$lt"
	OpLte        Op = "$lte"
	OpGt         Op = "$gt"
	OpGte        Op = "$gte"
	OpIn         Op = "$in"
	OpNin        Op = "$nin"
	OpAll        Op = "$all"
	OpRange      Op = "$range"
	OpContains   Op = "$contains"
	OpIContains  Op = "$icontains"
	OpRegex      Op = "$regex"
	OpIsNull     Op = "$isnull"
	OpExists     Op = "$exists"
	OpHasKey     Op = "$has_key"
	OpIntersects Op = "$intersects"
	OpWithin     Op = "$within"
	OpCenter     Op = "$center"
	OpNearSphere Op = "$nearsphere"
)

// Term is one condition on one field. Only a Grammar creates terms.
//
//	Op                          Operand
//	$eq $ne                     canonical value of the column, nil for null; a bare id on pointers is string or int64
//	$lt $lte $gt $gte           canonical value
//	$in $nin $all               []any of canonical values (of items on arrays); $in and $nin may hold nil
//	$range                      []any{from, to}, from ≤ value < to
//	$contains $icontains        string
//	$regex                      Regex
//	$isnull $exists             bool
//	$has_key                    string
//	$intersects $within         geo.Geometry
//	$center                     Center
//	$nearsphere                 Near
type Term struct {
	Column  value.Column
	Op      Op
	Operand any

	from string // the field of the row that the term reads
	// path is the place inside an object column that the term reads (C20); nil = the column itself.
	path  []string
	match func(v any) bool
}

// Center is the operand of $center: a circle whose Radius is in kilometres.
type Center struct {
	Radius   float64
	Position geo.Position
}

// Near is the operand of $nearsphere: Min ≤ distance ≤ Max in metres. A negative Max means "unlimited".
type Near struct {
	Position geo.Position
	Min, Max float64
}

// Virtual reports whether the field is not a column, but a part of one or a field that reads one of another name. Then
// no index on a column of that name can be used.
func (t *Term) Virtual() bool { return t.from != t.Column.Name || len(t.path) > 0 }

// Match implements Predicate.
func (t *Term) Match(row map[string]any) bool { return t.match(value.At(row[t.from], t.path)) }

// Field returns the field as in a where: the column, with the path inside it.
func (t *Term) Field() string { return strings.Join(append([]string{t.Column.Name}, t.path...), ".") }

// Term creates one condition from decoded JSON, for conditions that a program adds to those of the caller. It returns
// an errs.Invalid that names the field, and the operator if the operator is invalid.
func (g Grammar) Term(field string, op Op, operand any) (Predicate, error) {
	if op == OpRegex {
		return g.regex(field, operand, nil)
	}
	return g.term(field, op, operand)
}

// fitting returns the operators allowed on a field.
func fitting(column value.Column) (names []string) {
	for _, op := range slices.Sorted(maps.Keys(operators)) {
		if takes(column, op) {
			names = append(names, string(op))
		}
	}
	return names
}

func (g Grammar) term(field string, op Op, operand any) (*Term, error) {
	column, path, err := g.place(field)
	if err != nil {
		return nil, err
	}
	if len(path) > 0 {
		return inside(column, path, op, operand)
	}

	if g.opaque(column, op) {
		op, operand = OpIn, []any{} // an empty $in matches nothing, also after printing and parsing
	}
	build, known := operators[op]
	if !known {
		return nil, errs.Invalid(
			"operator %q of field %q does not exist, only %s", op, field, strings.Join(fitting(column), ", "),
		)
	}

	if !takes(column, op) {
		return nil, errs.Invalid("operator %s cannot be used on field %q of type %s", op, field, column.Type)
	}

	column.Required = false // null is allowed in a condition, even on a required column
	term := &Term{Column: column, Op: op, from: column.Name}
	if column.Name == groupField.Name {
		term.from = g.Groups
	}
	if term.Operand, term.match, err = build(column, op, operand); err != nil {
		return nil, err
	}

	return term, nil
}
