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

// visible is the contract's word on variables (Trigger types, Actions). The key
// of a flow is ours (G5): it sends nothing, so it may name what actions may not.
var visible = []struct {
	sets    string
	trigger Type
}{
	// Email    Template message  Webhook  Table op  Cloud function  SMS      key of the flow
	{" row      row               -        row       -               row      row", TypeTable},
	{" order    order             -        order     -               order    order", TypeChatPay},
	{" order    order             -        order     -               order    order", TypeAltPay},
	{" order    order             -        order     -               order    order", TypeTPay},
	{" -        -                 -        -         -               -        -", TypeTimer},
	{" user     user              -        user      -               user     user", TypeFileOperation},
	{" -        -                 -        -         -               -        call", TypeIncomingWebhook},
	{" message  message           -        message   -               message  message", TypeChatMessage},
}

// Visible returns what the templates of an action can name.
func Visible(t Type, a ActionType) Visibility { return visibleAt(t, slices.Index(ActionTypes, a)) }

// VisibleInKey returns what the key of a flow can name.
func VisibleInKey(t Type) Visibility { return visibleAt(t, len(ActionTypes)) }

func visibleAt(t Type, column int) Visibility {
	for _, row := range visible {
		if row.trigger == t && column >= 0 {
			return Visibility(strings.Fields(row.sets)[column])
		}
	}
	return VisibleNone
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
func (v Visibility) NamesCreator(name string) bool {
	path := strings.Split(name, ".")
	if v == VisibleRow && slices.Contains([]string{"before", "after"}, path[0]) || path[0] == "payload" {
		path = path[1:]
	}
	users := v == VisibleRow || v == VisibleOrder || v == VisibleUser
	return users && len(path) > 1 && path[0] == CreatedBy
}
