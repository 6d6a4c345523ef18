package ddb

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// attribute is an attribute value of the DynamoDB protocol: {"S": "text"}.
type attribute map[string]any

// expressions are the request fields that refusal checks. In a transaction each item has its own.
type expressions struct {
	ConditionExpression, FilterExpression, KeyConditionExpression string

	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]attribute
	ExclusiveStartKey         map[string]attribute
	TransactItems             []struct{ Put, Update, Delete, ConditionCheck *expressions }
}

var (
	parameter  = regexp.MustCompile(`:\w+`)
	comparison = regexp.MustCompile(`([#\w.\[\]]+|:\w+)\s*(<>|<=|>=|<|>|=)\s*([#\w.\[\]]+|:\w+)`)
	among      = regexp.MustCompile(`(?i)\bIN\s*\(([^)]*)\)`)
	between    = regexp.MustCompile(`(?i)([#\w]+)\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)`)
	beginsWith = regexp.MustCompile(`(?i)begins_with\s*\(\s*([#\w]+)\s*,\s*(:\w+)\s*\)`)
)

const (
	maxAmong   = 100  // maximum operands of IN
	maxSortKey = 1024 // maximum bytes of a sort key
	tooLong    = "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size " +
		"limit of 1024 bytes"
)

// refusal returns the message with which DynamoDB refuses a request that dynoxide accepts, or "". Without these checks
// a program could pass every test here and fail in the cloud; `make conformance` found the differences.
func refusal(operation string, body []byte) string {
	// Most requests have no expression and need no decoding.
	if !bytes.Contains(body, []byte(`Expression":`)) {
		return ""
	}
	var e expressions
	if json.Unmarshal(body, &e) != nil {
		return "" // dynoxide reports the error
	}

	all := []*expressions{&e}
	for _, p := range e.TransactItems {
		all = append(all, cmp.Or(p.Put, p.Update, p.Delete, p.ConditionCheck, &e))
	}
	for _, e := range all {
		if why := cmp.Or(e.condition("ConditionExpression", e.ConditionExpression),
			e.condition("FilterExpression", e.FilterExpression)); why != "" {
			return why
		}
	}
	if operation == "Query" {
		return e.keys()
	}
	return ""
}

// condition checks a condition expression or a filter expression.
func (e *expressions) condition(name, text string) string {
	invalid := func(format string, args ...any) string {
		return "Invalid " + name + ": " + fmt.Sprintf(format, args...)
	}
	// dynoxide resolves values only when it needs them, DynamoDB always.
	for _, p := range parameter.FindAllString(text, -1) {
		if e.ExpressionAttributeValues[p] == nil {
			return invalid("An expression attribute value used in expression is not defined; attribute value: %s", p)
		}
	}

	for _, m := range comparison.FindAllStringSubmatch(text, -1) {
		left, sign, right := m[1], m[2], m[3]
		if left == right {
			return invalid("The first operand must be distinct from the remaining operands for this operator or "+
				"function; operator: %s, first operand: [%s]", sign, e.name(left))
		}
		if sign == "=" || sign == "<>" {
			continue
		}
		for _, operand := range []string{left, right} {
			switch kind := kindOf(e.ExpressionAttributeValues[operand]); kind {
			case "", "S", "N", "B":
			default:
				return invalid("Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
					sign, kind)
			}
		}
	}
	for _, m := range among.FindAllStringSubmatch(text, -1) {
		if n := strings.Count(m[1], ",") + 1; n > maxAmong {
			return invalid("The IN operator is provided with too many operands; number of operands: %d", n)
		}
	}
	return ""
}

// keys checks the key condition of a query, and that ExclusiveStartKey satisfies it. All keys of the platform are
// strings.
func (e *expressions) keys() string {
	text := e.KeyConditionExpression
	for i, m := range append(comparison.FindAllStringSubmatch(text, -1), beginsWith.FindAllStringSubmatch(text, -1)...) {
		value := e.ExpressionAttributeValues[m[len(m)-1]]
		switch content, isText := value["S"].(string); {
		case value == nil: // dynoxide reports this error
		case !isText:
			return "One or more parameter values were invalid: Condition parameter type does not match schema type"
		case content == "":
			return "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain " +
				"an empty string value. Key: " + e.name(m[1])
		case i > 0 && len(content) > maxSortKey: // the first condition is on the partition key
			return tooLong
		}
	}

	if m := between.FindStringSubmatch(text); m != nil && max(len(e.text(m[2])), len(e.text(m[3]))) > maxSortKey {
		return tooLong
	}

	if e.ExclusiveStartKey == nil {
		return ""
	}
	const outside = "The provided starting key is outside query boundaries based on provided conditions"
	const unmatched = "The provided starting key does not match the range key predicate"
	for _, m := range comparison.FindAllStringSubmatch(text, -1) {
		name, sign, bound := e.name(m[1]), m[2], e.text(m[3])
		switch order := strings.Compare(e.start(name), bound); {
		case sign == "=" && order != 0 && !strings.Contains(strings.ToUpper(text), " AND "):
			return outside
		case sign == "=" && order != 0, sign == "<" && order >= 0, sign == "<=" && order > 0, sign == ">" && order <= 0,
			sign == ">=" && order < 0:
			return unmatched
		}
	}
	if m := between.FindStringSubmatch(text); m != nil {
		if at := e.start(e.name(m[1])); at < e.text(m[2]) || at > e.text(m[3]) {
			return unmatched
		}
	}
	if m := beginsWith.FindStringSubmatch(text); m != nil && !strings.HasPrefix(e.start(e.name(m[1])), e.text(m[2])) {
		return unmatched
	}
	return ""
}

// name resolves an attribute name placeholder of an expression.
func (e *expressions) name(text string) string { return cmp.Or(e.ExpressionAttributeNames[text], text) }

func (e *expressions) text(parameter string) string {
	text, _ := e.ExpressionAttributeValues[parameter]["S"].(string)
	return text
}

func (e *expressions) start(name string) string {
	text, _ := e.ExclusiveStartKey[name]["S"].(string)
	return text
}

func kindOf(v attribute) string {
	for kind := range v {
		return kind
	}
	return ""
}
