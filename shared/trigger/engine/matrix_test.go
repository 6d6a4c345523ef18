package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/trigger"
)

// contractMatrix is the contract's matrix of actions and triggers, copied verbatim.
const contractMatrix = `
| Action | Table | Chat pay | Timer | File op | Incoming webhook | Chat message push | Alt pay |
|---|---|---|---|---|---|---|---|
| Email | Y | Y | Y | Y | Y | Y | Y |
| Template message | Y | Y | Y | Y | Y | Y | Y |
| Webhook | Y | Y | N | Y | Y | Y | Y |
| Data-table operation | Y | Y | N | Y | Y | Y | Y |
| Cloud function | Y | Y | Y | Y | Y | Y | Y |
`

var contractTypes = map[string]trigger.Type{
	"Table": trigger.TypeTable, "Chat pay": trigger.TypeChatPay, "Timer": trigger.TypeTimer,
	"File op":          trigger.TypeFileOperation,
	"Incoming webhook": trigger.TypeIncomingWebhook, "Chat message push": trigger.TypeChatMessage,
	"Alt pay": trigger.TypeAltPay,
}

var contractActions = map[string]trigger.ActionType{
	"Email": trigger.Email, "Template message": trigger.TemplateMessage, "Webhook": trigger.Webhook,
	"Data-table operation": trigger.TableOperation, "Cloud function": trigger.CloudFunction,
}

func cells(line string) []string {
	parts := strings.Split(strings.Trim(line, "|"), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func yes(allowed bool) string {
	if allowed {
		return "Y"
	}
	return "N"
}

func TestMatrixMatchesContract(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(contractMatrix), "\n")
	head := cells(lines[0])
	seen := 0
	for _, line := range lines[2:] {
		row := cells(line)
		for i, want := range row[1:] {
			seen++
			if got := yes(trigger.Allowed(contractTypes[head[i+1]], contractActions[row[0]])); got != want {
				t.Errorf("%s × %s: %s, the contract says %s", head[i+1], row[0], got, want)
			}
		}
	}

	if seen != 35 {
		t.Errorf("%d cells compared, want 35", seen)
	}

	var grid strings.Builder
	fmt.Fprintf(&grid, "%-18s", "")
	for _, kind := range trigger.Types {
		fmt.Fprintf(&grid, "%-18s", kind)
	}
	for _, action := range trigger.ActionTypes {
		fmt.Fprintf(&grid, "\n%-18s", action)
		for _, kind := range trigger.Types {
			allowed := trigger.Allowed(kind, action)
			fmt.Fprintf(&grid, "%-18s", yes(allowed))
			if kind == trigger.TypeTPay && allowed != trigger.Allowed(trigger.TypeChatPay, action) {
				t.Errorf("%s: tpay differs from chat pay (D34)", action)
			}
			if action == trigger.SMS && !allowed {
				t.Errorf("SMS is not for %s (D34)", kind)
			}
		}
	}

	t.Logf("\n%s", grid.String())
}

func TestRefusesUnknownTypes(t *testing.T) {
	if trigger.Allowed("comet", trigger.Email) || trigger.Allowed(trigger.TypeTable, "telegram") {
		t.Error("something unknown is allowed")
	}
}

// TestVisibleVariables checks the variables of each trigger type in each action that has templates.
func TestVisibleVariables(t *testing.T) {
	has := map[trigger.Type]*trigger.Visibility{
		trigger.TypeTable:   trigger.VisibleRow,
		trigger.TypeChatPay: trigger.VisibleOrder, trigger.TypeAltPay: trigger.VisibleOrder, trigger.TypeTPay: trigger.VisibleOrder,
		trigger.TypeFileOperation: trigger.VisibleUser, trigger.TypeChatMessage: trigger.VisibleMessage,
		trigger.TypeTimer: trigger.VisibleNone, trigger.TypeIncomingWebhook: trigger.VisibleNone,
	}

	for _, kind := range trigger.Types {
		if got := kind.Definition().Actions; got != has[kind] {
			t.Errorf("%s: %+v, want %+v", kind, got, has[kind])
		}
		key := has[kind]
		if kind == trigger.TypeIncomingWebhook {
			key = trigger.VisibleCall
		}
		if got := kind.Definition().Keys; got != key {
			t.Errorf("the key of %s: %+v, want %+v", kind, got, key)
		}
	}

	if got := trigger.Type("comet").Definition().Actions; got != trigger.VisibleNone {
		t.Errorf("an unknown type shows %+v", got)
	}

	// Contract: neither the body of a webhook nor a function's data is a template.
	for _, s := range []trigger.Settings{&trigger.WebhookSettings{URL: "{{ a }}"}, &trigger.CloudFunctionSettings{Function: "{{ a }}"}} {
		s.Templates(func(one trigger.Template) { t.Errorf("%T: %s is a template", s, one.Path) })
	}
}

func TestLooksUpVariables(t *testing.T) {
	author := func() map[string]any {
		return map[string]any{"id": 12.0, "nickname": "Ada", "extra": map[string]any{"a": 1.0}}
	}
	update := trigger.Event{
		Type:   trigger.TypeTable,
		Before: map[string]any{"title": "old"},
		After: map[string]any{
			"title": "new", "author": map[string]any{"_table": "authors", "id": "ab"},
			"extra": map[string]any{"a": map[string]any{"b": 2.0}}, "created_by": 12.0,
		},
		Payload: map[string]any{
			"title": "new", "author": map[string]any{"_table": "authors", "id": "ab"},
			"extra": map[string]any{"a": map[string]any{"b": 2.0}}, "created_by": 12.0,
		},
	}

	order := trigger.Event{
		Type: trigger.TypeChatPay, Payload: map[string]any{"trade_no": "t", "ip_address": "192.0.2.1", "created_by": 12.0},
	}
	file := trigger.Event{Type: trigger.TypeFileOperation, Payload: map[string]any{"name": "a.png", "created_by": 12.0}}
	hook := trigger.HookEvent(scope, trigger.HookCall{ID: "h", Payload: map[string]any{"user": "u"}})
	chat := trigger.Event{Type: trigger.TypeChatMessage, Payload: map[string]any{"Content": "hi"}}

	for _, row := range []struct {
		e    trigger.Event
		name string
		want any // nil = renders as empty text
	}{
		{update, "title", "new"},
		{update, "before.title", "old"},
		{update, "after.title", "new"},
		{update, "payload.title", "new"},
		{update, "extra.a.b", 2.0},
		{update, "author", "ab"},
		{update, "author.id", "ab"},
		{update, "author.name", nil},
		{update, "before", nil},
		{update, "after", nil},
		{update, "payload", nil},
		{update, "created_by", 12.0},
		{update, "created_by.nickname", "Ada"},
		{update, "created_by.extra.a", 1.0},
		{update, "payload.created_by.nickname", "Ada"},
		{update, "before.created_by.nickname", "Ada"},
		{update, "extra.created_by.nickname", nil},
		{order, "trade_no", "t"},
		{order, "ip_address", nil},
		{order, "payload.ip_address", "192.0.2.1"},
		{order, "created_by.nickname", "Ada"},
		{file, "created_by.nickname", "Ada"},
		{file, "name", nil},
		{file, "payload.created_by.nickname", "Ada"},
		{file, "after.created_by.nickname", nil},
		{file, "payload.name", "a.png"},
		{hook, "payload.user", nil},
		{hook, "created_by.nickname", nil},
		{chat, "Content", "hi"},
		{chat, "created_by.nickname", nil},
		{chat, "payload.Content", "hi"},
		{trigger.TimerEvent(scope, 1, noon), "payload", nil},
	} {
		got, ok := row.e.Lookup(row.e.Type.Definition().Actions, author)(row.name)
		if got != row.want || ok != (row.want != nil) {
			t.Errorf("%s: {{ %s }} is %v, %v", row.e.Type, row.name, got, ok)
		}
	}

	for name, want := range map[string]any{"payload.user": "u", "meta.request_method": ""} {
		if got, ok := hook.Lookup(hook.Type.Definition().Keys, author)(name); got != want || !ok {
			t.Errorf("key of a hook: {{ %s }} is %v, %v", name, got, ok)
		}
	}

	// A pointer yields its id; any other object with two members yields itself.
	for _, object := range []map[string]any{{"id": "ab", "n": 1.0}, {"_table": "authors", "n": 1.0}} {
		chat.Payload["object"] = object
		got, ok := chat.Lookup(trigger.VisibleMessage, author)("object")
		if diff := cmp.Diff(any(object), got); diff != "" || !ok {
			t.Errorf("%v: %s", object, diff)
		}
	}

	if got := trigger.Forbidden(trigger.TypeTable, trigger.Email); got != "a table trigger cannot have an email action" {
		t.Error(got)
	}
}
