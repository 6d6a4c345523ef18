package api

import (
	"bytes"
	"encoding/json"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/user"
)

// What functions send is written by JavaScript, where 1 and "1" are nearly the same: numbers and texts of digits stand
// for each other here. A member that is null was not given.

// textGiven is a text, or a whole number as its digits.
func textGiven(field string, raw json.RawMessage) (text string, err error) {
	switch {
	case absent(raw):
		return "", nil
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		return text, nil
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return strconv.FormatInt(n, 10), nil
	}
	return "", errs.Invalid("%s must be a string or an integer", field)
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// userGiven is the id of a user, 0 where none is given.
func userGiven(field string, raw json.RawMessage) (user.ID, error) {
	text, err := textGiven(field, raw)
	if err != nil || text == "" {
		return 0, err
	}
	id, err := user.ParseID(text)
	if err != nil {
		return 0, errs.Invalid("%s must be the id of a user", field)
	}
	return id, nil
}

// listGiven are the items of a list; what is no list stands for a list of one where single says so.
func listGiven(field string, raw json.RawMessage, single bool) (items []json.RawMessage, err error) {
	switch {
	case absent(raw):
		return nil, nil
	case raw[0] == '[' && json.Unmarshal(raw, &items) == nil:
		return items, nil
	case single:
		return []json.RawMessage{raw}, nil
	}
	return nil, errs.Invalid("%s must be an array", field)
}

// keywordsGiven are texts by their names; a value may be wrapped, {"value":…}, as vendors do.
func keywordsGiven(raw json.RawMessage) (map[string]string, error) {
	keywords := map[string]string{}
	if absent(raw) {
		return keywords, nil
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return nil, errs.Invalid("keywords must be an object")
	}

	for name, value := range given {
		if value = bytes.TrimSpace(value); len(value) > 0 && value[0] == '{' {
			var wrapped struct {
				Value json.RawMessage `json:"value"`
			}
			if json.Unmarshal(value, &wrapped) != nil {
				return nil, errs.Invalid("keywords must have texts, numbers or {value} in them")
			}
			value = wrapped.Value
		}

		text, err := keyword(value)
		if err != nil {
			return nil, err
		}
		keywords[name] = text
	}
	return keywords, nil
}

// keyword is a value as it is shown.
func keyword(raw json.RawMessage) (text string, err error) {
	var v any
	if !absent(raw) && json.Unmarshal(raw, &v) != nil {
		return "", errs.Invalid("keywords must have texts, numbers or {value} in them")
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case float64, bool:
		return string(raw), nil
	}
	return "", errs.Invalid("keywords must have texts, numbers or {value} in them")
}
