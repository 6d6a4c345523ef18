package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"minicloud/infra/local/template"
)

// receiverOf finds the function an event is for: by its route if it has one;
// a request to the sandbox goes to the function of its plan's size.
func receiverOf(tmpl *template.Template, source []byte) (*template.Function, error) {
	var event struct {
		RouteKey string `json:"routeKey"`
		Op       string `json:"op"`
		Code     string `json:"code"`
		MemoryMB int    `json:"memory_mb"`
	}
	if err := json.Unmarshal(source, &event); err != nil {
		return nil, err
	}
	var found *template.Function
	for _, f := range tmpl.Functions {
		switch {
		case event.RouteKey != "":
			for _, r := range f.Routes {
				if r.Key() == event.RouteKey {
					return f, nil
				}
			}
		case event.Op != "" && event.Code != "" && f.Program == "sandbox":
			// The Lambda is larger than the guest heap it holds.
			if f.MemoryMB > event.MemoryMB && (found == nil || f.MemoryMB < found.MemoryMB) {
				found = f
			}
		}
	}
	switch {
	case event.RouteKey != "":
		return nil, fmt.Errorf("template.yaml has no route %q", event.RouteKey)
	case found == nil:
		return nil, errors.New("neither an HTTP API event (routeKey) nor a request to the sandbox (op, code)")
	}
	return found, nil
}

var placeholder = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)

// fill replaces each {{name}} by its value, also inside a base64 body. A value
// is asked for once.
func fill(source []byte, value func(name string) (string, error)) ([]byte, error) {
	known := map[string]string{}
	var failed error
	replace := func(text []byte) []byte {
		return placeholder.ReplaceAllFunc(text, func(match []byte) []byte {
			name := string(match[2 : len(match)-2])
			if _, ok := known[name]; !ok && failed == nil {
				known[name], failed = value(name)
			}
			return []byte(known[name])
		})
	}
	filled := replace(source)
	var event map[string]json.RawMessage
	if err := json.Unmarshal(filled, &event); err != nil {
		return nil, err
	}
	if string(event["isBase64Encoded"]) == "true" {
		var body []byte // encoding/json decodes base64
		if err := json.Unmarshal(event["body"], &body); err != nil {
			return nil, fmt.Errorf("the body is not base64: %w", err)
		}
		event["body"], _ = json.Marshal(base64.StdEncoding.EncodeToString(replace(body)))
		filled, _ = json.Marshal(event)
	}
	return filled, failed
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
