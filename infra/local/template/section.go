package template

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// section reads the keys of one mapping and remembers which: done reports those
// that nobody asked for, so that nothing is ever ignored silently.
type section struct {
	name  string // for messages: "JobQueue", "JobQueue.RedrivePolicy"
	value *Value
	read  []string
	errs  *[]error
}

func (s *section) fail(v *Value, format string, a ...any) {
	*s.errs = append(*s.errs, fmt.Errorf("line %d: %s: %s", v.Line, s.name, fmt.Sprintf(format, a...)))
}

func (s *section) has(key string) bool { return s.value.Fields[key] != nil }

func (s *section) get(key string) *Value {
	s.read = append(s.read, key)
	return s.value.Fields[key]
}

// text returns the scalar key, or fallback when it is not there.
func (s *section) text(key, fallback string) string {
	v := s.get(key)
	if v == nil {
		return fallback
	}
	if v.Kind != Scalar {
		s.fail(v, "%s must be a text", key)
		return fallback
	}
	return v.Text
}

// required returns the scalar key and reports when it is not there.
func (s *section) required(key string) string {
	if !s.has(key) {
		s.fail(s.value, "%s is missing", key)
	}
	return s.text(key, "")
}

// number returns the integer key between low and high, or fallback.
func (s *section) number(key string, fallback, low, high int) int {
	v := s.get(key)
	if v == nil {
		return fallback
	}
	n, err := strconv.Atoi(v.Text)
	if v.Kind != Scalar || err != nil || n < low || n > high {
		s.fail(v, "%s must be an integer from %d to %d", key, low, high)
		return fallback
	}
	return n
}

func (s *section) flag(key string, fallback bool) bool {
	v := s.get(key)
	if v == nil {
		return fallback
	}
	b, err := strconv.ParseBool(strings.ToLower(v.Text))
	if v.Kind != Scalar || err != nil {
		s.fail(v, "%s must be true or false", key)
		return fallback
	}
	return b
}

// oneOf returns the scalar key, which must be one of the values; the first is
// the default.
func (s *section) oneOf(key string, values ...string) string {
	got := s.text(key, values[0])
	if !slices.Contains(values, got) {
		s.fail(s.value.Fields[key], "%s: %s is not served by the local cloud, only %s", key, got, strings.Join(values, ", "))
	}
	return got
}

// child returns the mapping key as a section; an absent one is empty.
func (s *section) child(key string) *section {
	v := s.get(key)
	name := s.name + "." + key
	if v == nil {
		return &section{name: name, value: &Value{Line: s.value.Line, Kind: Mapping}, errs: s.errs}
	}
	return s.mapping(name, v)
}

// mapping views v as a section called name, reporting when it is something else.
func (s *section) mapping(name string, v *Value) *section {
	if v.Kind != Mapping {
		s.fail(v, "%s must be a mapping", strings.TrimPrefix(name, s.name+"."))
		v = &Value{Line: v.Line, Kind: Mapping}
	}
	return &section{name: name, value: v, errs: s.errs}
}

// list returns the items of the list key.
func (s *section) list(key string) []*Value {
	v := s.get(key)
	if v == nil {
		return nil
	}
	if v.Kind != List {
		s.fail(v, "%s must be a list", key)
		return nil
	}
	return v.Items
}

// each returns the mappings of the list key as sections.
func (s *section) each(key string) []*section {
	var out []*section
	for i, v := range s.list(key) {
		out = append(out, s.mapping(fmt.Sprintf("%s.%s[%d]", s.name, key, i), v))
	}
	return out
}

// done reports the keys that were not read and are not on the list of those
// that mean nothing locally.
func (s *section) done(irrelevant ...string) {
	for _, key := range s.value.Keys {
		if !slices.Contains(s.read, key) && !slices.Contains(irrelevant, key) {
			s.fail(s.value.Fields[key], "%s is not served by the local cloud", key)
		}
	}
}

// JSON returns v as encoding/json would have it.
func (v *Value) JSON() any {
	switch v.Kind {
	case Nothing:
		return nil
	case List:
		out := make([]any, len(v.Items))
		for i, item := range v.Items {
			out[i] = item.JSON()
		}
		return out
	case Mapping:
		out := make(map[string]any, len(v.Keys))
		for _, key := range v.Keys {
			out[key] = v.Fields[key].JSON()
		}
		return out
	}

	if v.Bare {
		var plain any
		if err := json.Unmarshal([]byte(v.Text), &plain); err == nil {
			return plain
		}
	}

	return v.Text
}
