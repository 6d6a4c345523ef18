package trigger

import (
	"slices"
	"strings"
)

// Visibility is a set of variables that templates can name.
type Visibility string

// The sets. User fields are those of who created the row, order or file.
const (
	VisibleNone    Visibility = "-"       // nothing
	VisibleRow     Visibility = "row"     // columns; before., after., payload.; created_by.<user field>
	VisibleOrder   Visibility = "order"   // the contract's eleven; payload.<order field>; created_by.<user field>
	VisibleUser    Visibility = "user"    // created_by.<user field>; payload.<file field>
	VisibleMessage Visibility = "message" // the members of the message; payload.
	VisibleCall    Visibility = "call"    // payload. and meta. of a hook call
)

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
func (v Visibility) NamesCreator(name string) bool {
	path := strings.Split(name, ".")
	if v == VisibleRow && slices.Contains([]string{"before", "after"}, path[0]) || path[0] == "payload" {
		path = path[1:]
	}
	users := v == VisibleRow || v == VisibleOrder || v == VisibleUser
	return users && len(path) > 1 && path[0] == CreatedBy
}
