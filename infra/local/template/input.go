package template

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Select returns what the target is sent instead of the event: its Input, or
// the part that its InputPath ($, $.detail, $.detail.x) names.
func (t Target) Select(event []byte) ([]byte, error) {
	if t.Input != "" {
		return []byte(t.Input), nil
	}
	if t.InputPath == "" || t.InputPath == "$" {
		return event, nil
	}
	at := json.RawMessage(event)
	for key := range strings.SplitSeq(strings.TrimPrefix(t.InputPath, "$."), ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(at, &object); err != nil || object[key] == nil {
			return nil, fmt.Errorf("the event has no %s", t.InputPath)
		}
		at = object[key]
	}
	return at, nil
}
