package sms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

var shop = tenant.Scope{App: 1001}

// platform has users 1 to n, of whom each fifth has no phone, and a fake sender that appends to a list.
type platform struct {
	*testing.T
	doer    *sms.Doer
	setting messaging.SMS
	users   int
	phones  map[user.ID]string // numbers that differ from numberOf
	now     time.Time
	step    time.Duration // duration of a message
	sent    []string      // numbers
	texts   []string
	fail    map[string][]error // by number: errors of the next calls
}

func newPlatform(t *testing.T, users int) *platform {
	p := &platform{
		T: t, users: users, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), fail: map[string][]error{},
		phones: map[user.ID]string{}, setting: messaging.SMS{
			Enabled: true,
			Signatures: []messaging.Signature{
				{Name: "Tea", Status: messaging.Approved}, {Name: "New", Status: messaging.Pending},
			},
			Templates: []messaging.Template{
				{Name: "paid", Text: "{{ name }} paid {{ sum }}\x00", Status: messaging.Approved},
				{Name: "bad", Text: "x", Status: messaging.Rejected},
				{Name: "long", Text: strings.Repeat("{{ name }}", 40), Status: messaging.Approved},
			},
		},
	}
	now := clock.Clock(func() time.Time { return p.now })
	p.doer = &sms.Doer{
		Settings: p, Users: p, Accounts: p, Sender: p, Phones: phone.Key, Clock: now,
		Claims: &triggerdb.Claims{Client: dynamotest.Start(t, "TriggerLogTable"), Table: "TriggerLogTable", Clock: now},
	}
	return p
}

func (*platform) ForgetSMS(tenant.Scope) {}

func (p *platform) SMS(_ context.Context, scope tenant.Scope) (messaging.SMS, error) {
	if scope != shop {
		return messaging.SMS{}, nil
	}
	return p.setting, nil
}

func (p *platform) Profile(_ context.Context, _ tenant.Scope, id user.ID, _ string) (user.Profile, error) {
	return user.Profile{"id": int64(id), "nickname": "Ada"}, nil
}

func (p *platform) Profiles(_ context.Context, _ tenant.Scope, q user.Query) (list user.List, err error) {
	from, _ := strconv.Atoi(string(q.Page.After))
	for i := from + 1; i <= min(p.users, from+q.Page.Limit); i++ {
		list.Objects = append(list.Objects, user.Profile{"id": int64(i)})
	}
	if from+q.Page.Limit < p.users {
		list.Next = page.Cursor(strconv.Itoa(from + q.Page.Limit))
	}
	return list, nil
}

func (p *platform) Group(_ context.Context, _ tenant.Scope, id user.GroupID) (user.Group, error) {
	return user.Group{ID: id}, nil
}

func numberOf(id user.ID) string { return fmt.Sprintf("+86138001%05d", id) }

func (p *platform) Account(_ context.Context, _ tenant.Scope, id user.ID) (user.Account, error) {
	number, other := p.phones[id]
	switch {
	case other:
		return user.Account{UserID: id, Phone: number}, nil
	case id%5 == 0:
		return user.Account{UserID: id}, nil
	}
	return user.Account{UserID: id, Phone: strings.TrimPrefix(numberOf(id), "+86")}, nil
}

func (p *platform) Send(_ context.Context, m sms.Message) error {
	number, text := m.Number, m.Text
	p.now = p.now.Add(p.step)
	if list := p.fail[number]; len(list) > 0 {
		p.fail[number] = list[1:]
		return list[0]
	}
	p.sent, p.texts = append(p.sent, number), append(p.texts, text)
	return nil
}

func work(to trigger.Recipient) action.Work {
	s := &trigger.SMSSettings{
		Recipient: to, Signature: "Tea", Template: "paid",
		Keywords: map[string]string{"name": "{{ created_by.nickname }}", "sum": "{{ total_cost }} yuan"},
	}
	return action.Work{
		Run: run.Run{ID: "r", Scope: shop, ActionType: trigger.SMS, Event: trigger.Event{
			Scope: shop, Type: trigger.TypeChatPay,
			Payload: map[string]any{"created_by": 3.0, "total_cost": 1.5, "trade_no": "13800138000"},
		}},
		Trigger: trigger.Trigger{ID: 7, Type: trigger.TypeChatPay, Timezone: "Asia/Shanghai"}, Attempt: 1,
		Action: trigger.Action{ID: 1, Type: trigger.SMS, Settings: s},
	}
}

// play makes attempts until the run is over, as the executor does.
func (p *platform) play(w action.Work) (r action.Result, attempts int, err error) {
	p.Helper()
	for attempts = 1; attempts < 100; attempts++ {
		if r, err = p.doer.Do(p.Context(), w); r.State != nil {
			w.State = r.State
		}
		if !r.Unfinished {
			return r, attempts, err
		}
		p.now = p.now.Add(r.After)
	}
	p.Fatal("it does not end")
	return
}

func counted(r action.Result) (c struct {
	Sent, Limited, Refused, Unknown int
	WithoutPhone                    int `json:"without_phone"`
}) {
	_ = json.Unmarshal([]byte(r.Response), &c) // a missing response counts as zeros
	return c
}

var (
	everybody = trigger.Recipient{Kind: trigger.SomeUsers}
	payer     = trigger.Recipient{Kind: trigger.TriggeringUser}
	toPhone   = trigger.Recipient{Kind: trigger.PhoneNumber, Phone: "{{ trade_no }}"}
)

// TestSendsToRecipients checks the signature, the rendered template and numbers in E.164.
func TestSendsToRecipients(t *testing.T) {
	for _, c := range []struct {
		to   trigger.Recipient
		want []string
	}{
		{toPhone, []string{"+8613800138000"}},
		{payer, []string{numberOf(3)}},
		{everybody, []string{numberOf(1), numberOf(2), numberOf(3), numberOf(4), numberOf(6)}},
		{
			trigger.Recipient{Kind: trigger.UserGroup, Group: 4},
			[]string{numberOf(1), numberOf(2), numberOf(3), numberOf(4), numberOf(6)},
		},
	} {
		p := newPlatform(t, 6)
		r, _, err := p.play(work(c.to))
		if err != nil || !slices.Equal(p.sent, c.want) || counted(r).Sent != len(c.want) {
			t.Errorf("%+v: %v, %v, %s", c.to, p.sent, err, r.Response)
		}

		for _, text := range p.texts {
			if text != "【Tea】Ada paid 1.5 yuan " {
				t.Errorf("%q", text)
			}
		}
	}
}

// TestNamesMissingSettings checks permanent failures for missing settings.
func TestNamesMissingSettings(t *testing.T) {
	for want, change := range map[string]func(*platform, *trigger.SMSSettings){
		"not_configured: SMS is not enabled":                 func(p *platform, _ *trigger.SMSSettings) { p.setting.Enabled = false },
		`not_found: the sms-setting has no signature "gone"`: func(_ *platform, s *trigger.SMSSettings) { s.Signature = "gone" },
		`not_found: the sms-setting has no template "gone"`:  func(_ *platform, s *trigger.SMSSettings) { s.Template = "gone" },
		`not_configured: the signature "New" is pending`:     func(_ *platform, s *trigger.SMSSettings) { s.Signature = "New" },
		`not_configured: the template "bad" is rejected`:     func(_ *platform, s *trigger.SMSSettings) { s.Template = "bad" },
		"the message has 2005 characters": func(_ *platform, s *trigger.SMSSettings) {
			s.Template, s.Keywords["name"] = "long", strings.Repeat("x", 50)
		},
		"recipient.phone: phone must be a phone number": func(_ *platform, s *trigger.SMSSettings) { s.Recipient.Phone = "12" },
	} {
		p, w := newPlatform(t, 1), work(toPhone)
		change(p, w.Action.Settings.(*trigger.SMSSettings))
		_, err := p.doer.Do(t.Context(), w)
		failure, _ := errors.AsType[*action.Failure](err)
		if err == nil || !strings.Contains(err.Error(), want) || len(p.sent) > 0 ||
			!(failure != nil && failure.Permanent || errs.Is(err, errs.KindInvalid)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestMessagesEachUserOnce kills workers at any message. Users without a phone are skipped and counted. A message with
// an unknown result is not sent again.
func TestMessagesEachUserOnce(t *testing.T) {
	p := newPlatform(t, 60)
	p.step = time.Second // the run takes several attempts
	p.phones[60] = numberOf(1)
	r, attempts, err := p.play(work(everybody))
	c := counted(r)
	if err != nil || c.Sent != 49 || c.WithoutPhone != 11 || len(p.sent) != 48 || attempts < 3 {
		t.Errorf("%s, %v, %d sent in %d attempts", r.Response, err, len(p.sent), attempts)
	}

	p = newPlatform(t, 60)
	died := 0
	for _, i := range []user.ID{1, 12, 33, 58} {
		p.fail[numberOf(i)] = []error{errDied}
	}
	w := work(everybody)
	for {
		r, err = p.crash(w)
		if err != errDied {
			break
		}
		died++
	}

	failure, _ := errors.AsType[*action.Failure](err)
	c = counted(r)
	slices.Sort(p.sent)
	if died != 4 || failure == nil || failure.Type != action.Interrupted || c.Sent != 44 || c.Unknown != 4 ||
		len(slices.Compact(p.sent)) != 44 {
		t.Errorf("%d died, %v, %s, %d sent", died, err, r.Response, len(p.sent))
	}

	// A replay sends the four messages with an unknown result.
	p.now = p.now.Add(time.Hour)
	w.State, w.Run.Attempts = r.State, []run.Attempt{{At: 1, Error: failure.Error()}}
	r, _, err = p.play(w)
	if c = counted(r); err != nil || c.Sent != 48 || c.Unknown != 0 || len(p.sent) != 48 {
		t.Errorf("the replay: %v, %s, %d sent", err, r.Response, len(p.sent))
	}
}

var errDied = errors.New("died")

// crash makes one attempt, whose worker dies at a message that fails with errDied.
func (p *platform) crash(w action.Work) (r action.Result, err error) {
	defer func() {
		if recover() != nil {
			r, err = action.Result{}, errDied
		}
	}()
	doer := *p.doer
	doer.Sender = dying{p}
	return doer.Do(p.Context(), w)
}

type dying struct{ *platform }

func (d dying) Send(ctx context.Context, m sms.Message) error {
	err := d.platform.Send(ctx, m)
	if err == errDied {
		panic(err)
	}
	return err
}

// failed returns the type of a permanent failure, "" for none.
func failed(err error) string {
	failure, _ := errors.AsType[*action.Failure](err)
	if failure == nil || !failure.Permanent {
		return ""
	}
	return failure.Type
}

// TestRefusedNumberDoesNotStopOthers checks that a refused number is counted. A throttling service is retried.
func TestRefusedNumberDoesNotStopOthers(t *testing.T) {
	p := newPlatform(t, 9)
	p.fail[numberOf(2)] = []error{errs.Invalid("OptedOut: no")}
	w := work(everybody)
	r, _, err := p.play(w)
	if failed(err) != "invalid" || counted(r).Sent != 7 || counted(r).Refused != 1 ||
		!strings.Contains(err.Error(), "7 messages were sent, 1 were refused: OptedOut") {
		t.Errorf("%v, %s", err, r.Response)
	}
	// A replay sends only to the number that was refused.
	p.now, w.State = p.now.Add(time.Hour), r.State
	if r, _, err = p.play(w); err != nil || counted(r).Sent != 8 || len(p.sent) != 8 || p.sent[7] != numberOf(2) {
		t.Errorf("replayed: %v, %s, %v", err, r.Response, p.sent)
	}

	p = newPlatform(t, 9)
	p.fail[numberOf(2)] = []error{errs.Invalid("OptedOut: no")}
	p.fail[numberOf(4)] = []error{errs.TooMany(0, "slow down")}
	r, attempts, err := p.play(work(everybody))
	c := counted(r)
	// The page of the throttled number is repeated a minute later, and the number gets its message.
	if err != nil || c.Sent != 8 || c.Refused != 0 || len(p.sent) != 8 || attempts < 2 {
		t.Errorf("%v, %s, %v in %d attempts", err, r.Response, p.sent, attempts)
	}

	p = newPlatform(t, 1)
	p.fail[numberOf(1)] = []error{errs.TooMany(0, "slow down")}
	if _, err := p.doer.Do(t.Context(), work(everybody)); errs.KindOf(err) != errs.KindTooMany {
		t.Errorf("nothing was sent: %v", err)
	}
	p.fail["+8613800138000"] = []error{errs.Invalid("OptedOut: no")}
	if _, err := p.doer.Do(t.Context(), work(toPhone)); errs.KindOf(err) != errs.KindInvalid {
		t.Errorf("the only number was refused: %v", err)
	}
}

// TestLimitsMessagesPerNumber checks the limits of one message a minute and ten a day: messages wait for their minute,
// and those over the daily limit are counted.
func TestLimitsMessagesPerNumber(t *testing.T) {
	p := newPlatform(t, 3)
	begin := p.now
	for i := range 10 {
		w := work(toPhone)
		w.Run.ID = fmt.Sprint("run", i)
		if r, _, err := p.play(w); err != nil || counted(r).Sent != 1 || p.now.Sub(begin) < time.Duration(i)*time.Minute {
			t.Errorf("message %d after %v: %v, %s", i, p.now.Sub(begin), err, r.Response)
		}
	}
	p.now = p.now.Add(time.Minute)
	last := work(toPhone)
	_, err := p.doer.Do(t.Context(), last)
	if failure, _ := errors.AsType[*action.Failure](err); failure == nil || !failure.Permanent ||
		failure.Type != "limit" {
		t.Errorf("the eleventh: %v", err)
	}

	p.phones[2] = "13800138000"
	r, _, err := p.play(work(everybody))
	if c := counted(r); failed(err) != "limit" || c.Sent != 2 || c.Limited != 1 {
		t.Errorf("among others: %v, %s", err, r.Response)
	}
	p.now = begin.Add(24 * time.Hour)
	if r, _, err := p.play(last); err != nil || counted(r).Sent != 1 {
		t.Errorf("a day later: %v, %s", err, r.Response)
	}
	other := work(toPhone)
	other.Run.Scope = tenant.Scope{App: 2}
	if _, err := p.doer.Do(t.Context(), other); err == nil {
		t.Error("another application has no setting")
	}
}
