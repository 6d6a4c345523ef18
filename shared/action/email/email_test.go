package email_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/action"
	"minicloud/shared/action/email"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
)

var (
	shop = tenant.Scope{App: 1001}
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// platform sends mails of the shop into a list.
type platform struct {
	*testing.T
	doer    *email.Doer
	setting messaging.Mail
	sent    []email.Mail
	fail    []error // of the next tries; one that nil follows was sent
}

func newPlatform(t *testing.T) *platform {
	p := &platform{T: t, setting: messaging.Mail{Sender: "Shop <shop@example.com>", ReplyTo: "help@example.com"}}
	client := dynamotest.Start(t, "TriggerLogTable")
	p.doer = &email.Doer{
		Settings: p, Sender: p, Profiles: p,
		Claims: &triggerdb.Claims{Client: client, Table: "TriggerLogTable", Clock: clock.Fixed(noon)},
	}
	return p
}

func (p *platform) Mail(_ context.Context, scope tenant.Scope) (messaging.Mail, error) {
	if scope != shop {
		return messaging.Mail{}, nil
	}
	return p.setting, nil
}

func (p *platform) Profile(context.Context, tenant.Scope, user.ID, string) (user.Profile, error) {
	return user.Profile{"nickname": "Ada\r\nBcc: eve@example.com", "mail": "ada@例え.jp"}, nil
}

func (p *platform) Send(_ context.Context, m email.Mail) (string, error) {
	if len(p.fail) > 0 {
		err := p.fail[0]
		if p.fail = p.fail[1:]; err != nil {
			return "", err
		}
	}
	p.sent = append(p.sent, m)
	return fmt.Sprintf("m%d", len(p.sent)), nil
}

func work(s *trigger.EmailSettings) action.Work {
	a := trigger.Action{ID: 1, Type: trigger.Email, Settings: s}
	order := map[string]any{"trade_no": "T<1>\nX: y", "created_by": 12.0, "total_cost": 1.5}
	return action.Work{
		Run: trigger.Run{ID: "r", Scope: shop, ActionType: trigger.Email, Event: trigger.Event{
			Scope: shop, Type: trigger.TypeChatPay, At: noon, Payload: order,
		}},
		Trigger: trigger.Trigger{ID: 7, Type: trigger.TypeChatPay, Timezone: "Asia/Shanghai"}, Action: a, Attempt: 1,
	}
}

func paid() *trigger.EmailSettings {
	return &trigger.EmailSettings{
		To:      []string{"{{ created_by.mail }}", "{{ created_by.gone }}", "b@example.com", "B@example.com"},
		Subject: "{{ trade_no }} for {{ created_by.nickname }}", Body: "<b>{{ trade_no }}</b> {{ total_cost }}",
		Format: trigger.FormatHTML,
	}
}

// TestAMail: each address once and in ASCII, no header but those that are ours, what users wrote escaped.
func TestAMail(t *testing.T) {
	p := newPlatform(t)
	p.setting.ListUnsubscribe = "https://example.com/stop"
	result, err := p.doer.Do(t.Context(), work(paid()))
	if err != nil || result.Response != `{"message_id":"m1","recipients":2}` {
		t.Errorf("%+v, %v", result, err)
	}
	m := p.sent[0]
	if !slices.Equal(m.To, []string{"ada@xn--r8jz45g.jp", "b@example.com"}) || m.From != `"Shop" <shop@example.com>` ||
		m.ReplyTo != "help@example.com" || m.Unsubscribe != "https://example.com/stop" {
		t.Errorf("%+v", m)
	}
	if m.Subject != "T<1> X: y for Ada  Bcc: eve@example.com" || m.Body != "<b>T&lt;1&gt;\nX: y</b> 1.5" || !m.HTML {
		t.Errorf("%+v", m)
	}
}

// TestADryRunShowsTheMail as it is sent.
func TestADryRunShowsTheMail(t *testing.T) {
	w := work(paid())
	w.Action.Settings.(*trigger.EmailSettings).To[2] = "b@example.com\nc@example.com"
	shown := action.Preview(w.Trigger, w.Action, w.Run.Event, func() map[string]any {
		return map[string]any{"nickname": "Ada\r\nBcc: x", "mail": "ada@例え.jp"}
	}).(map[string]any)
	to := shown["to"].([]any)
	if shown["subject"] != "T<1> X: y for Ada  Bcc: x" || to[0] != "ada@xn--r8jz45g.jp" || to[1] != "" ||
		!strings.Contains(to[2].(string), "must be one mail address") {
		t.Errorf("%v", shown)
	}
}

// TestAMailIsSentOnce, however often its run is worked on; what was not sent for sure is tried again.
func TestAMailIsSentOnce(t *testing.T) {
	unknown := errors.New("the connection broke")
	for name, c := range map[string]struct {
		fail []error
		want []string // of each attempt: what came of it
		sent int
	}{
		"sent":         {want: []string{"ok", action.Interrupted}, sent: 1}, // it died before its end
		"throttled":    {fail: []error{errs.TooMany(0, "slow down")}, want: []string{"too_many", "ok"}, sent: 1},
		"unreachable":  {fail: []error{errs.Unavailable(0, "no")}, want: []string{"unavailable", "ok"}, sent: 1},
		"refused":      {fail: []error{errs.Invalid("no")}, want: []string{"invalid"}},
		"nobody knows": {fail: []error{unknown}, want: []string{action.Interrupted, action.Interrupted}},
		"throttled, then lost": {
			fail: []error{errs.TooMany(0, "x"), unknown}, want: []string{"too_many", action.Interrupted, action.Interrupted},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			p.fail = c.fail
			for i, want := range c.want {
				result, err := p.doer.Do(t.Context(), work(paid()))
				if got := outcome(result, err); got != want {
					t.Errorf("attempt %d: %s, want %s", i, got, want)
				}
			}

			if len(p.sent) != c.sent {
				t.Errorf("%d were sent", len(p.sent))
			}
		})
	}
}

// outcome is the type of error, or ok.
func outcome(result action.Result, err error) string {
	failure, _ := errors.AsType[*action.Failure](err)
	switch {
	case err == nil && result.Response == action.AlreadyDone:
		return action.AlreadyDone
	case err == nil:
		return "ok"
	case failure != nil && failure.Permanent:
		return failure.Type
	}
	return string(errs.KindOf(err))
}

// TestAnInterruptedMailIsSentByAReplay: its owner knows that it may have been sent. The replay sends it once.
func TestAnInterruptedMailIsSentByAReplay(t *testing.T) {
	p := newPlatform(t)
	p.fail = []error{errors.New("the connection broke")}
	w := work(paid())
	if _, err := p.doer.Do(t.Context(), w); outcome(action.Result{}, err) != action.Interrupted {
		t.Fatal(err)
	}
	w.Run.Attempts = []trigger.Attempt{{At: 1000, Error: "interrupted: nobody knows"}}
	if result, err := p.doer.Do(t.Context(), w); outcome(result, err) != "ok" || len(p.sent) != 1 {
		t.Errorf("%+v, %v, %d sent", result, err, len(p.sent))
	}
	// The worker of the replay dies, too.
	w.Run.Attempts = append(w.Run.Attempts, trigger.Attempt{At: 2000, Error: "lost: the worker died"})
	if result, err := p.doer.Do(t.Context(), w); outcome(result, err) != action.Interrupted || len(p.sent) != 1 {
		t.Errorf("%+v, %v, %d sent", result, err, len(p.sent))
	}
}

// TestMailsThatCannotBeSent say what is missing, and no claim is taken.
func TestMailsThatCannotBeSent(t *testing.T) {
	for want, change := range map[string]func(*platform, *trigger.EmailSettings){
		"not_configured: the mail-setting has no sender": func(p *platform, _ *trigger.EmailSettings) { p.setting.Sender = "" },
		"to[0]: must be one mail address": func(_ *platform, s *trigger.EmailSettings) {
			s.To = []string{"{{ trade_no }}"}
		},
		"to: nobody is left: every address is empty": func(_ *platform, s *trigger.EmailSettings) {
			s.To = []string{"{{ created_by.gone }}"}
		},
	} {
		p, s := newPlatform(t), paid()
		change(p, s)
		_, err := p.doer.Do(t.Context(), work(s))
		if err == nil || !strings.Contains(err.Error(), want) || len(p.sent) > 0 ||
			outcome(action.Result{}, err) != "invalid" && outcome(action.Result{}, err) != "not_configured" {
			t.Errorf("%v, want %s", err, want)
		}

		p.setting.Sender = "shop@example.com"
		if result, err := p.doer.Do(t.Context(), work(paid())); outcome(result, err) != "ok" {
			t.Errorf("after %s: %v", want, err)
		}
	}
}

// TestTwoWorkersSendOneMail: at the same time, of one run.
func TestTwoWorkersSendOneMail(t *testing.T) {
	p := newPlatform(t)
	began, goOn := make(chan struct{}), make(chan struct{})
	slow := *p.doer
	slow.Sender = blocking{p, began, goOn}
	done := make(chan error)
	go func() {
		_, err := slow.Do(t.Context(), work(paid()))
		done <- err
	}()
	<-began
	if _, err := p.doer.Do(t.Context(), work(paid())); outcome(action.Result{}, err) != action.Interrupted {
		t.Error(err)
	}

	close(goOn)
	if err := <-done; err != nil || len(p.sent) != 1 {
		t.Errorf("%v, %d sent", err, len(p.sent))
	}
}

type blocking struct {
	email.Sender
	began, goOn chan struct{}
}

func (b blocking) Send(ctx context.Context, m email.Mail) (string, error) {
	close(b.began)
	<-b.goOn
	return b.Sender.Send(ctx, m)
}
