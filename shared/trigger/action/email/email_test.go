package email_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
)

var (
	shop = tenant.Scope{App: 1001, Env: tenant.Production}
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// platform is a doer for the mails of a shop, with a fake sender that appends to a list.
type platform struct {
	*testing.T
	doer    *email.Doer
	setting messaging.Mail
	sent    []email.Mail
	fail    []error // errors of the next calls; the mail of a nil error is sent
}

func newPlatform(t *testing.T) *platform {
	p := &platform{T: t, setting: messaging.Mail{Sender: "Shop <shop@example.com>", ReplyTo: "help@example.com"}}
	p.doer = &email.Doer{Settings: p, Sender: p, Profiles: p}
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

func (p *platform) Send(_ context.Context, m email.Mail) (email.Receipt, error) {
	if len(p.fail) > 0 {
		err := p.fail[0]
		if p.fail = p.fail[1:]; err != nil {
			return email.Receipt{}, err
		}
	}
	p.sent = append(p.sent, m)
	return email.Receipt{ID: fmt.Sprintf("m%d", len(p.sent))}, nil
}

func work(s *trigger.EmailSettings) action.Work {
	a := trigger.Action{ID: 1, Type: trigger.Email, Settings: s}
	order := map[string]any{"trade_no": "T<1>\nX: y", "created_by": 12.0, "total_cost": 1.5}
	return action.Work{
		Run: run.Run{ID: "r", Scope: shop, ActionType: trigger.Email, Event: trigger.Event{
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

// TestSendsMail checks one mail to each address: in ASCII, without injected headers, with escaped values.
func TestSendsMail(t *testing.T) {
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

// TestDryRunShowsMail checks that a dry run shows the mail as it is sent.
func TestDryRunShowsMail(t *testing.T) {
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

// outcome returns the error type of an attempt, or "ok".
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

func TestRefusesIncompleteMails(t *testing.T) {
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
