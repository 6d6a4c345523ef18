// Package query parses conditions on rows into a predicate tree: the where parameter (D26), query-string filters
// (D27) and order_by.
//
//	where  = {} | { part, … }                      all parts must hold
//	part   = field: value                          the same as field: {"$eq": value}; object.key is inside an object
//	       | field: { operator: operand, … }
//	       | "$and": [ where, … ] | "$or": [ where, … ]
//
//	$eq $ne $in $nin         any type; null means a missing value
//	$lt $lte $gt $gte $range string, integer, number, boolean, date; $range [a,b) is half-open
//	$contains $icontains     string: substring
//	$regex (+ $options ims)  string: RE2, unanchored
//	$all                     array: superset; $in and $nin on arrays: overlap, no overlap
//	$has_key                 object: a top-level key
//	$isnull $exists          any type; operand true or false
//	$intersects $within      geojson: a geometry
//	$center                  geojson: {"radius": km, "coordinates": [lon, lat]}
//	$nearsphere              geojson: {"geometry": point, "min_distance": m, "max_distance": m}
//
// A missing value is null. $ne is exactly the negation of $eq, and $nin of $in, so both match null unless null is
// their operand. All other operators except $isnull and $exists never match null.
//
// A tree is flat: no And directly inside an And, no Or directly inside an Or, and no group with a single part. The
// keys of one object are in alphabetical order. The printed form (String) does not depend on white space, key order
// or the spelling of numbers and dates; parsing it returns the same tree.
//
// The package is pure: it performs no I/O and reads no clock.
package query

import (
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// Limits of a query (D26). A query that exceeds a limit is refused with errs.Invalid.
const (
	MaxBytes   = 16 << 10 // size of the where text
	MaxNesting = 10       // levels of $and and $or
	MaxTerms   = 100      // conditions in where, and in filters
	MaxPattern = 512      // size of a $regex in bytes
	MaxOrder   = 10       // fields in order_by
)

// Grammar defines the columns and operators that callers of one list may use.
type Grammar struct {
	Schema   value.Schema      // including the built-in columns
	Aliases  map[string]string // alias → column
	Unsorted []string          // columns not allowed in order_by (D27)
	// Groups is the column that lists the groups of a row; "" = the field _group does not exist. {"_group": {"$in":
	// [ids]}} matches rows that are in any of these groups.
	Groups string
	// Opaque makes every condition on an array of objects, geometries, files or dates match nothing, which is the
	// behavior that functions depend on (F17). $isnull and $exists still work.
	Opaque bool
}

// opaque reports whether a condition with op on the column matches nothing because of Opaque.
func (g Grammar) opaque(c value.Column, op Op) bool {
	return g.Opaque && c.Type == value.Array && op != OpIsNull && op != OpExists &&
		slices.Contains([]value.Type{value.Object, value.Geojson, value.File, value.Date}, c.Items)
}

// groupField is the field _group of users (see Grammar.Groups). It is not a column and allows only $in.
var groupField = value.Column{Name: "_group", Type: value.Array, Items: value.Integer}

// Predicate is a condition on a row: an And, an Or or a *Term. A planner inspects it with a type switch. Match is the
// reference for every plan.
type Predicate interface {
	// Match reports whether the row meets the condition. Missing keys are null.
	Match(row map[string]any) bool
	// String returns the canonical where text.
	String() string

	append(text []byte) []byte
}

// And matches if all its parts match; an empty And matches every row.
type And []Predicate

// Or matches if at least one part matches. It has at least two parts.
type Or []Predicate

// Match implements Predicate.
func (a And) Match(row map[string]any) bool {
	for _, part := range a {
		if !part.Match(row) {
			return false
		}
	}
	return true
}

// Match implements Predicate.
func (o Or) Match(row map[string]any) bool {
	for _, part := range o {
		if part.Match(row) {
			return true
		}
	}
	return false
}

// All combines predicates so that all must match, for example where, filters and conditions of the program.
func All(parts ...Predicate) Predicate {
	var flat And
	for _, part := range parts {
		if inner, ok := part.(And); ok {
			flat = append(flat, inner...)
		} else if part != nil {
			flat = append(flat, part)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return flat
}

// either combines predicates so that at least one must match; parts must not be empty.
func either(parts []Predicate) Predicate {
	var flat Or
	for _, part := range parts {
		if inner, ok := part.(Or); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, part)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return flat
}

// Conjuncts returns the terms that every matching row must meet, so a planner may use the index of any of them. Terms
// under an Or are excluded.
func Conjuncts(p Predicate) []*Term {
	switch p := p.(type) {
	case *Term:
		return []*Term{p}
	case And:
		var terms []*Term
		for _, part := range p {
			terms = append(terms, Conjuncts(part)...)
		}
		return terms
	}
	return nil
}

// Terms returns the conditions in the tree, also those under an Or.
func Terms(p Predicate) (terms []*Term) {
	var parts []Predicate
	switch p := p.(type) {
	case *Term:
		return []*Term{p}
	case And:
		parts = p
	case Or:
		parts = p
	}
	for _, part := range parts {
		terms = append(terms, Terms(part)...)
	}
	return terms
}

// Columns returns the names of the columns that the conditions of the tree read.
func Columns(p Predicate) (names []string) {
	for _, term := range Terms(p) {
		names = append(names, term.from)
	}
	return names
}

// field returns the column with this name or alias, or the field _group. It returns errs.Invalid if there is none.
func (g Grammar) field(name string) (value.Column, error) {
	if column, ok := g.column(name); ok {
		return column, nil
	}
	if name == groupField.Name && g.Groups != "" {
		return groupField, nil
	}
	return value.Column{}, errs.Invalid("field %q does not exist", name)
}

// column returns the column with this name or alias.
func (g Grammar) column(name string) (value.Column, bool) {
	if column, ok := g.Schema.Column(name); ok {
		return column, true
	}
	return g.Schema.Column(g.Aliases[name])
}
