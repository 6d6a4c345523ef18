package message_test

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
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/page"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

var (
	shop = tenant.Scope{App: 1001, Env: tenant.Production}
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// plain is a fake sealer that does not encrypt.
type plain struct{}

func (plain) NewKey(context.Context, string) (clear, key []byte, err error) { return nil, nil, nil }
func (plain) OpenKey(context.Context, string, []byte) ([]byte, error)       { return nil, nil }
func (plain) Encrypt(_ []byte, _, text string) ([]byte, error)              { return []byte(text), nil }
func (plain) Decrypt(_ []byte, _ string, sealed []byte) (string, error)     { return string(sealed), nil }

// platform has users 1 to n, of whom each seventh is unknown at the vendor, and a fake vendor that records messages.
type platform struct {
	*testing.T
	doer     *message.Doer
	forms    *userdb.FormIDs
	settings map[messaging.Vendor]messaging.VendorSetting
	users    int
	now      time.Time
	step     time.Duration // duration of a message
	sent     []templatemessage.Message
	times    []time.Time
	fail     map[string][]error // by form id: errors of the next calls
	dieAt    int                // the call at which the program dies, 0 = none
	calls    int
}

func newPlatform(t *testing.T, users int) *platform {
	client := dynamotest.Start(t, "TriggerLogTable", "UsersTable")
	p := &platform{
		T: t, users: users, now: noon, fail: map[string][]error{}, forms: &userdb.FormIDs{Client: client, Table: "UsersTable"},
		settings: map[messaging.Vendor]messaging.VendorSetting{},
	}
	for _, v := range messaging.Vendors {
		p.settings[v] = messaging.VendorSetting{
			AppID: "app", Secrets: map[string]sealed.Text{v.SecretName(): {Box: []byte("secret")}},
		}
	}
	now := clock.Clock(func() time.Time { return p.now })
	sealer := plain{}
	p.doer = &message.Doer{
		Users: p, Clock: now, FormIDs: &consent.FormIDs{Store: mortalForms{p.forms, p}, Users: p, Clock: now},
		Accounts: &templatemessage.Accounts{
			Settings: p, Sealer: sealer, Tokens: &templatemessage.Tokens{Sealer: sealer, Clock: now},
			Gateways: map[messaging.Vendor]templatemessage.Gateway{
				messaging.Chat: p, messaging.Alt: p, messaging.Tpay: p,
			},
		},
		Tickets: mortalTickets{&userdb.Tickets{Client: client, Table: "UsersTable"}, p},
		Claims:  mortalClaims{&triggerdb.Claims{Client: client, Table: "TriggerLogTable", Clock: now}, p},
	}
	return p
}

// Vendor returns the setting of a vendor.
func (p *platform) Vendor(
	_ context.Context, scope tenant.Scope, v messaging.Vendor,
) (messaging.VendorSetting, error) {
	setting, ok := p.settings[v]
	if scope != shop || !ok {
		return setting, errs.NotFound("there is no message setting for %s", v)
	}
	return setting, nil
}

func (p *platform) profile(i int) user.Profile {
	person := fmt.Sprintf("person%d", i)
	if i%7 == 0 {
		person = ""
	}
	return user.Profile{"id": int64(i), "nickname": "Ada", "openid": person}
}

func (p *platform) Profile(_ context.Context, _ tenant.Scope, u user.ID, _ string) (user.Profile, error) {
	return p.profile(int(u)), nil
}

func (p *platform) Profiles(_ context.Context, _ tenant.Scope, q user.Query) (list user.List, err error) {
	from, _ := strconv.Atoi(string(q.Page.After))
	for i := from + 1; i <= min(p.users, from+q.Page.Limit); i++ {
		list.Objects = append(list.Objects, p.profile(i))
	}
	if from+q.Page.Limit < p.users {
		list.Next = page.Cursor(strconv.Itoa(from + q.Page.Limit))
	}
	return list, nil
}

func (p *platform) Group(_ context.Context, _ tenant.Scope, g user.GroupID) (user.Group, error) {
	return user.Group{ID: g}, nil
}

// Send implements templatemessage.Gateway.
func (p *platform) Send(
	_ context.Context, _ templatemessage.Identity, _ string, m templatemessage.Message,
) error {
	p.die("before the message is sent")
	p.now = p.now.Add(p.step)
	if list := p.fail[m.FormID]; len(list) > 0 {
		p.fail[m.FormID] = list[1:]
		return list[0]
	}
	p.sent, p.times = append(p.sent, m), append(p.times, p.now)
	p.die("after the message was sent")
	return nil
}

// collect adds form ids for users; each form id contains its user's id.
func (p *platform) collect(v messaging.Vendor, kind consent.Kind, users ...int) {
	p.Helper()
	for _, u := range users {
		formID := fmt.Sprintf("%s-of-%d", kind, u)
		if _, err := p.doer.FormIDs.Add(p.Context(), shop, user.ID(u), v, kind, formID); err != nil {
			p.Fatal(err)
		}
	}
}

func (p *platform) everybody() (all []int) {
	for i := range p.users {
		all = append(all, i+1)
	}
	return all
}

func to(kind trigger.RecipientKind) *trigger.TemplateMessageSettings {
	return &trigger.TemplateMessageSettings{
		Vendor: "chat", Recipient: trigger.Recipient{Kind: kind}, TemplateID: "t1", FormIDSource: "all",
		Keywords: map[string]string{"keyword1": "{{ created_by.nickname }} paid {{ total_cost }}"},
		Page:     "pages/order?no={{ trade_no }}",
	}
}

func work(s *trigger.TemplateMessageSettings) action.Work {
	return action.Work{
		Run: run.Run{ID: "r", Scope: shop, ActionType: trigger.TemplateMessage, Event: trigger.Event{
			Scope: shop, Type: trigger.TypeChatPay,
			Payload: map[string]any{"created_by": 3.0, "total_cost": 1.5, "trade_no": "T1"},
		}},
		Trigger: trigger.Trigger{ID: 7, Type: trigger.TypeChatPay, Timezone: "Asia/Shanghai"}, Attempt: 1,
		Action: trigger.Action{ID: 1, Type: trigger.TemplateMessage, Settings: s},
	}
}

// play makes attempts until the run is over, as the executor does. A program that dies loses the state of its attempt,
// and the next attempt has a higher number.
func (p *platform) play(w action.Work) (r action.Result, attempts int, err error) {
	p.Helper()
	for attempts = 1; attempts < 200; attempts++ {
		died := false
		func() {
			defer func() {
				if cause := recover(); cause != nil {
					if _, mine := cause.(death); !mine {
						panic(cause)
					}
					died = true
				}
			}()
			r, err = p.doer.Do(p.Context(), w)
		}()
		if died {
			w.Attempt++
			p.now = p.now.Add(time.Minute)
			continue
		}
		if r.State != nil {
			w.State = r.State
		}
		if !r.Unfinished {
			return r, attempts, err
		}
		p.now = p.now.Add(r.After)
	}
	p.Fatal("the run does not end")
	return r, attempts, err
}

func (p *platform) want(r action.Result, err error, want string) {
	p.Helper()
	if r.Response != want || err != nil {
		p.Errorf("%s, %v, want %s", r.Response, err, want)
	}
}

// TestMessagesTriggeringUser sends once, with the form id that expires first.
func TestMessagesTriggeringUser(t *testing.T) {
	p := newPlatform(t, 5)
	p.collect(messaging.Chat, consent.Payment, 3)
	p.now = p.now.Add(time.Hour)
	p.collect(messaging.Chat, consent.Form, 3)
	for i, want := range []string{"payment-of-3", "payment-of-3", "payment-of-3", "form-of-3", ""} {
		w := work(to(trigger.TriggeringUser))
		w.Run.ID = fmt.Sprint("run ", i)
		r, _, err := p.play(w)
		if want == "" {
			p.want(r, err, `{"sent":0,"skipped":1,"failed":0}`)
			break
		}
		p.want(r, err, `{"sent":1,"skipped":0,"failed":0}`)
		m := p.sent[i]
		if m.FormID != want || m.To != "person3" || m.TemplateID != "t1" || m.Page != "pages/order?no=T1" ||
			m.Keywords["keyword1"] != "Ada paid 1.5" {
			t.Errorf("%d: %+v", i, m)
		}
		if r, _, err = p.play(replayed(w, "")); len(p.sent) != i+1 {
			t.Errorf("a replay sends again: %d messages", len(p.sent))
		}
		p.want(r, err, `{"sent":1,"skipped":0,"failed":0}`)
	}
}

// replayed returns the work of a replay after an attempt with a failure.
func replayed(w action.Work, failure string) action.Work {
	w.State = []byte("{}")
	w.Run.Attempts = append(slices.Clone(w.Run.Attempts), run.Attempt{
		At: noon.UnixMilli() + int64(len(w.Run.Attempts)) + 1, Error: failure,
	})
	return w
}

// TestUsesFormIDsOfSource checks that only unexpired form ids of the source and the vendor are used.
func TestUsesFormIDsOfSource(t *testing.T) {
	p := newPlatform(t, 5)
	p.collect(messaging.Chat, consent.Form, 3)
	p.collect(messaging.Alt, consent.Payment, 3)

	for i, c := range []struct {
		vendor, source string
		pass           time.Duration
		want           int
	}{
		{"chat", "payment", 0, 0}, {"alt", "form", 0, 0}, {"tpay", "all", 0, 0}, {"alt", "payment", 0, 1},
		{"chat", "form", 0, 1}, {"alt", "all", 7*24*time.Hour - time.Second, 1}, {"alt", "all", time.Second, 0},
	} {
		p.now = p.now.Add(c.pass)
		s := to(trigger.TriggeringUser)
		s.Vendor, s.FormIDSource = c.vendor, c.source
		w := work(s)
		w.Run.ID = fmt.Sprint("run ", i)
		r, _, err := p.play(w)
		p.want(r, err, fmt.Sprintf(`{"sent":%d,"skipped":%d,"failed":0}`, c.want, 1-c.want))
	}
}

// TestMessagesManyUsers skips users without an identity or a form id, replaces a form id that the vendor refuses, and
// spends no form id without a message.
func TestMessagesManyUsers(t *testing.T) {
	p := newPlatform(t, 60)
	p.collect(messaging.Chat, consent.Form, p.everybody()[:50]...)
	p.collect(messaging.Chat, consent.Payment, 8, 9)
	refuse := func(v templatemessage.Verdict) []error {
		return []error{&templatemessage.Refusal{Verdict: v, Code: "1", Message: "no"}}
	}
	p.fail = map[string][]error{
		"form-of-1": refuse(templatemessage.BadUser), "form-of-2": refuse(templatemessage.BadForm),
		"form-of-8": refuse(templatemessage.BadForm),
	}
	p.step = 2 * time.Second // longer than an attempt lasts
	r, attempts, err := p.play(work(to(trigger.SomeUsers)))
	// 50 users have a form id: 7 are unknown at the vendor, 1 is refused, and 1 has only refused form ids.
	p.want(r, err, `{"sent":41,"skipped":18,"failed":1,"why":"the vendor refuses it (1): no"}`)
	if attempts < 5 {
		t.Errorf("it took %d attempts", attempts)
	}
	people := map[string]int{}
	for _, m := range p.sent {
		if people[m.To]++; people[m.To] > 1 {
			t.Errorf("%s got two", m.To)
		}
		if m.To == "person8" && m.FormID != "payment-of-8" {
			t.Errorf("%s by %s", m.To, m.FormID)
		}
	}

	for u, want := range map[user.ID]consent.Counts{
		1: {messaging.Chat: {consent.Form: 1}}, 2: {messaging.Chat: {}},
		8: {messaging.Chat: {consent.Payment: 2}}, 3: {messaging.Chat: {}},
	} {
		got, err := p.doer.FormIDs.Count(t.Context(), shop, u)
		for _, kind := range []consent.Kind{consent.Form, consent.Payment} {
			if err != nil || got[messaging.Chat][kind] != want[messaging.Chat][kind] {
				t.Errorf("user %d has %v left, want %v, %v", u, got, want, err)
			}
		}
	}
}

// TestVendorErrorsEndRun checks which errors are permanent and which are retried. They spend no form id.
func TestVendorErrorsEndRun(t *testing.T) {
	refuse := func(v templatemessage.Verdict) error {
		return &templatemessage.Refusal{Verdict: v, Code: "1", Message: "no", After: time.Minute}
	}

	for name, c := range map[string]struct {
		err  error
		kind errs.Kind
	}{
		"template": {refuse(templatemessage.Never), errs.KindInvalid},
		"later":    {refuse(templatemessage.Later), errs.KindTooMany},
		"token":    {refuse(templatemessage.BadToken), errs.KindUnavailable},
		"down":     {errs.Unavailable(0, "refused the connection"), errs.KindUnavailable},
	} {
		p := newPlatform(t, 5)
		p.collect(messaging.Chat, consent.Form, 1, 2, 3, 4, 5)
		p.fail["form-of-1"] = []error{c.err}
		r, err := p.doer.Do(t.Context(), work(to(trigger.SomeUsers)))
		if !errs.Is(err, c.kind) || r.Unfinished || len(p.sent) != 0 {
			t.Errorf("%s: %+v, %v, %d sent", name, r, err, len(p.sent))
		}
		if errs.Is(err, errs.KindTooMany) && errs.RetryAfter(err) != 60 {
			t.Errorf("%s: again after %d s", name, errs.RetryAfter(err))
		}
		w := work(to(trigger.SomeUsers))
		w.Attempt = 2
		r, _, err = p.play(w)
		p.want(r, err, `{"sent":5,"skipped":0,"failed":0}`)
	}
}

// leasedTokens is a store in which another instance has the right to request the token.
type leasedTokens struct{ templatemessage.TokenStore }

func (leasedTokens) Token(
	context.Context, tenant.Scope, messaging.Vendor,
) (templatemessage.KeptToken, error) {
	return templatemessage.KeptToken{Leased: noon.Add(time.Hour)}, nil
}

// Token implements templatemessage.TokenGiver.
func (p *platform) Token(context.Context, templatemessage.Identity, bool) (string, time.Duration, error) {
	return "token", time.Hour, nil
}

// TestClaimsNothingWithoutToken checks that a run waits for the token that another instance requests, without a failed
// attempt, and that it writes neither claims nor form ids.
func TestClaimsNothingWithoutToken(t *testing.T) {
	p := newPlatform(t, 5)
	p.collect(messaging.Chat, consent.Form, 1, 2, 3, 4, 5)
	tokens := p.doer.Accounts.Tokens
	tokens.Store, tokens.Givers = leasedTokens{}, map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: p}
	r, err := p.doer.Do(t.Context(), work(to(trigger.SomeUsers)))
	if err != nil || !r.Unfinished || r.After != 5*time.Second {
		t.Errorf("%+v, %v, want another attempt after 5 s", r, err)
	}
	if p.calls != 0 || len(p.sent) != 0 {
		t.Errorf("%d writes and %d messages, want none", p.calls, len(p.sent))
	}
}

// TestContinuesAfterRateLimit checks that a throttled run continues later without a failed attempt.
func TestContinuesAfterRateLimit(t *testing.T) {
	p := newPlatform(t, 5)
	p.collect(messaging.Chat, consent.Form, 1, 2, 3, 4, 5)
	p.fail["form-of-4"] = []error{&templatemessage.Refusal{Code: "45011", Message: "too fast", After: time.Minute}}
	r, err := p.doer.Do(t.Context(), work(to(trigger.SomeUsers)))
	if err != nil || !r.Unfinished || r.After != time.Minute {
		t.Errorf("%+v, %v", r, err)
	}
	r, attempts, err := p.play(work(to(trigger.SomeUsers)))
	p.want(r, err, `{"sent":5,"skipped":0,"failed":0}`)
	if attempts != 1 || len(p.sent) != 5 {
		t.Errorf("%d attempts, %d messages", attempts, len(p.sent))
	}
}

func TestFailsWhenAllAreRefused(t *testing.T) {
	p := newPlatform(t, 3)
	p.collect(messaging.Chat, consent.Form, 1, 2, 3)
	for i := range 3 {
		p.fail[fmt.Sprintf("form-of-%d", i+1)] = []error{
			&templatemessage.Refusal{Verdict: templatemessage.BadUser, Code: "43101", Message: "user refuses"},
		}
	}
	r, _, err := p.play(work(to(trigger.UserGroup)))
	if !errs.Is(err, errs.KindInvalid) || !strings.Contains(err.Error(), "43101") ||
		!strings.HasPrefix(r.Response, `{"sent":0,"skipped":0,"failed":3,`) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestKeepsPace checks each window of five minutes, with skipped users and pages larger than the pace.
func TestKeepsPace(t *testing.T) {
	p := newPlatform(t, 90)
	p.collect(messaging.Chat, consent.Form, p.everybody()...)
	s := to(trigger.SomeUsers)
	s.Pace = &trigger.Pace{Count: 10, Minutes: 5}
	p.step = 100 * time.Millisecond
	p.dieAt = 60 // somewhere in the third window
	r, _, err := p.play(work(s))
	var got struct{ Sent, Skipped, Unknown int }
	if bad := json.Unmarshal([]byte(r.Response), &got); bad != nil || got.Sent+got.Unknown != 78 || got.Skipped != 12 {
		t.Errorf("%s, %v", r.Response, err)
	}
	for i := range p.times {
		if i >= 10 && p.times[i].Sub(p.times[i-10]) < 5*time.Minute-2*time.Second {
			t.Errorf("message %d came %v after the tenth before it", i, p.times[i].Sub(p.times[i-10]))
		}
	}

	if took := p.times[len(p.times)-1].Sub(noon); took > 50*time.Minute {
		t.Errorf("78 messages took %v", took)
	}
}

// TestUnknownResultIsNotSentAgain checks that only a replay sends such a message again, with the same form id.
func TestUnknownResultIsNotSentAgain(t *testing.T) {
	p := newPlatform(t, 6)
	p.collect(messaging.Chat, consent.Form, p.everybody()...)
	p.fail["form-of-4"] = []error{errors.New("nobody knows what the vendor did: it answers with status 502")}
	w := work(to(trigger.SomeUsers))
	r, _, err := p.play(w)
	failure, ok := errors.AsType[*action.Failure](err)
	if !ok || failure.Type != action.Interrupted || !failure.Permanent ||
		r.Response != `{"sent":5,"skipped":0,"failed":0,"unknown":1}` {
		t.Fatalf("%s, %v", r.Response, err)
	}

	w = replayed(w, failure.Error())
	r, _, err = p.play(w)
	p.want(r, err, `{"sent":6,"skipped":0,"failed":0}`)
	if len(p.sent) != 6 || p.sent[5].FormID != "form-of-4" {
		t.Errorf("%d messages, the last by %+v", len(p.sent), p.sent[len(p.sent)-1])
	}
}

// TestNamesMissingConfiguration checks permanent failures for missing settings and for an invalid rendered page.
func TestNamesMissingConfiguration(t *testing.T) {
	p := newPlatform(t, 5)
	p.settings[messaging.Alt] = messaging.VendorSetting{AppID: "app"}
	delete(p.settings, messaging.Tpay)
	for vendor, want := range map[string]string{
		"alt": "the message setting of alt has no private_key", "tpay": "there is no message setting for tpay",
	} {
		s := to(trigger.TriggeringUser)
		s.Vendor = vendor
		_, err := p.doer.Do(t.Context(), work(s))
		failure, ok := errors.AsType[*action.Failure](err)
		if !ok || !failure.Permanent || failure.Type != action.NotConfigured || failure.Message != want {
			t.Errorf("%s: %v", vendor, err)
		}
	}

	s := to(trigger.TriggeringUser)
	s.Page = "{{ trade_no }}"
	w := work(s)
	w.Run.Event.Payload["trade_no"] = "/pages/x"
	if _, err := p.doer.Do(t.Context(), w); !errs.Is(err, errs.KindInvalid) ||
		!strings.Contains(err.Error(), "page: must not begin with a slash") {
		t.Errorf("%v", err)
	}
	event := w.Run.Event
	shown, _ := action.Preview(w.Trigger, w.Action, event, func() map[string]any { return nil }).(map[string]any)
	if text, _ := shown["page"].(string); !strings.Contains(text, "must not begin with a slash") {
		t.Errorf("a dry run shows %v", shown)
	}
}

// TestCrashLosesNoRecipient kills the program at each call: nobody is left out or gets two messages. Only a replay
// sends a message again whose result is unknown.
func TestCrashLosesNoRecipient(t *testing.T) {
	p := newPlatform(t, 7) // the last one is unknown at the vendor
	p.collect(messaging.Chat, consent.Payment, p.everybody()...)
	for at := 1; ; at++ {
		p.sent, p.times, p.calls, p.dieAt = nil, nil, 0, at
		w := work(to(trigger.SomeUsers))
		w.Run.ID = fmt.Sprint("crash ", at)
		p.refill()
		r, _, err := p.play(w)
		if p.calls < at { // the run made fewer calls
			break
		}
		p.oneEach(at, 0)

		failure, _ := errors.AsType[*action.Failure](err)
		switch {
		case err == nil:
			p.want(r, err, `{"sent":6,"skipped":1,"failed":0}`)
		case failure == nil || failure.Type != action.Interrupted:
			t.Fatalf("died at call %d: %v", at, err)
		default:
			r, _, err = p.play(replayed(w, failure.Error()))
			p.want(r, err, `{"sent":6,"skipped":1,"failed":0}`)
			p.oneEach(at, 1)
		}
		if len(p.sent) < 6 {
			t.Errorf("died at call %d: only %d got theirs", at, len(p.sent))
		}
	}
}

// oneEach checks that nobody got more than one message, except for as many as more with an unknown result.
func (p *platform) oneEach(at, more int) {
	p.Helper()
	people := map[string]int{}
	for _, m := range p.sent {
		people[m.To]++
	}
	for person, n := range people {
		if more -= n - 1; more < 0 {
			p.Errorf("died at call %d: %s got %d", at, person, n)
		}
	}
}

// refill gives every user a form id for one more run.
func (p *platform) refill() {
	p.Helper()
	for _, u := range p.everybody() {
		formID := fmt.Sprintf("%s-%d", id.Hex(8), u)
		if _, err := p.doer.FormIDs.Add(p.Context(), shop, user.ID(u), messaging.Chat, consent.Form, formID); err != nil {
			p.Fatal(err)
		}
	}
}

// TestConcurrentWorkersSendOnce runs a second worker after the lease of the first has expired.
func TestConcurrentWorkersSendOnce(t *testing.T) {
	p := newPlatform(t, 30)
	p.collect(messaging.Chat, consent.Form, p.everybody()...)
	first, second := work(to(trigger.SomeUsers)), work(to(trigger.SomeUsers))
	second.Attempt = 2
	p.doer.Claims = beside{p.doer.Claims.(mortalClaims), func() {
		if _, err := p.doer.Do(t.Context(), second); err != nil {
			t.Error(err)
		}
	}, new(bool)}
	if _, err := p.doer.Do(t.Context(), first); err != nil {
		t.Error(err)
	}
	p.oneEach(0, 0)
	if len(p.sent) != 26 {
		t.Errorf("%d messages", len(p.sent))
	}
}
