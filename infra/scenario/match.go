package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// kinds are the values that a "<kind>" in an expected body matches.
var kinds = map[string]func(any) bool{
	"any":     func(any) bool { return true },
	"integer": func(v any) bool { n, ok := v.(json.Number); return ok && !strings.ContainsAny(n.String(), ".eE") },
	"float":   func(v any) bool { n, ok := v.(json.Number); return ok && strings.Contains(n.String(), ".") },
	"number":  func(v any) bool { _, ok := v.(json.Number); return ok },
	"string":  func(v any) bool { _, ok := v.(string); return ok },
	"object":  func(v any) bool { _, ok := v.(map[string]any); return ok },
	"hex20":   matches(`^[0-9a-f]{20}$`),
	"hex40":   matches(`^[0-9a-f]{40}$`),
	"url":     matches(`^https?://`),
}

func matches(pattern string) func(any) bool {
	re := regexp.MustCompile(pattern)
	return func(v any) bool { text, ok := v.(string); return ok && re.MatchString(text) }
}

// inside are the patterns that a "<kind>" within a longer text matches.
var inside = map[string]string{
	"integer": `-?[0-9]+`, "string": `.+`, "word": `\w+`, "hex20": `[0-9a-f]{20}`, "hex40": `[0-9a-f]{40}`,
}

var part = regexp.MustCompile(`<(?:([a-z_0-9]+):)?([a-z0-9]+)>`)

// pattern returns the regular expression of a text with kinds inside; nil if it has none and is compared literally.
func pattern(text string) *regexp.Regexp {
	var b strings.Builder
	at := 0
	for _, m := range part.FindAllStringSubmatchIndex(text, -1) {
		if expr, known := inside[text[m[4]:m[5]]]; known {
			if m[2] >= 0 { // it has a name
				expr = "(?P<" + text[m[2]:m[3]] + ">" + expr + ")"
			}
			b.WriteString(regexp.QuoteMeta(text[at:m[0]]) + expr)
			at = m[1]
		}
	}
	if at == 0 {
		return nil
	}
	return regexp.MustCompile(`(?s)^` + b.String() + regexp.QuoteMeta(text[at:]) + `$`)
}

var placeholder = regexp.MustCompile(`^<(?:([a-z_0-9]+):)?([a-z0-9]+)>$`)

// match compares a value with the expected one and stores named values in found. The error says where they differ.
func match(path string, want, got any, found map[string]string) error {
	if text, ok := want.(string); ok {
		if m := placeholder.FindStringSubmatch(text); m != nil {
			return matchKind(path, m[1], m[2], got, found)
		}
		if re := pattern(text); re != nil {
			text, _ := got.(string)
			if parts := re.FindStringSubmatch(text); parts != nil {
				for i, name := range re.SubexpNames() {
					if name != "" {
						found[name] = parts[i]
					}
				}
				return nil
			}
		}
	}

	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: want an object, got %s", path, show(got))
		}
		return matchObject(path, want, object, found)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s: want %d elements, got %s", path, len(want), show(got))
		}

		for i := range want {
			if err := match(fmt.Sprintf("%s[%d]", path, i), want[i], list[i], found); err != nil {
				return err
			}
		}

		return nil
	}

	if want != got {
		return fmt.Errorf("%s: want %s, got %s", path, show(want), show(got))
	}

	return nil
}

func matchKind(path, name, kind string, got any, found map[string]string) error {
	fits, known := kinds[kind]
	if !known {
		return fmt.Errorf("%s: <%s> is not a kind", path, kind)
	}
	if !fits(got) {
		return fmt.Errorf("%s: want <%s>, got %s", path, kind, show(got))
	}
	if name != "" {
		found[name] = show(got)
		if text, ok := got.(string); ok {
			found[name] = text
		}
	}
	return nil
}

func matchObject(path string, want, got map[string]any, found map[string]string) error {
	_, open := want["..."]
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if name == "..." {
			continue
		}

		value, ok := got[name]
		if !ok {
			return fmt.Errorf("%s.%s: missing in %s", path, name, show(got))
		}
		if err := match(path+"."+name, want[name], value, found); err != nil {
			return err
		}
	}

	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, listed := want[name]; !listed && !open {
			return fmt.Errorf("%s.%s: not expected, has %s", path, name, show(got[name]))
		}
	}

	return nil
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func decode(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %w: %.200s", err, text)
	}
	return v, nil
}
