package finder

import (
	"slices"
	"strings"

	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// needed returns what of a row decides whether it matches and where it stands,
// as RowScan.Only has it; nil where that is not known.
func (f *search) needed() []string {
	// Fields that decide neither match nor place are read with the page's rows only.
	keys := []string{}
	add := func(name string) {
		if c, own := f.table.Column(name); own {
			name = c.Key
		}
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	for _, term := range allTerms(f.where) {
		if term.Virtual() {
			return nil // it reads what it likes
		}
		add(term.Column.Name)
	}

	for _, key := range f.order {
		add(key.Column.Name)
	}

	return keys
}

func allTerms(p query.Predicate) (terms []*query.Term) {
	var parts []query.Predicate
	switch p := p.(type) {
	case *query.Term:
		return []*query.Term{p}
	case query.And:
		parts = p
	case query.Or:
		parts = p
	}
	for _, part := range parts {
		terms = append(terms, allTerms(part)...)
	}
	return terms
}

// filterOf returns the part of the condition that a store can check by itself:
// comparisons of simple values, all of which must hold.
func (t keyed) filterOf(p query.Predicate) table.Filter {
	var f table.Filter
	for _, term := range query.Conjuncts(p) {
		c, ok := t.Column(term.Column.Name)
		if ok && !term.Virtual() && filterable(c.Type, term) {
			f = append(f, table.FilterTerm{Key: c.Key, Op: term.Op, Operand: term.Operand})
		}
	}
	return f
}

// filterable says where the store's own comparison is the same as ours. Dates
// are kept as written, so their order as text is not their order in time; and
// numbers can be asked for that cannot be stored.
func filterable(kind value.Type, term *query.Term) bool {
	if f, ok := term.Operand.(float64); ok && !table.Storable(f) {
		return false
	}
	if term.Op == query.OpContains {
		return term.Operand != "" && !strings.ContainsRune(term.Operand.(string), 0)
	}
	return term.Operand != nil && kind.Pushes(string(term.Op))
}
