package action_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/finder"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// outbox is a fake sender of emails and SMS that appends to a list, for any application, to users with the ids 1 and 2.
type outbox struct {
	sent []string
	fail map[string][]error // by address or number: errors of the next calls
}

func (o *outbox) put(to string) error {
	if list := o.fail[to]; len(list) > 0 {
		o.fail[to] = list[1:]
		return list[0]
	}
	o.sent = append(o.sent, to)
	return nil
}

// mailer and texter are the two senders of an outbox.
type (
	mailer struct{ *outbox }
	texter struct{ *outbox }
)

func (o mailer) Send(_ context.Context, m email.Mail) (email.Receipt, error) {
	return email.Receipt{ID: "m"}, o.put(m.To[0])
}
func (o texter) Send(_ context.Context, m sms.Message) error { return o.put(m.Number) }

func (o *outbox) Mail(context.Context, tenant.Scope) (messaging.Mail, error) {
	return messaging.Mail{Sender: "shop@example.com"}, nil
}

func (*outbox) ForgetSMS(tenant.Scope) {}

func (o *outbox) SMS(context.Context, tenant.Scope) (messaging.SMS, error) {
	return messaging.SMS{
		Enabled: true, Signatures: []messaging.Signature{{Name: "Tea", Status: messaging.Approved}},
		Templates: []messaging.Template{{Name: "hi", Text: "hi", Status: messaging.Approved}},
	}, nil
}

func (o *outbox) Profile(context.Context, tenant.Scope, user.ID, string) (user.Profile, error) {
	return nil, errs.NotFound("nobody")
}

func (o *outbox) Profiles(context.Context, tenant.Scope, user.Query) (list user.List, err error) {
	list.Objects = []user.Profile{{"id": int64(1)}, {"id": int64(2)}}
	return list, nil
}

func (o *outbox) Group(_ context.Context, _ tenant.Scope, id user.GroupID) (user.Group, error) {
	return user.Group{ID: id}, nil
}

func (o *outbox) Account(_ context.Context, _ tenant.Scope, id user.ID) (user.Account, error) {
	return user.Account{Phone: fmt.Sprintf("1380013800%d", id)}, nil
}

// failing calls its doer, or not, and then fails.
type failing struct {
	action.Doer
	never bool
}

func (f failing) Do(ctx context.Context, w action.Work) (action.Result, error) {
	if !f.never {
		if r, err := f.Doer.Do(ctx, w); err != nil {
			return r, err
		}
	}
	return action.Result{}, action.Permanent("lost", "the workers died, every time")
}

// replays is an executor with real doers, and their fakes and stores.
type replays struct {
	*kit
	*action.ReplayEffects
	outbox *outbox
	jobs   *jobKit
	goods  *platform
	table  table.Table
}

func newReplays(t *testing.T) *replays {
	p := &replays{kit: newKit(t), outbox: &outbox{fail: map[string][]error{}}, jobs: newJobKit(t), goods: newPlatform(t)}
	p.table = p.goods.newTable(here, "goods", value.Column{Name: "name", Type: value.String})
	now := p.executor.Clock
	claims := &triggerdb.Claims{Client: p.kit.client.Client, Table: "TriggerLogTable", Clock: now}
	p.ReplayEffects = &action.ReplayEffects{Marks: p.goods.doer.Marks, Jobs: p.jobs.store, Messages: claims}
	p.executor.Doers = map[trigger.ActionType]action.Doer{
		trigger.Webhook: p.doer, trigger.CloudFunction: p.jobs, trigger.TableOperation: p.goods.doer,
		trigger.Email: &email.Doer{Settings: p.outbox, Sender: mailer{p.outbox}, Profiles: p.outbox},
		trigger.SMS: &sms.Doer{
			Settings: p.outbox, Users: p.outbox, Accounts: p.outbox, Sender: texter{p.outbox}, Claims: claims,
			Phones: phone.Key, Clock: now,
		},
	}
	all := trigger.Recipient{Kind: trigger.SomeUsers}
	text := func(to trigger.Recipient) *trigger.SMSSettings {
		return &trigger.SMSSettings{Recipient: to, Signature: "Tea", Template: "hi"}
	}
	create := creation(set("name", "made"))
	create.Table = "goods"
	p.change(func(t *trigger.Trigger) {
		t.Tables = map[string]table.ID{"goods": p.table.ID}
		t.Actions = []trigger.Action{
			{ID: 4, Type: trigger.Webhook, Settings: &trigger.WebhookSettings{URL: "https://example.com/"}},
			{ID: 5, Type: trigger.CloudFunction, Settings: &trigger.CloudFunctionSettings{Function: "f"}},
			{ID: 6, Type: trigger.Email, Settings: &trigger.EmailSettings{
				To: []string{"a@example.com"}, Subject: "s", Body: "b", Format: trigger.FormatText,
			}},
			{ID: 7, Type: trigger.TableOperation, Settings: create},
			{ID: 8, Type: trigger.SMS, Settings: text(all)},
			{ID: 9, Type: trigger.SMS, Settings: text(trigger.Recipient{Kind: trigger.PhoneNumber, Phone: "13800138009"})},
		}
	})
	return p
}

// effects returns all effects so far, each as text.
func (p *replays) effects() (all []string) {
	p.Helper()
	all = slices.Clone(p.outbox.sent)
	for range p.doer.works {
		all = append(all, "webhook")
	}
	for _, j := range p.jobs.pending(p.T, here) {
		all = append(all, fmt.Sprint("job ", j.ID))
	}
	q := table.Query{Page: page.Request{Limit: page.MaxLimit}}
	q.Order, _ = finder.OldestFirst(p.table, "")
	rows, err := p.goods.tables.Find(p.Context(), here, p.table, q)
	if err != nil {
		p.Fatal(err)
	}
	for _, row := range rows.Objects {
		all = append(all, "row "+string(row.ID))
	}
	return all
}

// TestReplayEffectsMatchReplay compares predicted and real effects of a replay, for each doer and previous result.
func TestReplayEffectsMatchReplay(t *testing.T) {
	const one, two, nine = "+8613800138001", "+8613800138002", "+8613800138009"
	unknown, refused := errors.New("the connection broke"), errs.Invalid("no")
	disabled := func(t *trigger.Trigger) { t.Enabled = false }
	removed := func(t *trigger.Trigger) { t.Actions = t.Actions[:1] }

	for name, c := range map[string]struct {
		action trigger.ActionID
		fail   map[string][]error
		late   bool // the run fails after its effect
		never  bool // the run fails without an effect
		change func(*trigger.Trigger)
		word   string
		why    string
		more   int // number of effects of the replay
	}{
		"webhook, delivered":          {action: 4, word: "webhook", why: "delivered again", more: 1},
		"webhook, failed":             {action: 4, never: true, word: "webhook", more: 1},
		"webhook, disabled":           {action: 4, change: disabled, word: "disabled", why: "the trigger is disabled"},
		"function, done":              {action: 5, word: action.AlreadyDone},
		"function, started and lost":  {action: 5, late: true, word: action.AlreadyDone, why: "job "},
		"function, not started":       {action: 5, never: true, word: "cloud_function", more: 1},
		"function, done and disabled": {action: 5, change: disabled, word: action.AlreadyDone},
		"mail, done":                  {action: 6, word: action.AlreadyDone},
		"mail, refused": {
			action: 6, fail: map[string][]error{"a@example.com": {refused}}, word: "email", more: 1,
		},
		"mail, action removed": {action: 6, never: true, change: removed, word: "disabled", why: "was removed"},
		"row, done":            {action: 7, word: action.AlreadyDone},
		"row, made and lost":   {action: 7, late: true, word: action.AlreadyDone, why: "1 rows"},
		"row, not made":        {action: 7, never: true, word: "table_operation", more: 1},
		"SMS to many, done":    {action: 8, word: action.AlreadyDone},
		"SMS to many, one was refused": {
			action: 8, fail: map[string][]error{two: {refused}}, word: "sms", why: "1 messages were sent", more: 1,
		},
		"SMS to many, one is unknown": {
			action: 8, fail: map[string][]error{one: {unknown}}, word: "sms", more: 1,
			why: "1 messages were sent, and are not sent again; of 1 it is unknown whether they were sent: perhaps for the second",
		},
		"SMS to many, all and lost": {
			action: 8, late: true, word: "sms", why: "2 messages were sent, and are not sent again",
		},
		"SMS to one, done":    {action: 9, word: action.AlreadyDone},
		"SMS to one, refused": {action: 9, fail: map[string][]error{nine: {refused}}, word: "sms", more: 1},
		"SMS to one, unknown": {
			action: 9, fail: map[string][]error{nine: {unknown}}, word: "sms", why: "second time", more: 1,
		},
		"mail, unknown": {
			action: 6, fail: map[string][]error{"a@example.com": {unknown}}, word: "email", why: "second time", more: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newReplays(t)
			if c.fail != nil {
				p.outbox.fail = c.fail
			}
			m := p.fire("one", c.action)
			real, kind := p.executor.Doers, p.run(m).ActionType
			if c.late || c.never {
				p.executor.Doers = map[trigger.ActionType]action.Doer{kind: failing{real[kind], c.never}}
			}
			p.handle(m)
			p.executor.Doers, p.now = real, p.now.Add(2*time.Hour)
			if c.change != nil {
				p.change(c.change)
			}

			before := p.effects()
			now, err := p.triggers.Trigger(t.Context(), here, 3)
			if err != nil {
				t.Fatal(err)
			}
			listed, err := p.runs.List(t.Context(), here, 3, run.Filter{Action: c.action}, 1)
			if err != nil || len(listed) != 1 || !listed[0].Status.Ended() {
				t.Fatalf("%+v, %v", listed, err)
			}
			said, err := p.Of(t.Context(), now, listed[0])
			if err != nil || said.Effect != c.word || !strings.Contains(said.Why, c.why) {
				t.Errorf("said %+v, %v, want %s: %s", said, err, c.word, c.why)
			}
			if unchanged := p.effects(); !slices.Equal(unchanged, before) {
				t.Errorf("foreseeing has made %v of %v", unchanged, before)
			}

			if err := p.runs.Replay(t.Context(), here, listed[0].Ref(), p.now, id.ID(1)); err != nil {
				t.Fatal(err)
			}
			p.handle(m)
			if after := p.effects(); len(after) != len(before)+c.more {
				t.Errorf("replaying has made %v of %v: %+v", after, before, p.run(m))
			}
			if want := c.word == "disabled"; (p.run(m).Status == run.Skipped) != want {
				t.Errorf("%+v", p.run(m))
			}
		})
	}
}
