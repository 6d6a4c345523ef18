package trigger

import (
	"strconv"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
)

// AppIDField is the member that says for whose mini program a message was pushed.
const AppIDField = "_AppId"

// messageIDFields are the members by which a message may be told from others.
var messageIDFields = []string{"MsgId", "msg_id", "id"}

// MessageEvent returns the event of a chat message. On the bus it is flat and
// also names the application and environment, which nobody gets to see (G23).
func MessageEvent(scope tenant.Scope, id string, at time.Time, detail map[string]any) Event {
	message := make(map[string]any, len(detail))
	for name, v := range detail {
		if name != "miniapp" && name != "env" {
			message[name] = Plain(v)
		}
	}

	subject := id
	for _, name := range messageIDFields {
		if text, ok := MemberText(message[name]); ok && text != "" {
			subject = text
			break
		}
	}
	sender, _ := MemberText(message["FromUserName"])
	return Event{
		ID: id, Scope: scope, Type: TypeChatMessage, Kind: OnChatMessage, At: at, Subject: subject,
		Key: "chat#" + sender, Payload: message,
	}
}

// MemberText spells a text, number or boolean; others equal no text.
func MemberText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	}
	f, ok := value.ToFloat(v)
	return strconv.FormatFloat(f, 'f', -1, 64), ok
}
