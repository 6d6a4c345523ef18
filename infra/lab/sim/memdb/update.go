package memdb

import (
	"math/big"
	"slices"
	"strings"
)

// assignment changes one path of an item. Its value is computed from the item before the update, as DynamoDB does.
type assignment struct {
	path path
	give func(before Item) (any, error) // nil = remove
}

// parseUpdate reads an update expression.
func parseUpdate(text string, names, values map[string]any) (all []assignment, err error) {
	if text == "" {
		return nil, nil
	}

	defer recoverInvalid(&err)
	p := newParser(text, names, values)
	for p.peek() != "" {
		clause := strings.ToUpper(p.next())
		all = append(all, p.assignment(clause))
		for p.take(",") {
			all = append(all, p.assignment(clause))
		}
	}
	return all, nil
}

func (p *parser) assignment(clause string) assignment {
	a := assignment{path: p.path()}
	switch clause {
	case "SET":
		p.must("=")
		a.give = p.sum()
	case "REMOVE":
		// A nil value removes the attribute.
		a.give = func(Item) (any, error) { return nil, nil }
	case "ADD":
		v := p.value()
		a.give = func(before Item) (any, error) { return added(a.path.get(before), v) }
	case "DELETE":
		v := p.value()
		a.give = func(before Item) (any, error) { return subtracted(a.path.get(before), v) }
	default:
		panic(invalid("Invalid UpdateExpression: Syntax error; token: %q", clause))
	}

	return a
}

// term computes the right side of SET's "=".
type term func(Item) (any, error)

func (p *parser) sum() term {
	left := p.term()
	for {
		sign := 0
		switch {
		case p.take("+"):
			sign = 1
		case p.take("-"):
			sign = -1
		default:
			return left
		}

		// Copied, because the closure would otherwise call the new left, itself.
		a, b := left, p.term()
		left = func(item Item) (any, error) {
			x, err := a(item)
			if err != nil {
				return nil, err
			}

			y, err := b(item)
			if err != nil {
				return nil, err
			}

			return arithmetic(x, y, sign)
		}
	}
}

func (p *parser) term() term {
	call := p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "("
	switch name := strings.ToLower(p.peek()); {
	case call && name == "if_not_exists":
		p.at += 2
		of := p.path()
		p.must(",")
		other := p.sum()
		p.must(")")
		return func(item Item) (any, error) {
			if v := of.get(item); v != nil {
				return v, nil
			}
			return other(item)
		}
	case call && name == "list_append":
		p.at += 2
		a := p.sum()
		p.must(",")
		b := p.sum()
		p.must(")")
		return func(item Item) (any, error) { return appended(item, a, b) }
	}

	o := p.operand()
	return func(item Item) (any, error) {
		if v := o(item); v != nil {
			return v, nil
		}
		// Unlike in a condition, a missing attribute is an error in a SET.
		return nil, invalid("The provided expression refers to an attribute that does not exist in the item")
	}
}

var errOperand = invalid("An operand in the update expression has an incorrect data type")

func appended(item Item, a, b term) (any, error) {
	var lists [2][]any
	for i, t := range []term{a, b} {
		v, err := t(item)
		if err != nil {
			return nil, err
		}
		kind, content := kindOf(v)
		if kind != "L" {
			return nil, errOperand
		}
		lists[i] = content.([]any)
	}
	return Value{"L": slices.Concat(lists[0], lists[1])}, nil
}

func arithmetic(x, y any, sign int) (any, error) {
	kx, cx := kindOf(x)
	ky, cy := kindOf(y)
	if kx != "N" || ky != "N" {
		return nil, errOperand
	}

	a, err := number(cx.(string))
	if err != nil {
		return nil, err
	}
	b, err := number(cy.(string))
	if err != nil {
		return nil, err
	}
	if sign < 0 {
		b = new(big.Rat).Neg(b)
	}
	// Exact rationals: DynamoDB numbers have 38 digits, more than float64.
	sum := new(big.Rat).Add(a, b)
	return Value{"N": numeral(sum)}, inRange(sum)
}

// added implements ADD: numbers are summed, sets united.
func added(was, v any) (any, error) {
	if was == nil {
		return v, nil
	}
	kind, content := kindOf(v)
	had, old := kindOf(was)
	switch {
	case had != kind:
		return nil, errOperand
	case kind == "N":
		return arithmetic(was, v, 1)
	case kind != "SS" && kind != "NS" && kind != "BS":
		return nil, errOperand
	}

	// A copy, because the old set belongs to the item before the update.
	union := slices.Clone(old.([]any))
	for _, element := range content.([]any) {
		if !slices.Contains(union, element) {
			union = append(union, element)
		}
	}
	return Value{kind: union}, nil
}

// subtracted implements DELETE: it returns the rest of a set, nil when the rest is empty.
func subtracted(was, v any) (any, error) {
	if was == nil {
		return nil, nil
	}
	had, old := kindOf(was)
	kind, content := kindOf(v)
	if had != kind || len(kind) != 2 {
		return nil, errOperand
	}

	gone, _ := content.([]any)
	left := slices.DeleteFunc(slices.Clone(old.([]any)), func(element any) bool { return slices.Contains(gone, element) })
	// DynamoDB has no empty sets: the attribute goes with its last element.
	if len(left) == 0 {
		return nil, nil
	}
	return Value{kind: left}, nil
}

// apply makes the changes to an item.
func apply(before Item, all []assignment) (Item, error) {
	after := before
	var removed []assignment
	// Elements behind the end of a list are appended in the order of their indices.
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b assignment) int { return a.path[len(a.path)-1].index - b.path[len(b.path)-1].index })
	for _, a := range all {
		v, err := a.give(before)
		if err != nil {
			return nil, err
		}
		if v == nil {
			removed = append(removed, a)
			continue
		}
		if after, err = a.path.set(after, v); err != nil {
			return nil, err
		}
	}

	// Elements of a list are removed from behind, lest the others move.
	slices.SortStableFunc(removed, func(a, b assignment) int {
		x, y := a.path[len(a.path)-1], b.path[len(b.path)-1]
		return y.index - x.index
	})
	for _, a := range removed {
		var err error
		if len(a.path) > 1 && a.path[:len(a.path)-1].get(after) == nil {
			return nil, errPath
		}
		if after, err = a.path.set(after, nil); err != nil {
			return nil, err
		}
	}
	return after, nil
}
