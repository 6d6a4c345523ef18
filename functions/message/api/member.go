package api

import (
	"bytes"
	"encoding/json"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi/strictjson"
	"minicloud/shared/user"
)

// The types below accept the loose JSON of functions, where 1 and "1" are nearly the same: a number and a string of
// digits are equal. A null member counts as absent.

// text is a string, or an integer as its digits.
type text = strictjson.Text

func absent(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

// someone is a user id, 0 if absent.
type someone struct{ user.ID }

// ReadMember decodes a member of a request body; it returns errs.Invalid for any other JSON.
func (s *someone) ReadMember(field string, raw []byte) error {
	var id text
	if err := id.ReadMember(field, raw); err != nil || id == "" {
		return err
	}
	if s.ReadText(string(id)) != nil {
		return errs.Invalid("%s must be the id of a user", field)
	}
	return nil
}

// people is a list of user ids.
type people []user.ID

// ReadMember decodes a member of a request body; it returns errs.Invalid for any other JSON.
func (p *people) ReadMember(field string, raw []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return errs.Invalid("%s must be an array", field)
	}
	for _, item := range items {
		var one someone
		if one.ReadMember(field, item) != nil || one.ID == 0 {
			return errs.Invalid("%s must be an array of ids of users", field)
		}
		*p = append(*p, one.ID)
	}
	return nil
}

// names is a list of group names; a single string is a list of one.
type names []string

// ReadMember decodes a member of a request body; it returns errs.Invalid for any other JSON.
func (n *names) ReadMember(field string, raw []byte) error {
	if raw[0] == '"' {
		raw = bytes.Join([][]byte{[]byte("["), raw, []byte("]")}, nil)
	}
	if json.Unmarshal(raw, (*[]string)(n)) != nil || slices.Contains(*n, "") {
		return errs.Invalid("%s must be the name of a group of users, or an array of such names", field)
	}
	return nil
}

// condition is a JSON object, or a string that contains one.
type condition json.RawMessage

// ReadMember decodes a member of a request body; it returns errs.Invalid for any other JSON.
func (c *condition) ReadMember(field string, raw []byte) error {
	if absent(raw) {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return errs.Invalid("%s must be an object", field)
	}
	*c = condition(raw)
	return nil
}

// keywords maps names to texts; a value may be wrapped as {"value":…}, as vendors do.
type keywords map[string]string

// ReadMember decodes a member of a request body; it returns errs.Invalid for any other JSON.
func (k *keywords) ReadMember(field string, raw []byte) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return errs.Invalid("%s must be an object", field)
	}

	*k = keywords{}
	for name, value := range given {
		// Both forms, plain and {"value": …}, are stored as the value.
		if value[0] == '{' {
			var wrapped struct {
				Value json.RawMessage `json:"value"`
			}
			if json.Unmarshal(value, &wrapped) != nil {
				return errs.Invalid("%s must have texts, numbers or {value} in them", field)
			}
			value = wrapped.Value
		}

		shown, err := keyword(field, value)
		if err != nil {
			return err
		}
		(*k)[name] = shown
	}
	return nil
}

// keyword returns a value as text.
func keyword(field string, raw json.RawMessage) (text string, err error) {
	var v any
	if !absent(raw) && json.Unmarshal(raw, &v) != nil {
		return "", errs.Invalid("%s must have texts, numbers or {value} in them", field)
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case float64, bool:
		return string(raw), nil
	}
	return "", errs.Invalid("%s must have texts, numbers or {value} in them", field)
}
