// Package query turns what callers ask about rows into one predicate tree:
// the where parameter (D26), query-string filters (D27) and order_by.
//
//	where  = {} | { part, … }                      all parts must hold
//	part   = field: value                          the same as field: {"$eq": value}
//	       | field: { operator: operand, … }
//	       | "$and": [ where, … ] | "$or": [ where, … ]
//
//	$eq $ne $in $nin         any type; null stands for a missing value
//	$lt $lte $gt $gte $range string, integer, number, boolean, date; $range [a,b) is half-open
//	$contains $icontains     string: substring
//	$regex (+ $options ims)  string: RE2, found anywhere
//	$all                     array: superset; $in and $nin on arrays: overlap, no overlap
//	$has_key                 object: a top-level key
//	$isnull $exists          any type; operand true or false
//	$intersects $within      geojson: a geometry
//	$center                  geojson: {"radius": km, "coordinates": [lon, lat]}
//	$nearsphere              geojson: {"geometry": point, "min_distance": m, "max_distance": m}
//
// A missing value is null. $ne is exactly not $eq and $nin exactly not $in, so
// both match null unless null is their operand; every other operator but
// $isnull and $exists never matches null.
//
// A tree is flat: no And directly inside an And, no Or inside an Or, none with a
// single part; the keys of one object are in alphabetical order. Its printed
// form (String) does not depend on white space, on the order of keys or on how
// numbers and dates are spelled, and parses to the same tree again.
//
// The package is pure: no I/O, no clock.
package query

import (
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// The limits of a query (D26); what exceeds them is an errs.Invalid.
const (
	MaxBytes   = 16 << 10 // of the where text
	MaxNesting = 10       // of $and and $or
	MaxTerms   = 100      // conditions in where and in filters, each
	MaxPattern = 512      // bytes of a $regex
	MaxOrder   = 10       // fields of order_by
)

// Grammar lists the columns and operators that callers of one list may use.
type Grammar struct {
	Schema   value.Schema      // with the built-in columns
	Aliases  map[string]string // further names of columns
	Unsorted []string          // columns that order_by refuses (D27)
	// Groups is the column that lists the groups of a row: {"_group": {"$in": [ids]}} matches the members of any of
	// them. "" = there is no field _group.
	Groups string
	// Opaque has conditions on arrays of objects, shapes, files and dates match nothing, whatever they say: functions
	// have known no other answer (F17). Whether there is such an array they can still ask.
	Opaque bool
}

// opaque reports whether a condition on the column is answered without being read.
func (g Grammar) opaque(c value.Column, op Op) bool {
	return g.Opaque && c.Type == value.Array && op != OpIsNull && op != OpExists &&
		slices.Contains([]value.Type{value.Object, value.Geojson, value.File, value.Date}, c.Items)
}

// groupField is a field of users that is no column of theirs (see Grammar.Groups), and takes no operator but $in.
var groupField = value.Column{Name: "_group", Type: value.Array, Items: value.Integer}

// Predicate is a condition on a row: an And, an Or or a *Term. A planner takes
// it apart with a type switch; Match is the reference every plan has to agree
// with.
type Predicate interface {
	// Match reports whether the row meets the condition. Absent keys are null.
	Match(row map[string]any) bool
	// String returns the canonical where text.
	String() string

	append(text []byte) []byte
}

// And holds when all its parts hold; the empty And is everything.
type And []Predicate

// Or holds when one of its parts holds. It has at least two.
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

// All joins predicates: where, filters, what the program itself demands.
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

// either is All for Or; parts is not empty.
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

// Conjuncts returns the terms that every matching row must meet: what a
// planner may choose an index by. Parts under an Or are not among them.
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

// Terms counts the conditions in the tree.
func Terms(p Predicate) int {
	var parts []Predicate
	switch p := p.(type) {
	case *Term:
		return 1
	case And:
		parts = p
	case Or:
		parts = p
	}
	sum := 0
	for _, part := range parts {
		sum += Terms(part)
	}
	return sum
}

// field finds a column or the field _group.
func (g Grammar) field(name string) (value.Column, error) {
	if column, ok := g.column(name); ok {
		return column, nil
	}
	if name == groupField.Name && g.Groups != "" {
		return groupField, nil
	}
	return value.Column{}, errs.Invalid("field %q does not exist", name)
}

// column finds a column by any of its names.
func (g Grammar) column(name string) (value.Column, bool) {
	if column, ok := g.Schema.Column(name); ok {
		return column, true
	}
	return g.Schema.Column(g.Aliases[name])
}
