package trigger

import (
	"slices"
	"strings"
)

// Visibility is a set of variables that templates can name.
type Visibility struct {
	// Names are the variables that are known beforehand, apart from those of Row and Creator.
	Names []string
	// Row says that columns are variables, those of before and after the change too.
	Row bool
	// Creator says that created_by. leads to the fields of who created the row, order or file.
	Creator bool
	// Open says that nobody knows beforehand what is inside the event's payload.
	Open bool

	payload bool     // payload. leads to the members of the event's payload
	all     bool     // each member of the payload is a variable
	members []string // else those are
}

// The sets.
var (
	VisibleNone  = &Visibility{}
	VisibleRow   = &Visibility{Row: true, Creator: true, payload: true, all: true}
	VisibleOrder = &Visibility{
		Names:   slices.Concat(PaymentVariables, Prefixed("payload", OrderFields)),
		Creator: true, payload: true, members: PaymentVariables,
	}
	VisibleUser    = &Visibility{Names: Prefixed("payload", FileFields), Creator: true, payload: true}
	VisibleMessage = &Visibility{
		Names: []string{AppIDField, "payload." + AppIDField}, Open: true, payload: true, all: true,
	}
	// VisibleCall has the members payload and meta of a hook call.
	VisibleCall = &Visibility{
		Names: []string{"payload", "meta.remote_address", "meta.request_method", "meta.headers"}, Open: true,
		members: []string{"payload", "meta"},
	}
)

// Prefixed returns names behind a prefix and a dot.
func Prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = prefix + "." + name
	}
	return out
}

// UserFields are the fields of a user that templates can name behind
// created_by. (contract, File operation), beside the application's own columns.
var UserFields = []string{
	"id", "nickname", "gender", "country", "province", "city", "language", "openid", "unionid", "avatar", "is_authorized",
	"hello", "type", "test", "has_seen_demand", "latest_seen_time", "created_at", "updated_at",
}

// CreatedBy names the user who made what the event is about.
const CreatedBy = "created_by"

// NamesCreator reports whether a name is that of a field of who made what an event is about: behind created_by., with
// payload., before. or after. in front or not.
func (v *Visibility) NamesCreator(name string) bool {
	path := strings.Split(name, ".")
	if v.Row && slices.Contains([]string{"before", "after"}, path[0]) || path[0] == "payload" {
		path = path[1:]
	}
	return v.Creator && len(path) > 1 && path[0] == CreatedBy
}

// Member reports whether a member of the event's payload is a variable by its own name.
func (v *Visibility) Member(name string) bool { return v.all || slices.Contains(v.members, name) }
