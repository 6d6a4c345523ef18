package query

import (
	"maps"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// Where parses a where parameter (D26). Empty text, which clients send for "no condition", means {} (D43). It returns
// an errs.Invalid that names the invalid field or operator.
func (g Grammar) Where(text string) (Predicate, error) {
	if len(text) > MaxBytes {
		return nil, errs.Invalid("where is longer than %d KB", MaxBytes>>10)
	}
	return g.where(text, MaxNesting, MaxTerms)
}

func (g Grammar) where(text string, nesting, terms int) (Predicate, error) {
	if strings.TrimSpace(text) == "" {
		return And(nil), nil
	}
	decoded, err := value.Decode("where", []byte(text))
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, errs.Invalid("where must be a JSON object")
	}
	p := &parser{grammar: g, terms: terms, nesting: nesting}
	return p.object(object, 0)
}

// parser converts a decoded where to a predicate and counts conditions and nesting.
type parser struct {
	grammar        Grammar
	terms, nesting int // remaining conditions; maximum nesting
}

func (p *parser) object(object map[string]any, depth int) (Predicate, error) {
	var parts []Predicate
	// Maps are unordered: sorting the names makes the predicate and the first error deterministic.
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var part Predicate
		var err error
		switch {
		case name == "$and" || name == "$or":
			part, err = p.group(name, object[name], depth+1)
		case strings.HasPrefix(name, "$"):
			err = errs.Invalid("operator %q does not exist here, only $and and $or", name)
		default:
			part, err = p.field(name, object[name])
		}

		if err != nil {
			return nil, err
		}

		parts = append(parts, part)
	}

	return All(parts...), nil
}

func (p *parser) group(name string, v any, depth int) (Predicate, error) {
	// Each level recurses, so check the depth before reading the items.
	if depth > p.nesting {
		return nil, errs.Invalid("where nests %s deeper than %d", name, p.nesting)
	}

	items, ok := v.([]any)
	// An empty $and matches every row; an empty $or would match none, so it is an error.
	if !ok || len(items) == 0 && name == "$or" {
		return nil, errs.Invalid("operand of %s must be an array of conditions", name)
	}

	parts := make([]Predicate, len(items))
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, errs.Invalid("operand of %s must be an array of conditions", name)
		}

		part, err := p.object(object, depth)
		if err != nil {
			return nil, err
		}

		parts[i] = part
	}

	if name == "$or" {
		return either(parts), nil
	}

	return All(parts...), nil
}

// field parses a value, which means $eq, or an object of operators.
func (p *parser) field(name string, v any) (Predicate, error) {
	column, path, err := p.grammar.place(name)
	if err != nil {
		return nil, err
	}

	object, isObject := v.(map[string]any)
	operatorKeys := 0
	for key := range object {
		if strings.HasPrefix(key, "$") {
			operatorKeys++
		}
	}

	switch {
	// For columns of objects, an object without operators is a value to compare with.
	case !isObject, operatorKeys == 0 && (column.Type.TakesObject() || len(path) > 0):
		object = map[string]any{string(OpEq): v}
	case len(object) == 0:
		return nil, errs.Invalid("field %q has no operator", name)
	case operatorKeys == 0:
		return nil, errs.Invalid("field %q is a %s and cannot be compared with an object", name, column.Type)
	case operatorKeys < len(object):
		return nil, errs.Invalid("field %q mixes operators with other keys", name)
	}

	return p.operators(name, object)
}

func (p *parser) operators(name string, object map[string]any) (Predicate, error) {
	var parts []Predicate
	options, hasOptions := object["$options"]
	if _, hasRegex := object[string(OpRegex)]; hasOptions && !hasRegex {
		return nil, errs.Invalid("$options of field %q needs $regex", name)
	}

	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key == "$options" {
			continue
		}
		// Each condition is evaluated for every scanned row, so the number of conditions in the tree is limited.
		if p.terms--; p.terms < 0 {
			return nil, errs.Invalid("where has more than %d conditions", MaxTerms)
		}

		var term *Term
		var err error
		if Op(key) == OpRegex {
			term, err = p.grammar.regex(name, object[key], options)
		} else {
			term, err = p.grammar.term(name, Op(key), object[key])
		}

		if err != nil {
			return nil, err
		}

		parts = append(parts, term)
	}

	return All(parts...), nil
}
