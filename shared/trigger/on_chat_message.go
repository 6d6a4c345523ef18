package trigger

import (
	"strconv"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
)

var onChatMessage = Definition{
	name: TypeChatMessage, Source: "chat_message", condition: conditionOf[MessageCondition],
	Actions: VisibleMessage, Keys: VisibleMessage,
	sample: func(s sampling) Event {
		return MessageEvent(s.scope, s.id, s.at, overlaid(map[string]any{
			AppIDField: "wx0123456789abcdef", "ToUserName": "gh_0123456789ab", "FromUserName": "oDemo0123456789",
			"CreateTime": float64(s.at.Unix()), "MsgType": "text", "Content": "sample", "MsgId": "7000000000000000001",
		}, s.given))
	},
}

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
			message[name] = value.Plain(v)
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

// MessageCondition waits for chat messages whose members equal texts.
type MessageCondition struct {
	AppID string `json:"app_id,omitempty"`
	Match Match  `json:"match"`
	Rules []Rule `json:"rules"` // without operators
}

// AllRules implements Condition. The application must be the right one, whatever the other rules say.
func (c *MessageCondition) AllRules() (rules []Rule, one bool) {
	if c.AppID != "" {
		rules = append(rules, Rule{Field: AppIDField, Value: c.AppID, Always: true})
	}
	return append(rules, c.Rules...), c.Match == MatchAny
}
