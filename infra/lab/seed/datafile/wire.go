package datafile

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// wire is an item as DynamoDB's JSON, its numbers without exponents.
type wire map[string]map[string]any

func wireOf(it map[string]types.AttributeValue) wire {
	w := make(wire, len(it))
	for name, v := range it {
		w[name] = valueOf(v)
	}
	return w
}

func valueOf(v types.AttributeValue) map[string]any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]any{"B": v.Value}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": map[string]map[string]any(wireOf(v.Value))}
	case *types.AttributeValueMemberL:
		list := make([]map[string]any, len(v.Value))
		for i, item := range v.Value {
			list[i] = valueOf(item)
		}
		return map[string]any{"L": list}
	}
	return map[string]any{"NULL": true}
}

// key returns the item's key as the file has it.
func (w wire) key() (pk, sk string) {
	return keyText(w["pk"]["S"].(string)), keyText(w["sk"]["S"].(string))
}

// keyText is a key as the file has it, with its type.
func keyText(key string) string { return "S:" + key }

// size is the item's size in bytes, as DynamoDB counts: pages end by it.
func (w wire) size() (n int) {
	for name, v := range w {
		n += len(name) + sizeOf(v)
	}
	return n
}

func sizeOf(value map[string]any) int {
	n := 1
	for kind, v := range value {
		switch v := v.(type) {
		case string:
			if n = len(v); kind == "N" {
				n = sizeOfNumber(v)
			}
		case []byte:
			n = len(v)
		case map[string]map[string]any:
			n = 3 + len(v) + wire(v).size()
		case []map[string]any:
			n = 3
			for _, item := range v {
				n += 1 + sizeOf(item)
			}
		}
	}

	return n
}

// sizeOfNumber is a byte for two digits, between the zeros at both ends, and one
// or, for a minus, two more.
func sizeOfNumber(text string) int {
	plain, negative := strings.CutPrefix(text, "-")
	digits := strings.Trim(strings.ReplaceAll(plain, ".", ""), "0")
	if digits == "" {
		return 1
	}
	if negative {
		return (len(digits)+1)/2 + 2
	}
	return (len(digits)+1)/2 + 1
}
