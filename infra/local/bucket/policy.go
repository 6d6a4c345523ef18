package bucket

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"minicloud/infra/local/bucket/objects"
)

// policy is the policy of a POST form: docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
type policy struct {
	Expiration time.Time
	conditions []condition
	least      int64 // content-length-range, bytes
	most       int64
}

// condition is a demand on a field.
type condition struct {
	prefix bool // starts-with, not eq
	field  string
	value  string
	text   string // as it stands in the policy
}

func badPolicy(message string) *objects.Failure {
	return invalid("InvalidPolicyDocument", "Invalid Policy: "+message)
}

func againstPolicy(message string) *objects.Failure {
	return denied("Invalid according to Policy: " + message)
}

// readPolicy reads a policy in base64.
func readPolicy(encoded string) (*policy, error) {
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, badPolicy("it is not base64.")
	}
	var raw struct {
		Expiration time.Time         `json:"expiration"`
		Conditions []json.RawMessage `json:"conditions"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, badPolicy("Invalid JSON: " + err.Error())
	}
	if raw.Expiration.IsZero() {
		return nil, badPolicy("Policy missing expiration.")
	}
	if raw.Conditions == nil {
		return nil, badPolicy("Policy missing conditions.")
	}

	p := &policy{Expiration: raw.Expiration, most: math.MaxInt64}
	for _, text := range raw.Conditions {
		if err := p.add(text); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add adds a condition: {"field": value}, ["eq" or "starts-with", "$field", value] or ["content-length-range", least, most].
func (p *policy) add(text json.RawMessage) error {
	var exact map[string]string
	if json.Unmarshal(text, &exact) == nil {
		if len(exact) != 1 {
			return badPolicy("Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.")
		}
		for field, value := range exact {
			p.conditions = append(p.conditions, condition{field: strings.ToLower(field), value: value, text: string(text)})
		}
		return nil
	}

	var parts []any
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) != 3 {
		return badPolicy("Invalid Condition: " + string(text))
	}
	if parts[0] == "content-length-range" {
		least, ok := parts[1].(float64)
		most, too := parts[2].(float64)
		if !ok || !too || least < 0 || most < least {
			return badPolicy("Invalid content-length-range: " + string(text))
		}
		p.least, p.most = int64(least), int64(most)
		return nil
	}
	field, ok := parts[1].(string)
	value, too := parts[2].(string)
	name, dollar := strings.CutPrefix(field, "$")
	if !ok || !too || !dollar || (parts[0] != "eq" && parts[0] != "starts-with") {
		return badPolicy("Invalid Condition: " + string(text))
	}
	p.conditions = append(p.conditions, condition{parts[0] == "starts-with", strings.ToLower(name), value, string(text)})
	return nil
}

// check compares the fields of a form with the policy: each condition holds, and each field has one.
func (p *policy) check(fields map[string]string, now time.Time) error {
	if now.After(p.Expiration) {
		return againstPolicy("Policy expired.")
	}
	named := []string{"policy", "x-amz-signature", "file"}
	for _, c := range p.conditions {
		named = append(named, c.field)
		value := fields[c.field]
		if value != c.value && !(c.prefix && strings.HasPrefix(value, c.value)) {
			return againstPolicy("Policy Condition failed: " + c.text)
		}
	}
	for field := range fields {
		if !slices.Contains(named, field) && !strings.HasPrefix(field, "x-ignore-") {
			return againstPolicy(fmt.Sprintf("Extra input fields: %s", field))
		}
	}
	return nil
}
