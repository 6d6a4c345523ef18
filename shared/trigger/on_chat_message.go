package trigger

import (
	"strconv"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
)

var onChatMessage = Definition{
	name: TypeChatMessage, Source: "chat_message", condition: func() Condition { return &MessageCondition{} },
	Actions: VisibleMessage, Keys: VisibleMessage,
	sample: func(s sampling) Event {
		return MessageEvent(s.scope, s.id, s.at, overlaid(map[string]any{
			AppIDField: "wx0123456789abcdef", "ToUserName": "gh_0123456789ab", "FromUserName": "oDemo0123456789",
			"CreateTime": float64(s.at.Unix()), "MsgType": "text", "Content": "sample", "MsgId": "7000000000000000001",
		}, s.given))
	},
}

// AppIDField is the member with the app id of the mini-program that received the message.
const AppIDField = "_AppId"

// messageIDFields are the members that may hold the id of a message, in the order in which they are tried.
var messageIDFields = []string{"MsgId", "msg_id", "id"}

// MessageEvent returns the event of a chat message. detail is the flat bus detail; its members miniapp and env name the
// application and environment and are left out, because owners must not see them (G23).
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

// MemberText formats a string, number or boolean as text. ok is false for any other value.
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

// MessageCondition matches chat messages whose members equal given texts.
type MessageCondition struct {
	AppID string `json:"app_id,omitempty"`
	Match Match  `json:"match"`
	Rules []Rule `json:"rules"` // equality only, no operators
}

// AllRules implements Condition. A given app id must match in any case, even with MatchAny.
func (c *MessageCondition) AllRules() (rules []Rule, one bool) {
	if c.AppID != "" {
		rules = append(rules, Rule{Field: AppIDField, Value: c.AppID, Always: true})
	}
	return append(rules, c.Rules...), c.Match == MatchAny
}
