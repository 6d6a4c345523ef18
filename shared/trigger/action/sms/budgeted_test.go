package sms_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/sms"
)

// budgeted puts a budget before the sender of a platform.
func (p *platform) budgeted(parts int) *sms.Budgeted {
	now := clock.Clock(func() time.Time { return p.now })
	return &sms.Budgeted{Next: p, Allowance: &allowance.Allowance{
		Store:   &settingdb.Allowances{Client: dynamotest.Start(p.T, "SettingsTable"), Table: "SettingsTable"},
		Budgets: allowance.Budgets{Texts: parts}, Clock: now,
	}}
}

// TestBudgetEndsRunOfMany sends to a group until the budget is used up. The run is retried, and its next attempt on the
// next day sends to the rest.
func TestBudgetEndsRunOfMany(t *testing.T) {
	p := newPlatform(t, 9)
	p.doer.Sender = p.budgeted(3)
	w := work(everybody)
	r, _, err := p.play(w)
	if !errs.Is(err, errs.KindTooMany) || !strings.Contains(errs.Message(err), "the sms budget of the application is used up") ||
		len(p.sent) != 3 {
		t.Fatalf("%v, %d sent", err, len(p.sent))
	}
	p.now, w.State = p.now.Add(24*time.Hour), r.State
	p.doer.Sender.(*sms.Budgeted).Allowance.Budgets.Texts = 100
	if _, _, err = p.play(w); err != nil || len(p.sent) != 8 {
		t.Errorf("the next day: %v, %d sent", err, len(p.sent))
	}
}

// TestBudgetGivesBack counts what may have been sent, and gives back what certainly was not.
func TestBudgetGivesBack(t *testing.T) {
	p := newPlatform(t, 1)
	s, scope := p.budgeted(2), tenant.Scope{App: 1001, Env: tenant.Production}
	send := func() error { return s.Send(t.Context(), sms.Message{Scope: scope, Number: numberOf(1), Text: "hi"}) }
	p.fail[numberOf(1)] = []error{errs.TooMany(0, "slow"), errors.New("the connection broke")}
	for _, want := range []errs.Kind{errs.KindTooMany, errs.KindInternal, "", errs.KindTooMany} {
		if err := send(); errs.KindOf(err) != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if len(p.sent) != 1 {
		t.Errorf("%d sent", len(p.sent))
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 1}, {strings.Repeat("a", 160), 1}, {strings.Repeat("a", 161), 2}, {strings.Repeat("a", 306), 2},
		{strings.Repeat("a", 307), 3}, {"【Tea】", 1}, {strings.Repeat("你", 70), 1}, {strings.Repeat("你", 71), 2},
		{strings.Repeat("你", 134), 2}, {strings.Repeat("😀", 36), 2}, {strings.Repeat("你", 1600), 24},
	} {
		if got := sms.Parts(c.text); got != c.want {
			t.Errorf("%d characters of %.3q: %d, want %d", len([]rune(c.text)), c.text, got, c.want)
		}
	}
}
