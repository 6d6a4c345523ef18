package value

import (
	"fmt"
	"maps"
	"strings"

	"minicloud/shared/errs"
)

// BadField is a field with an invalid value in a write.
type BadField struct {
	Name string
	// Needs describes the valid values, such as "needs an integer"; "" = the write fails even without the field.
	Needs  string
	reason string // one clause for the caller
}

// Refused is the error of a refused write, with all invalid fields (F16). It is an errs.Invalid whose message lists
// them.
type Refused struct {
	Fields []BadField
}

// maxNamed is the maximum number of fields listed in the message.
const maxNamed = 100

// Add adds a field; it does nothing if err is nil.
func (r *Refused) Add(name, needs string, err error) {
	if err != nil {
		r.Fields = append(r.Fields, BadField{Name: name, Needs: needs, reason: errs.Message(err)})
	}
}

// Err returns r, or nil if no field is invalid.
func (r *Refused) Err() error {
	if len(r.Fields) == 0 {
		return nil
	}
	return r
}

// Error returns the message for the caller.
func (r *Refused) Error() string {
	reasons := make([]string, 0, len(r.Fields))
	for i, f := range r.Fields {
		if i == maxNamed {
			reasons = append(reasons, fmt.Sprintf("and %d more", len(r.Fields)-i))
			break
		}
		reasons = append(reasons, f.reason)
	}
	return strings.Join(reasons, "; ")
}

// Unwrap returns an errs.Invalid with the same message.
func (r *Refused) Unwrap() error { return errs.Invalid("%s", r.Error()) }

// Without returns a copy of the body without the invalid fields, and the list of these fields. Fields may be in the
// body itself or in its $set and $unset. ok is false if nothing would be left, or if the write would fail even
// without the fields.
func (r *Refused) Without(body map[string]any) (left map[string]any, skipped []BadField, ok bool) {
	left = maps.Clone(body)
	// Clone the groups too: deleting a field must not change the caller's body.
	for _, group := range []string{"$set", "$unset"} {
		if fields, isObject := body[group].(map[string]any); isObject {
			left[group] = maps.Clone(fields)
		}
	}
	for _, f := range r.Fields {
		// Needs is empty for a required field: the write fails without it.
		if f.Needs == "" {
			return nil, nil, false
		}
		delete(left, f.Name)
		for _, group := range []string{"$set", "$unset"} {
			if fields, isObject := left[group].(map[string]any); isObject {
				delete(fields, f.Name)
			}
		}
	}

	for name, v := range left {
		fields, isObject := v.(map[string]any)
		if !strings.HasPrefix(name, "$") || isObject && len(fields) > 0 {
			return left, r.Fields, true
		}
	}
	return nil, nil, false
}

// Needs describes the valid values of the column, or returns "" for a required column.
func (c Column) Needs() string {
	if c.Required {
		return ""
	}
	return "needs " + c.Type.kind().needs
}

// NeedsUnknown returns the Needs text for a name that Unknown refuses.
func NeedsUnknown(name string) string {
	if _, ours := BuiltIn(String).Column(name); ours {
		return "cannot be written"
	}
	return "does not exist"
}
