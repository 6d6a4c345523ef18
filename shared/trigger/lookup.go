package trigger

import (
	"slices"
	"strings"
)

// Lookup returns a function that reads the variables of the event for templates with visibility v. user returns the
// profile of the user who created the subject, nil if there is none; it is called once for each name under created_by.
func (e Event) Lookup(v *Visibility, user func() map[string]any) func(name string) (any, bool) {
	return func(name string) (any, bool) {
		path := strings.Split(name, ".")
		first, rest := path[0], path[1:]
		switch {
		case v.NamesCreator(name):
			return dig(user(), path[slices.Index(path, CreatedBy)+1:])
		case v.payload && first == "payload" && len(rest) > 0:
			return dig(e.Payload, rest)
		case v.Row && first == "before" && len(rest) > 0:
			return dig(e.Before, rest)
		case v.Row && first == "after" && len(rest) > 0:
			return dig(e.After, rest)
		case v.Member(first):
			return dig(e.Payload, path)
		}
		return nil, false
	}
}

// dig follows a path. A pointer yields its id, because events do not hold the other fields of the row it points to
// (contract, Template message).
func dig(record map[string]any, path []string) (any, bool) {
	var v any = record
	for _, name := range path {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = object[name]; !ok {
			return nil, false
		}
	}

	if object, ok := v.(map[string]any); ok && len(object) == 2 && object["_table"] != nil && object["id"] != nil {
		return object["id"], true
	}
	return v, true
}
