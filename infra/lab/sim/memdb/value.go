package memdb

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Value is an attribute as the protocol's JSON has it: one member, which names the type. Values are never changed in
// place, so items may share them.
type Value = map[string]any

// Item is an item by attribute name.
type Item = map[string]any // of Value

// kindOf returns the type of a value, "S", "N" …, and what it holds.
func kindOf(v any) (kind string, content any) {
	if m, ok := v.(Value); ok && len(m) == 1 {
		for kind, content := range m {
			return kind, content
		}
	}
	return "", nil
}

// number reads a number exactly.
func number(text string) (*big.Rat, error) {
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, invalid("The parameter cannot be converted to a numeric value: %s", text)
	}
	return n, nil
}

// The bounds of a number that is not 0.
var (
	tooLarge = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(126), nil))
	smallest = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(130), nil))
)

// inRange refuses numbers that DynamoDB cannot store: they have 38 digits.
func inRange(n *big.Rat) error {
	// Nearly all numbers are small: they need no look at their digits.
	if n.IsInt() && n.Num().BitLen() < 64 {
		return nil
	}
	size := new(big.Rat).Abs(n)
	switch {
	case size.Cmp(tooLarge) >= 0:
		return invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case size.Cmp(smallest) < 0:
		return invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	case len(strings.Trim(strings.Replace(size.FloatString(200), ".", "", 1), "0")) > 38:
		return invalid("Attempting to store more than 38 significant digits in a Number")
	}
	return nil
}

// numeral writes a number as DynamoDB does: without an exponent where it is short, without trailing zeros.
func numeral(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}

	text := n.FloatString(130)
	text = strings.TrimRight(text, "0")
	return strings.TrimRight(text, ".")
}

// check refuses what no item may hold, and writes numbers in one way.
func check(v any) (any, error) {
	kind, content := kindOf(v)
	switch kind {
	case "S", "BOOL", "B":
		return v, nil
	case "NULL":
		return v, nil
	case "N":
		text, _ := content.(string)
		n, err := number(text)
		if err != nil {
			return nil, err
		}
		// DynamoDB stores numbers in one form: "1.0" comes back as "1".
		return Value{"N": numeral(n)}, inRange(n)
	case "SS", "NS", "BS":
		return checkSet(kind, content)
	case "L":
		list, _ := content.([]any)
		out := make([]any, len(list))
		for i, item := range list {
			checked, err := check(item)
			if err != nil {
				return nil, err
			}
			out[i] = checked
		}

		return Value{"L": out}, nil
	case "M":
		object, _ := content.(map[string]any)
		out, err := checkAll(object)
		return Value{"M": out}, err
	}

	return nil, invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

func checkSet(kind string, content any) (any, error) {
	list, _ := content.([]any)
	if len(list) == 0 {
		return nil, invalid("One or more parameter values were invalid: An string set  may not be empty")
	}

	out := make([]any, 0, len(list))
	for _, element := range list {
		text, _ := element.(string)
		if kind == "NS" {
			n, err := number(text)
			if err != nil {
				return nil, err
			}
			// Normalised before the comparison: "1" and "1.0" are duplicates.
			text = numeral(n)
		}
		if slices.Contains(out, any(text)) {
			return nil, invalid("One or more parameter values were invalid: Input collection contains duplicates")
		}
		out = append(out, text)
	}
	return Value{kind: out}, nil
}

func checkAll(object map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(object))
	for name, v := range object {
		checked, err := check(v)
		if err != nil {
			return nil, err
		}
		out[name] = checked
	}
	return out, nil
}

// equal compares values: numbers as numbers, sets without order.
func equal(a, b any) bool {
	ka, ca := kindOf(a)
	kb, cb := kindOf(b)
	if ka != kb || ka == "" {
		return false
	}

	switch ka {
	case "N":
		return compareNumbers(ca, cb) == 0
	case "SS", "NS", "BS":
		// texts returns copies, so the sort does not change the items.
		x, y := texts(ca), texts(cb)
		slices.Sort(x)
		slices.Sort(y)
		return slices.Equal(x, y)
	case "L":
		x, _ := ca.([]any)
		y, _ := cb.([]any)
		return slices.EqualFunc(x, y, equal)
	case "M":
		x, _ := ca.(map[string]any)
		y, _ := cb.(map[string]any)
		return sameItems(x, y)
	}
	return ca == cb
}

func sameItems(x, y Item) bool {
	if len(x) != len(y) {
		return false
	}
	for name, v := range x {
		if other, ok := y[name]; !ok || !equal(v, other) {
			return false
		}
	}
	return true
}

func compareNumbers(a, b any) int {
	x, err := number(fmt.Sprint(a))
	if err != nil {
		return -1
	}
	y, err := number(fmt.Sprint(b))
	if err != nil {
		return 1
	}
	return x.Cmp(y)
}

// compare orders two values of the same ordered type: string, number or binary. ok is false for all others.
func compare(a, b any) (order int, ok bool) {
	ka, ca := kindOf(a)
	kb, cb := kindOf(b)
	if ka != kb {
		return 0, false
	}

	switch ka {
	case "S":
		return strings.Compare(ca.(string), cb.(string)), true
	case "N":
		return compareNumbers(ca, cb), true
	case "B":
		// The order of base64 texts is not the order of their bytes.
		x, _ := base64.StdEncoding.DecodeString(ca.(string))
		y, _ := base64.StdEncoding.DecodeString(cb.(string))
		return strings.Compare(string(x), string(y)), true
	}
	return 0, false
}

func texts(content any) []string {
	list, _ := content.([]any)
	out := make([]string, len(list))
	for i, element := range list {
		out[i], _ = element.(string)
	}
	return out
}

// sizeOf returns the approximate size of an item by DynamoDB's published rules, for the limits of 400 KB and 1 MB.
func sizeOf(item Item) int {
	sum := 0
	for name, v := range item {
		sum += len(name) + valueSize(v)
	}
	return sum
}

func valueSize(v any) int {
	kind, content := kindOf(v)
	switch kind {
	case "S":
		return len(content.(string))
	case "N":
		// DynamoDB stores about two digits in a byte.
		return len(content.(string))/2 + 2
	case "B":
		return len(content.(string)) * 3 / 4
	case "SS", "NS", "BS":
		sum := 0
		for _, element := range texts(content) {
			sum += len(element)
		}
		return sum
	case "L":
		sum := 3
		for _, element := range content.([]any) {
			sum += 1 + valueSize(element)
		}
		return sum
	case "M":
		sum := 3
		for name, element := range content.(map[string]any) {
			sum += 1 + len(name) + valueSize(element)
		}
		return sum
	}

	return 1
}
