package model

import (
	"fmt"
	"slices"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

// Action is an action as the model knows it.
type Action struct {
	ID       trigger.ActionID
	Kind     trigger.ActionType
	Mode     trigger.Mode
	interval time.Duration
	flow     trigger.Flow
	// key is what tells the events apart for the flow controls: "id" is a row's; "" = they are all of one key.
	key string
	// does is what a table operation does; "missing" is a function that there is not. Of a template message, to whom.
	Variant string
	paced   bool
	mark    string // stands in what it makes
	event   string // the name of the event's own name in its payload, "" = it has none
}

// messages reports whether an action sends what is sent once at most.
func (a Action) messages() bool {
	return slices.Contains([]trigger.ActionType{trigger.Email, trigger.SMS, trigger.TemplateMessage}, a.Kind)
}

// eventNames are how templates name the event, by the type of the trigger; the data has the same under that name.
var eventNames = map[trigger.Type]string{
	trigger.TypeTable: "write", trigger.TypeChatPay: "trade_no", trigger.TypeChatMessage: "MsgId",
}

// Tables of what actions write.
const (
	MadeID     table.ID = 6 // a row for each creation
	CountersID table.ID = 7 // rows that updates count in
	MadeName            = "made"
	Counters            = "counters"
	// ManyRows is how many rows a counter has that is counted in steps: more than one transaction takes.
	ManyRows = 50
)

// Kinds of actions, as often as they are planted.
var Kinds = []trigger.ActionType{
	trigger.CloudFunction, trigger.Email, trigger.SMS, trigger.TemplateMessage, trigger.Webhook,
	trigger.TableOperation, trigger.TableOperation,
}

// newAction makes up an action of a trigger.
func (t *Tenant) newAction(
	random sim.Random, planted *trigger.Trigger, number trigger.ActionID,
) (trigger.Action, Action) {
	f := modes[random.IntN(len(modes))]
	a := trigger.Action{ID: number, Type: Kinds[random.IntN(len(Kinds))], Frequency: f}
	for !trigger.Allowed(planted.Type, a.Type) || t.Only != "" && a.Type != t.Only &&
		trigger.Allowed(planted.Type, t.Only) {
		a.Type = Kinds[random.IntN(len(Kinds))]
	}
	w := Action{
		ID: number, Kind: a.Type, Mode: f.Mode, interval: time.Duration(f.IntervalSeconds) * time.Second,
		mark: fmt.Sprintf("%s action %d/%d ", t.Mark, planted.ID, number), event: eventNames[planted.Type],
	}
	mark, name := w.mark, "" // the event's
	if w.event != "" {
		name = "{{ " + w.event + " }}"
	}

	switch a.Type {
	case trigger.CloudFunction:
		function := "f"
		if random.IntN(10) == 0 {
			function, w.Variant = "gone", "missing"
		}
		a.Settings = &trigger.CloudFunctionSettings{Function: function}
	case trigger.Email:
		a.Settings = &trigger.EmailSettings{
			To: []string{"ada@example.com"}, Subject: mark, Body: name, Format: trigger.FormatText,
		}
	case trigger.SMS:
		a.Settings = &trigger.SMSSettings{
			Signature: "shop", Template: "news", Keywords: map[string]string{"mark": mark, "name": name},
			Recipient: trigger.Recipient{Kind: trigger.PhoneNumber, Phone: t.phone(random, planted.Type)},
		}
	case trigger.TemplateMessage:
		a.Settings = t.templateMessage(random, &w, mark, name)
	case trigger.Webhook:
		w.Variant = "stays"
		if f.Mode == trigger.Repeatable && random.IntN(4) == 0 {
			w.Variant = "quits"
		}
		a.Settings = &trigger.WebhookSettings{
			URL: fmt.Sprintf("https://%d.example.com/%s/%d/%d/%s", t.Scope.App, t.Scope.Env, planted.ID, number, w.Variant),
		}
		if random.IntN(3) == 0 {
			a.Settings.(*trigger.WebhookSettings).RatePerSecond = 1
			t.Limited[a.Settings.(*trigger.WebhookSettings).URL] = true
		}
	case trigger.TableOperation:
		a.Settings = t.operation(random, &w, mark, name, fmt.Sprintf("%d/%d", planted.ID, number))
	}
	t.addFlow(random, planted.Type, &a, &w)
	return a, w
}

// phone is a number for each event where its type can tell it, else one for all.
func (t *Tenant) phone(random sim.Random, kind trigger.Type) string {
	if kind == trigger.TypeChatMessage && random.IntN(2) == 0 {
		return "+86138001300{{ MsgId }}"
	}
	return fmt.Sprintf("+86138%08d", random.IntN(100))
}

// operation makes up a table operation.
func (t *Tenant) operation(
	random sim.Random, w *Action, mark, name, counter string,
) *trigger.TableOperationSettings {
	w.Variant = []string{"create", "count", "count many"}[random.IntN(3)]
	if t.Planted && w.Variant == "count many" {
		w.Variant = "count"
	}
	if w.Variant == "create" {
		return &trigger.TableOperationSettings{
			Table: MadeName, Operation: trigger.Create,
			Assign: []trigger.Assignment{{Field: "name", Operator: trigger.Assign, Value: mark + name}},
		}
	}

	if w.Variant == "count many" {
		t.ManyRows = append(t.ManyRows, counter)
	}
	return &trigger.TableOperationSettings{
		Table: Counters, Operation: trigger.Update,
		Where:  map[string]any{"name": map[string]any{"$eq": counter}},
		Assign: []trigger.Assignment{{Field: "n", Operator: trigger.IncBy, Value: 1.0}},
	}
}

// addFlow gives an action flow controls, where its events can be told apart.
func (t *Tenant) addFlow(random sim.Random, kind trigger.Type, a *trigger.Action, w *Action) {
	flows := kind == trigger.TypeTable || kind == trigger.TypeChatMessage
	if odds := random.IntN(2); !flows || odds == 0 && !t.Flows || a.Frequency.Mode != trigger.Repeatable {
		return
	}
	f := &a.Flow
	f.Ordered = random.IntN(2) == 0
	if random.IntN(3) == 0 {
		f.DebounceSeconds = 1 + random.IntN(10)
	}
	if random.IntN(3) == 0 {
		f.Batch = &trigger.Batch{Size: 2 + random.IntN(3), Seconds: 1 + random.IntN(20)}
	}
	if random.IntN(3) == 0 {
		f.Throttle = &trigger.Throttle{Count: 1 + random.IntN(2), PeriodSeconds: 60 + random.IntN(60)}
	}
	switch {
	case random.IntN(4) == 0: // one key for all
	case kind == trigger.TypeTable:
		w.key = "id"
	default:
		w.key = "Content"
	}
	if w.key != "" {
		f.Key = "{{ " + w.key + " }}"
	}
	w.flow = *f
}
