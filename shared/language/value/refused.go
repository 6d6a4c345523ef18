package value

import (
	"fmt"
	"maps"
	"strings"

	"minicloud/shared/errs"
)

// BadField is a field that a write cannot have as it was given.
type BadField struct {
	Name string
	// Needs says what would be right, such as "needs an integer"; "" where the write is no better without the field.
	Needs  string
	reason string // one clause for the caller
}

// Refused is the error of a refused write: all of its bad fields (F16). As an errs.Invalid it names each.
type Refused struct {
	Fields []BadField
}

// maxNamed is how many bad fields a sentence names.
const maxNamed = 100

// Add notes a field. A nil err is none.
func (r *Refused) Add(name, needs string, err error) {
	if err != nil {
		r.Fields = append(r.Fields, BadField{Name: name, Needs: needs, reason: errs.Message(err)})
	}
}

// Err is r, nil where no field is bad.
func (r *Refused) Err() error {
	if len(r.Fields) == 0 {
		return nil
	}
	return r
}

// Error returns the sentence for the caller.
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

// Unwrap makes it an errs.Invalid.
func (r *Refused) Unwrap() error { return errs.Invalid("%s", r.Error()) }

// Without returns a body as it would be without the bad fields, and these; ok is false where nothing would be left of
// it, or where leaving fields out does not help. Fields stand in the body itself and in its $set and $unset.
func (r *Refused) Without(body map[string]any) (left map[string]any, skipped []BadField, ok bool) {
	left = maps.Clone(body)
	// The groups are cloned too: deleting a field must not change the body of the caller.
	for _, group := range []string{"$set", "$unset"} {
		if fields, isObject := body[group].(map[string]any); isObject {
			left[group] = maps.Clone(fields)
		}
	}
	for _, f := range r.Fields {
		// Needs is empty for a required field: without the field the write fails too.
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

// Needs describes the values that the column takes, "" for a required column.
func (c Column) Needs() string {
	if c.Required {
		return ""
	}
	return "needs " + c.Type.kind().needs
}

// NeedsUnknown is Needs of a name that Unknown refuses.
func NeedsUnknown(name string) string {
	if _, ours := BuiltIn(String).Column(name); ours {
		return "cannot be written"
	}
	return "does not exist"
}
