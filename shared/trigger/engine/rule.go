package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/trigger"
)

// maxAgo is the limit of ago_seconds: a hundred years.
const maxAgo = 100 * 365 * 24 * 3600

// test reports whether a value passes a rule at the time of the event. An absent value is nil.
type test func(v any, at time.Time) bool

// newTest returns the test of an operator and operand for a column. why is an error message about the operand, "" if it
// is valid.
func newTest(c value.Column, op trigger.Operator, operand any) (run test, why string) {
	if op != trigger.IsEmpty && operand == nil {
		return nil, "is required"
	}

	switch op {
	case trigger.IsEmpty:
		want, ok := operand.(bool)
		if !ok {
			return nil, "must be true or false"
		}
		return func(v any, _ time.Time) bool { return empty(v) == want }, ""
	case trigger.Equal, trigger.NotEqual:
		return newEquality(c, op == trigger.Equal, operand)
	case trigger.Greater, trigger.GreaterOrEqual, trigger.Less, trigger.LessOrEqual:
		order, why := newBound(c, operand)
		return func(v any, at time.Time) bool {
			n, ok := order(v, at)
			return ok && ordered(op, n)
		}, why
	case trigger.InRange:
		return newRange(c, operand)
	case trigger.Contains:
		return newContains(c, operand)
	case trigger.Regex:
		return newRegex(operand)
	case trigger.HasKey:
		key, ok := operand.(string)
		if !ok || key == "" {
			return nil, "must be the name of a key"
		}
		return func(v any, _ time.Time) bool {
			object, _ := v.(map[string]any)
			_, has := object[key]
			return has
		}, ""
	}
	return nil, "has no meaning here"
}

// empty reports whether a value is absent, or an empty string, array or object.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func ordered(op trigger.Operator, order int) bool {
	switch op {
	case trigger.Greater:
		return order > 0
	case trigger.GreaterOrEqual:
		return order >= 0
	case trigger.Less:
		return order < 0
	}
	return order <= 0
}

// newEquality returns a test for equality, or for inequality if want is false. An absent value equals nothing and
// differs from everything.
func newEquality(c value.Column, want bool, operand any) (test, string) {
	if c.Type == value.Pointer {
		id, ok := trigger.Identifier(operand)
		if !ok {
			return nil, "must be the id of a row: a text or an integer"
		}
		return func(v any, _ time.Time) bool {
			object, _ := v.(map[string]any)
			has, ok := trigger.Identifier(object["id"])
			return (ok && has == id) == want
		}, ""
	}

	order, why := newBound(c, operand)
	return func(v any, at time.Time) bool {
		n, ok := order(v, at)
		return (ok && n == 0) == want
	}, why
}

// bound compares a value with an operand. ok is false if the value is absent or not of the column's type.
type bound func(v any, at time.Time) (order int, ok bool)

func newBound(c value.Column, operand any) (bound, string) {
	if object, isObject := operand.(map[string]any); isObject && c.Type == value.Date {
		seconds, isNumber := value.ToFloat(object["ago_seconds"])
		whole := seconds == float64(int64(seconds)) && -maxAgo <= seconds && seconds <= maxAgo
		if len(object) != 1 || !isNumber || !whole {
			return nil, `must be an ISO 8601 date with an offset or {"ago_seconds": n}, n an integer of at most a hundred years`
		}
		return func(v any, at time.Time) (int, bool) {
			text, _ := v.(string)
			instant, ok := value.Instant(text)
			return instant.Compare(at.Add(-time.Duration(seconds) * time.Second)), ok
		}, ""
	}

	canonical, err := value.Column{Name: "value", Type: c.Type, Items: c.Items}.Convert(operand)
	if err != nil {
		why := strings.TrimPrefix(errs.Message(err), `field "value" `)
		if c.Type == value.Date {
			why += ` or {"ago_seconds": n}`
		}
		return nil, why
	}
	order := c.Against(canonical)
	return func(v any, _ time.Time) (int, bool) { return order(v) }, ""
}

func newRange(c value.Column, operand any) (test, string) {
	ends, ok := operand.([]any)
	if !ok || len(ends) != 2 {
		return nil, "must be [from, to], either may be null"
	}
	var bounds [2]bound
	for i, end := range ends {
		if end == nil {
			continue
		}
		var why string
		if bounds[i], why = newBound(c, end); why != "" {
			return nil, fmt.Sprintf("must be [from, to]: %s %s", [2]string{"from", "to"}[i], why)
		}
	}

	return func(v any, at time.Time) bool {
		if !c.Holds(v) {
			return false
		}
		if from := bounds[0]; from != nil {
			if n, ok := from(v, at); !ok || n < 0 {
				return false
			}
		}
		if to := bounds[1]; to != nil {
			if n, ok := to(v, at); !ok || n >= 0 {
				return false
			}
		}
		return true
	}, ""
}

func newContains(c value.Column, operand any) (test, string) {
	item := c.Item()
	item.Name = "value"
	canonical, err := item.Convert(operand)
	if err != nil {
		return nil, strings.TrimPrefix(errs.Message(err), `field "value" `) + ", as one item of the array"
	}
	canonical = item.Payload(canonical) // in the form of payloads
	if _, isText := canonical.(string); isText && item.Type.TakesObject() {
		item.Type = value.String
	}

	order := item.Against(canonical)
	return func(v any, _ time.Time) bool {
		items, _ := v.([]any)
		return slices.ContainsFunc(items, func(v any) bool {
			n, ok := order(v)
			return ok && n == 0
		})
	}, ""
}

// newRegex compiles a pattern. It has the same limits as $regex (D26).
func newRegex(operand any) (test, string) {
	pattern, ok := operand.(string)
	switch {
	case !ok || pattern == "":
		return nil, "must be a regular expression"
	case len(pattern) > query.MaxPattern:
		return nil, fmt.Sprintf("is longer than %d characters", query.MaxPattern)
	}

	where, _ := json.Marshal(map[string]any{"value": map[string]any{"$regex": pattern}}) // encoding strings cannot fail
	grammar := query.Grammar{Schema: value.Schema{{Name: "value", Type: value.String}}}
	if _, err := grammar.Where(string(where)); err != nil {
		_, why, _ := strings.Cut(errs.Message(err), `field "value" `)
		return nil, why
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, "is not a valid RE2 pattern"
	}
	return func(v any, _ time.Time) bool {
		text, ok := v.(string)
		return ok && compiled.MatchString(text)
	}, ""
}
