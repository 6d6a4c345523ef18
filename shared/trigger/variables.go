package trigger

import (
	"slices"
	"strings"
)

// Visibility is a set of variables that templates can use.
type Visibility struct {
	// Names are the variables with fixed names, apart from those of Row and Creator.
	Names []string
	// Row makes the columns of the row variables, also with the prefixes before. and after.
	Row bool
	// Creator makes the fields of the user who created the row, order or file variables, with the prefix created_by.
	Creator bool
	// Open is true if the members of the payload are unknown before the event.
	Open bool

	payload bool     // members of the payload are variables with the prefix payload.
	all     bool     // every member of the payload is a variable by its own name
	members []string // if all is false, the members that are variables
}

// The sets.
var (
	VisibleNone  = &Visibility{}
	VisibleRow   = &Visibility{Row: true, Creator: true, payload: true, all: true}
	VisibleOrder = &Visibility{
		Names:   slices.Concat(paymentVariables, Prefixed("payload", orderFields)),
		Creator: true, payload: true, members: paymentVariables,
	}
	VisibleUser    = &Visibility{Names: Prefixed("payload", fileFields), Creator: true, payload: true}
	VisibleMessage = &Visibility{
		Names: []string{AppIDField, "payload." + AppIDField}, Open: true, payload: true, all: true,
	}
	// VisibleCall is the set of a hook call: its members payload and meta.
	VisibleCall = &Visibility{
		Names: []string{"payload", "meta.remote_address", "meta.request_method", "meta.headers"}, Open: true,
		members: []string{"payload", "meta"},
	}
)

// Prefixed returns the names, each with the prefix and a dot before it.
func Prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = prefix + "." + name
	}
	return out
}

// UserFields are the fields of a user that templates can use with the prefix created_by. (contract, File operation), in
// addition to the application's own columns.
var UserFields = []string{
	"id", "nickname", "gender", "country", "province", "city", "language", "openid", "unionid", "avatar", "is_authorized",
	"hello", "type", "test", "has_seen_demand", "latest_seen_time", "created_at", "updated_at",
}

// CreatedBy is the variable with the id of the user who created the subject of the event.
const CreatedBy = "created_by"

// NamesCreator reports whether a name is a field of the creator: created_by. and a field, optionally after payload.,
// before. or after.
func (v *Visibility) NamesCreator(name string) bool {
	path := strings.Split(name, ".")
	if v.Row && slices.Contains([]string{"before", "after"}, path[0]) || path[0] == "payload" {
		path = path[1:]
	}
	return v.Creator && len(path) > 1 && path[0] == CreatedBy
}

// Member reports whether a member of the payload is a variable by its own name.
func (v *Visibility) Member(name string) bool { return v.all || slices.Contains(v.members, name) }
