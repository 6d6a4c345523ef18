package query

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/value"
	"minicloud/shared/value/geo"
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

// Term is one condition on one field. Terms are made by a Grammar only.
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

	virtual bool
	read    func(row map[string]any) any // nil = the column itself
	match   func(v any) bool
}

// Regex is the operand of $regex: an RE2 pattern and any of the letters ims.
type Regex struct{ Pattern, Options string }

// Center is the operand of $center: a circle of Radius kilometres.
type Center struct {
	Radius   float64
	Position geo.Position
}

// Near is the operand of $nearsphere: Min ≤ distance ≤ Max in metres. A
// negative Max is no bound.
type Near struct {
	Position geo.Position
	Min, Max float64
}

// Virtual reports whether the field is no column, so that no index on a column
// of its name can serve it.
func (t *Term) Virtual() bool { return t.virtual }

// Match implements Predicate.
func (t *Term) Match(row map[string]any) bool {
	if t.read != nil {
		return t.match(t.read(row))
	}
	return t.match(row[t.Column.Name])
}

// Prefix returns the text every match of a $regex starts with, when the
// pattern is anchored and case-sensitive: the range an ordered index can read.
// exact tells that the prefix is the whole condition.
func (t *Term) Prefix() (prefix string, exact, ok bool) {
	pattern, isRegex := t.Operand.(Regex)
	if !isRegex {
		return "", false, false
	}
	tree, err := syntax.Parse(pattern.source(), syntax.Perl)
	if err != nil {
		return "", false, false
	}
	tree = tree.Simplify()
	if tree.Op != syntax.OpConcat || len(tree.Sub) < 2 || tree.Sub[0].Op != syntax.OpBeginText {
		return "", false, false
	}
	literal := tree.Sub[1]
	if literal.Op != syntax.OpLiteral || literal.Flags&syntax.FoldCase != 0 {
		return "", false, false
	}
	return string(literal.Rune), len(tree.Sub) == 2, true
}

func (r Regex) source() string {
	if r.Options == "" {
		return r.Pattern
	}
	return "(?" + r.Options + ")" + r.Pattern
}

func (r Regex) compile(field string) (*regexp.Regexp, error) {
	if len(r.Pattern) > MaxPattern {
		return nil, errs.Invalid("$regex of field %q is longer than %d bytes", field, MaxPattern)
	}
	for i, option := range r.Options {
		if !strings.ContainsRune("ims", option) || strings.ContainsRune(r.Options[:i], option) {
			return nil, errs.Invalid("$options of field %q must be letters of i, m and s", field)
		}
	}
	if _, err := syntax.Parse(r.Pattern, syntax.Perl); err != nil { // alone, so that options cannot complete it
		return nil, errs.Invalid("$regex of field %q is not a valid RE2 pattern", field)
	}
	compiled, err := regexp.Compile(r.source())
	if err != nil {
		return nil, errs.Invalid("$regex of field %q is not a valid RE2 pattern", field)
	}
	return compiled, nil
}

// Term makes one condition from decoded JSON: what a program adds on its own
// to what the caller asks. It returns an errs.Invalid naming the field, and the
// operator where that is at fault.
func (g Grammar) Term(field string, op Op, operand any) (Predicate, error) {
	if op == OpRegex {
		return g.regex(field, operand, nil)
	}
	return g.term(field, op, operand)
}

func (g Grammar) regex(field string, pattern, options any) (*Term, error) {
	text, ok := pattern.(string)
	if !ok {
		return nil, errs.Invalid("$regex of field %q must be a string", field)
	}
	letters, ok := options.(string)
	if !ok && options != nil {
		return nil, errs.Invalid("$options of field %q must be letters of i, m and s", field)
	}
	return g.term(field, OpRegex, Regex{text, letters})
}

func (g Grammar) term(field string, op Op, operand any) (*Term, error) {
	column, virtual, err := g.field(field)
	if err != nil {
		return nil, err
	}
	rule, known := operators[op]
	if !known {
		return nil, errs.Invalid("operator %q of field %q does not exist", op, field)
	}
	if !rule.takes(column) || virtual != nil && virtual.Ops != nil && !slices.Contains(virtual.Ops, op) {
		return nil, errs.Invalid("operator %s cannot be used on field %q of type %s", op, field, column.Type)
	}
	column.Required = false // null is a question, not a value to be stored
	term := &Term{Column: column, Op: op}
	if virtual != nil {
		term.virtual, term.read = true, virtual.Read
	}
	if term.Operand, term.match, err = rule.build(column, op, operand); err != nil {
		return nil, err
	}
	return term, nil
}
