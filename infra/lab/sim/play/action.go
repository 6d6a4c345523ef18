package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/trigger"
)

// modelAction is an action as the model knows it.
type modelAction struct {
	id       trigger.ActionID
	kind     trigger.ActionType
	mode     trigger.Mode
	interval time.Duration
	flow     trigger.Flow
	// key is what tells the events apart for the flow controls: "id" is a row's; "" = they are all of one key.
	key string
	// does is what a table operation does; "missing" is a function that there is not. Of a template message, to whom.
	variant string
	paced   bool
	mark    string // stands in what it makes
	event   string // the name of the event's own name in its payload, "" = it has none
}

// messages reports whether an action sends what is sent once at most.
func (a modelAction) messages() bool {
	return slices.Contains([]trigger.ActionType{trigger.Email, trigger.SMS, trigger.TemplateMessage}, a.kind)
}

// eventNames are how templates name the event, by the type of the trigger; the data has the same under that name.
var eventNames = map[trigger.Type]string{
	trigger.TypeTable: "write", trigger.TypeChatPay: "trade_no", trigger.TypeChatMessage: "MsgId",
}

// Tables of what actions write.
const (
	madeID     table.ID = 6 // a row for each creation
	countersID table.ID = 7 // rows that updates count in
	madeName            = "made"
	counters            = "counters"
	// manyRows is how many rows a counter has that is counted in steps: more than one transaction takes.
	manyRows = 50
)

// kinds of actions, as often as they are planted.
var kinds = []trigger.ActionType{
	trigger.CloudFunction, trigger.Email, trigger.SMS, trigger.TemplateMessage, trigger.Webhook,
	trigger.TableOperation, trigger.TableOperation,
}

// newAction makes up an action of a trigger.
func (t *tenant) newAction(
	random sim.Random, planted *trigger.Trigger, number trigger.ActionID,
) (trigger.Action, modelAction) {
	f := modes[random.IntN(len(modes))]
	a := trigger.Action{ID: number, Type: kinds[random.IntN(len(kinds))], Frequency: f}
	for !trigger.Allowed(planted.Type, a.Type) || t.only != "" && a.Type != t.only &&
		trigger.Allowed(planted.Type, t.only) {
		a.Type = kinds[random.IntN(len(kinds))]
	}
	w := modelAction{
		id: number, kind: a.Type, mode: f.Mode, interval: time.Duration(f.IntervalSeconds) * time.Second,
		mark: fmt.Sprintf("%s action %d/%d ", t.mark, planted.ID, number), event: eventNames[planted.Type],
	}
	mark, name := w.mark, "" // the event's
	if w.event != "" {
		name = "{{ " + w.event + " }}"
	}

	switch a.Type {
	case trigger.CloudFunction:
		function := "f"
		if random.IntN(10) == 0 {
			function, w.variant = "gone", "missing"
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
		w.variant = "stays"
		if f.Mode == trigger.Repeatable && random.IntN(4) == 0 {
			w.variant = "quits"
		}
		a.Settings = &trigger.WebhookSettings{
			URL: fmt.Sprintf("https://%d.example.com/%s/%d/%d/%s", t.scope.App, t.scope.Env, planted.ID, number, w.variant),
		}
		if random.IntN(3) == 0 {
			a.Settings.(*trigger.WebhookSettings).RatePerSecond = 1
			t.limited[a.Settings.(*trigger.WebhookSettings).URL] = true
		}
		t.seal(planted, number)
	case trigger.TableOperation:
		a.Settings = t.operation(random, &w, mark, name, fmt.Sprintf("%d/%d", planted.ID, number))
	}
	t.addFlow(random, planted.Type, &a, &w)
	return a, w
}

// phone is a number for each event where its type can tell it, else one for all.
func (t *tenant) phone(random sim.Random, kind trigger.Type) string {
	if kind == trigger.TypeChatMessage && random.IntN(2) == 0 {
		return "+86138001300{{ MsgId }}"
	}
	return fmt.Sprintf("+86138%08d", random.IntN(100))
}

// seal gives an action its key.
func (t *tenant) seal(planted *trigger.Trigger, number trigger.ActionID) {
	if planted.Secrets == nil {
		planted.Secrets = &trigger.Secrets{DataKey: []byte("key"), Keys: map[trigger.ActionID]trigger.Key{}}
	}
	planted.Secrets.Keys[number] = trigger.Key{Current: []byte("key of " + t.mark)}
}

// operation makes up a table operation.
func (t *tenant) operation(
	random sim.Random, w *modelAction, mark, name, counter string,
) *trigger.TableOperationSettings {
	w.variant = []string{"create", "count", "count many"}[random.IntN(3)]
	if t.planted && w.variant == "count many" {
		w.variant = "count"
	}
	if w.variant == "create" {
		return &trigger.TableOperationSettings{
			Table: madeName, Operation: trigger.Create,
			Assign: []trigger.Assignment{{Field: "name", Operator: trigger.Assign, Value: mark + name}},
		}
	}

	if w.variant == "count many" {
		t.manyRows = append(t.manyRows, counter)
	}
	return &trigger.TableOperationSettings{
		Table: counters, Operation: trigger.Update,
		Where:  map[string]any{"name": map[string]any{"$eq": counter}},
		Assign: []trigger.Assignment{{Field: "n", Operator: trigger.IncBy, Value: 1.0}},
	}
}

// addFlow gives an action flow controls, where its events can be told apart.
func (t *tenant) addFlow(random sim.Random, kind trigger.Type, a *trigger.Action, w *modelAction) {
	flows := kind == trigger.TypeTable || kind == trigger.TypeChatMessage
	if odds := random.IntN(2); !flows || odds == 0 && !t.flows || a.Frequency.Mode != trigger.Repeatable {
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

// plantActions stores what the actions of a tenant need.
func (g *Game) plantActions(t *tenant) error {
	i := g.world.Instance("owner", g.platform.owner)
	ctx, settings := context.Background(), messageSettings(i)
	sender, enabled := "shop@example.com", true
	if _, err := settings.PutMail(ctx, t.scope, messaging.MailPatch{Sender: &sender}); err != nil {
		return err
	}
	confirmed := allowance.Sender{Address: sender, Status: allowance.CodeSent, Code: "c"}
	store := i.Backend.Allowances()
	// It is of the application: another of its environments may have confirmed it.
	err := store.AskSender(ctx, t.scope.App, confirmed)
	if err == nil {
		err = store.ConfirmSender(ctx, t.scope.App, confirmed, "c")
	}
	if err != nil && !errs.Is(err, errs.KindConflict) {
		return err
	}
	_, err = settings.PutSMS(ctx, t.scope, messaging.SMSPatch{
		Enabled: &enabled, Signatures: &[]messaging.Signature{{Name: "shop", Status: messaging.Approved}},
		Templates: &[]messaging.Template{{Name: "news", Text: "{{ mark }}{{ name }}", Status: messaging.Approved}},
	})
	if err != nil {
		return err
	}

	code, err := cloudfunction.Pack("exports.main = () => 1")
	if err != nil {
		return err
	}
	err = i.Backend.Functions().Create(ctx, t.scope, cloudfunction.Function{
		ID: id.First(g.begun) + id.ID(t.scope.App), Name: "f", Code: code, Version: 1, Revision: 1,
		Audit: cloudfunction.AuditApproved,
	})
	if err != nil {
		return err
	}
	if err := g.plantPeople(t); err != nil {
		return err
	}
	return g.plantCounters(t)
}

// plantCounters stores the tables that actions write, and the rows they count in.
func (g *Game) plantCounters(t *tenant) error {
	i, ctx := g.world.Instance("owner", g.platform.owner), context.Background()
	if err := errors.Join(
		g.insertTable(t, madeID, madeName, "name"), g.insertTable(t, countersID, counters, "name"),
	); err != nil {
		return err
	}

	// They are older than any run, whose work does not begin with rows that are younger, also by a clock that is wrong.
	tables := g.platform.tables(i).(*manage.Service)
	tables.Clock, tables.IDs = func() time.Time { return time.Now().Add(-2 * skew) }, new(id.Source)
	in, err := tables.Schemas.Table(ctx, t.scope, countersID)
	if err != nil {
		return err
	}
	var drafts []map[string]any
	add := func(counter string, rows int) {
		for range rows {
			drafts = append(drafts, map[string]any{"name": counter, "n": 0.0})
		}
	}
	for number := range len(t.triggers) + comingTriggers {
		for action := range 2 {
			counter := fmt.Sprintf("%d/%d", 101+number, 1+action)
			if slices.Contains(t.manyRows, counter) {
				add(counter, manyRows)
			} else {
				add(counter, 1)
			}
		}
	}
	for some := range slices.Chunk(drafts, 100) {
		for _, o := range tables.Insert(ctx, t.scope, in, some, table.Author{}) {
			if o.Err != nil {
				return o.Err
			}
		}
	}
	t.planted = true
	return nil
}

// comingTriggers are how many triggers of a tenant come while the game is played, at most.
const comingTriggers = 6
