// Package story draws what happens to an application: triggers of several types, and events that pass their conditions
// or not. The simulation and the load of the fault runner make the same events by it, each in its own way, and hold the
// platform against the same conditions (package promise).
package story

import (
	"math/rand/v2"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// Holds reports whether an event passes the condition of a trigger. before and after are what a row was and is; after
// alone is what else happened.
type Holds = func(before, after map[string]any) bool

// Draw is one of some values.
func Draw[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// Colors are the texts of columns and messages.
var Colors = []string{"red", "green", "blue"}

// Numbers is how many numbers a row may have, from 0 on.
const Numbers = 5

// Row draws the columns of a row: n, s and, of most rows, b.
func Row(random *rand.Rand) map[string]any {
	row := map[string]any{"n": random.IntN(Numbers), "s": Draw(random, Colors...)}
	if random.IntN(4) > 0 {
		row["b"] = random.IntN(2) == 0
	}
	return row
}

// RowTrigger draws a trigger for a change of rows in a table, with so many rules for the columns that Row draws.
func RowTrigger(random *rand.Rand, table string, change trigger.Change, rules int) (trigger.Trigger, Holds) {
	c := promise.Condition{Match: Draw(random, "all", "any")}
	for range rules {
		c.Rules = append(c.Rules, rowRule(random, change))
	}
	return trigger.Trigger{Type: trigger.TypeTable, Condition: &trigger.TableCondition{
		Table: trigger.TableRef(table), Event: change, Match: trigger.Match(c.Match), Rules: rulesOf(c),
	}}, c.Holds
}

func rowRule(random *rand.Rand, change trigger.Change) promise.Rule {
	if change == trigger.Update && random.IntN(4) == 0 {
		return promise.Rule{Field: Draw(random, "n", "s", "b"), Operator: "changed"}
	}

	sides := map[trigger.Change][]string{
		trigger.Create: {"", "after."}, trigger.Update: {"", "after.", "before."}, trigger.Delete: {"", "before."},
	}
	side, low := Draw(random, sides[change]...), random.IntN(Numbers)
	switch random.IntN(5) {
	case 0:
		return promise.Rule{Field: side + "s", Operator: Draw(random, "=", "!="), Value: Draw(random, Colors...)}
	case 1:
		return promise.Rule{Field: side + "b", Operator: Draw(random, "=", "!=", "isempty"), Value: low%2 == 0}
	case 2:
		return promise.Rule{Field: side + "n", Operator: "range", Value: [2]int{low, low + 2}}
	}
	return promise.Rule{Field: side + "n", Operator: Draw(random, "=", "!=", ">", ">=", "<", "<="), Value: low}
}

// rulesOf are the rules of a condition as the platform keeps them, with numbers as float64.
func rulesOf(c promise.Condition) []trigger.Rule {
	rules := []trigger.Rule{}
	for _, r := range c.Rules {
		rule := trigger.Rule{Field: r.Field, Operator: trigger.Operator(r.Operator), Value: r.Value}
		switch v := r.Value.(type) {
		case int:
			rule.Value = float64(v)
		case [2]int:
			rule.Value = []any{float64(v[0]), float64(v[1])}
		}
		rules = append(rules, rule)
	}
	return rules
}

// Bus is a kind of events that come on the bus.
type Bus struct {
	DetailType string
	Trigger    func(*rand.Rand) (trigger.Trigger, Holds)
	// Event draws an event with an id, which is the subject of its runs. Its payload says whom it is from.
	Event func(random *rand.Rand, id, from string) Event
}

// Event is an event of the bus.
type Event struct {
	Detail  map[string]any // without the application
	After   map[string]any // what conditions see
	Data    map[string]any // what its payload says; nil is a member that it does not have
	Refused string         // a word of the reason why it must become a dead letter; "" = it starts triggers
}

// Messages are chat messages of mini programs. Half of the triggers hear of all of them.
var Messages = Bus{"chat-message", messageTrigger, messageEvent}

func messageTrigger(random *rand.Rand) (trigger.Trigger, Holds) {
	c, app := promise.Condition{Match: Draw(random, "all", "any")}, ""
	if random.IntN(2) == 0 {
		app = Draw(random, "", "wx1")
		c.Rules = []promise.Rule{{Field: "Content", Value: Draw(random, Colors...)}, {Field: "MsgType", Value: "text"}}
	}
	return trigger.Trigger{Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{
			AppID: app, Match: trigger.Match(c.Match), Rules: rulesOf(c),
		}}, func(_, m map[string]any) bool {
			return (app == "" || m["_AppId"] == app) && c.Holds(nil, m)
		}
}

func messageEvent(random *rand.Rand, id, from string) Event {
	content := Draw(random, Colors...)
	e := Event{Data: map[string]any{
		"MsgId": id, "FromUserName": from, "Content": content, "miniapp": nil, "env": nil,
	}, Detail: map[string]any{
		"_AppId": Draw(random, "wx1", "wx2"), "MsgId": id, "FromUserName": from, "Content": content,
		"MsgType": Draw(random, "text", "image"),
	}}
	if e.After = e.Detail; random.IntN(10) == 0 {
		delete(e.Detail, "_AppId")
		e.Refused = "_AppId"
	}
	return e
}

// Files are what happens to files. Each trigger is for one operation with one result.
var Files = Bus{"file", fileTrigger, fileEvent}

func fileTrigger(random *rand.Rand) (trigger.Trigger, Holds) {
	c := &trigger.FileCondition{
		Operation: Draw(random, trigger.FileUpload, trigger.FileDelete, trigger.FileImageCheck), Result: "success",
	}
	if c.Operation != trigger.FileDelete && random.IntN(3) == 0 {
		c.Result = "fail"
	}
	return trigger.Trigger{Type: trigger.TypeFileOperation, Condition: c}, func(_, after map[string]any) bool {
		return after["operation"] == string(c.Operation) && after["result"] == c.Result
	}
}

func fileEvent(random *rand.Rand, id, from string) Event {
	operation, result := Draw(random, "upload", "delete", "image_check"), Draw(random, "success", "success", "fail")
	e := Event{Data: map[string]any{"id": id, "name": from, "size": 12}, Detail: map[string]any{
		"operation": operation, "result": result,
		"file": map[string]any{"id": id, "name": from, "size": 12, "mime_type": "image/png"},
	}}
	e.After = e.Detail
	switch {
	case result == "success":
	case operation == "delete":
		e.Refused = "delete"
	case operation == "upload":
		e.Data["size"] = nil // of an upload that failed nobody knows the size
	}
	return e
}
