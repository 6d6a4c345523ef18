package plan

import (
	"math"
	"slices"
	"strings"

	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// Needed returns the columns that the condition and the order use, in the form of RowScan.Only; nil if a term may use
// any column.
func (t Table) Needed(where query.Predicate, order query.Order) []string {
	// All other fields are read only for the rows of the page.
	keys := []string{}
	add := func(name string) {
		if c, own := t.Column(name); own {
			name = c.Key
		}
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	for _, term := range query.Terms(where) {
		if term.Virtual() {
			return nil // it may read any column
		}
		add(term.Column.Name)
	}

	for _, key := range order {
		add(key.Column.Name)
	}
	if t.Reader != nil {
		keys = append(keys, "_read_perm", "created_by")
	}
	return keys
}

// Filter returns the part of the condition that the store can evaluate: comparisons of simple values, all of which
// must hold.
func (t Table) Filter(p query.Predicate) table.Filter {
	var f table.Filter
	for _, term := range query.Conjuncts(p) {
		c, ok := t.Column(term.Column.Name)
		if ok && !term.Virtual() && filterable(c.Type, term) {
			f = append(f, filter(c.Key, term)...)
		}
	}
	return f
}

// filter returns the terms of a condition. A sum in the store is a decimal that may have more digits than the float64
// that a read row has, so the terms of a number include its neighbors.
func filter(key string, term *query.Term) table.Filter {
	number, ok := term.Operand.(float64)
	if !ok || number == 0 || term.Op == query.OpLt || term.Op == query.OpGt {
		return table.Filter{{Key: key, Op: term.Op, Operand: term.Operand}}
	}
	var f table.Filter
	if term.Op != query.OpLte {
		f = append(f, table.FilterTerm{Key: key, Op: query.OpGte, Operand: math.Nextafter(number, math.Inf(-1))})
	}
	if term.Op != query.OpGte {
		f = append(f, table.FilterTerm{Key: key, Op: query.OpLte, Operand: math.Nextafter(number, math.Inf(1))})
	}
	return f
}

// filterable reports whether the store evaluates the term with the same result as Match. It excludes dates, which are
// stored as text, because text order is not time order. It also excludes numbers that cannot be stored.
func filterable(kind value.Type, term *query.Term) bool {
	if f, ok := term.Operand.(float64); ok && !value.Storable(f) {
		return false
	}
	if term.Op == query.OpContains {
		return term.Operand != "" && !strings.ContainsRune(term.Operand.(string), 0)
	}
	return term.Operand != nil && kind.Pushes(string(term.Op))
}
