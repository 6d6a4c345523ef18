package email_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action/email"
)

// confirmedStore is a store in which an address is confirmed for the shop.
func confirmedStore(t *testing.T, address string) *settingdb.Allowances {
	store := &settingdb.Allowances{Client: dynamotest.Start(t, "SettingsTable"), Table: "SettingsTable"}
	of := allowance.Sender{Address: address, Status: allowance.CodeSent, Code: "c"}
	err := store.AskSender(t.Context(), shop.App, of)
	if err == nil {
		err = store.ConfirmSender(t.Context(), shop.App, of, "c")
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// allowed puts an allowance of some mails before the sender of a platform.
func (p *platform) allowed(mails int) *email.Allowed {
	return &email.Allowed{Next: p, Allowance: &allowance.Allowance{
		Store: confirmedStore(p.T, "shop@example.com"), Budgets: allowance.Budgets{Mails: mails}, Clock: clock.Fixed(noon),
	}}
}

// TestAllowedMails checks what a trigger's log says of a mail that is not allowed, and of suppressed recipients.
func TestAllowedMails(t *testing.T) {
	p := newPlatform(t)
	sender := p.allowed(3)
	p.doer.Sender = sender
	do := func() (string, error) {
		result, err := p.doer.Do(t.Context(), work(&trigger.EmailSettings{
			To: []string{"a@example.com", "b@example.com"}, Subject: "s", Body: "b",
		}))
		return result.Response, err
	}
	if _, err := do(); err != nil {
		t.Fatal(err)
	}
	_, err := do()
	if !errs.Is(err, errs.KindTooMany) || !strings.Contains(errs.Message(err), "the mail budget of the application is used up: 3 mails") {
		t.Errorf("%v", err)
	}

	err = sender.Allowance.Record(t.Context(), shop.App, allowance.Feedback{
		ID: "1", Kind: allowance.Bounce, Address: "B@example.com", Sender: allowance.Key("shop@example.com"), Counts: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	sender.Allowance.Budgets.Mails = 100
	if response, err := do(); err != nil || response != `{"message_id":"m2","recipients":1,"suppressed":1}` ||
		!slices.Equal(p.sent[1].To, []string{"a@example.com"}) {
		t.Errorf("%s, %v, %v", response, err, p.sent[1].To)
	}

	p.setting.Sender = "bank@example.com"
	_, err = do()
	if !errs.Is(err, errs.KindForbidden) || !strings.Contains(errs.Message(err), "bank@example.com is not confirmed") {
		t.Errorf("%v", err)
	}
	if len(p.sent) != 2 {
		t.Errorf("%d sent", len(p.sent))
	}
}

// TestFunctionMailsAreAllowed: a function's mail that is not allowed claims nothing, so that a repetition sends it.
func TestFunctionMailsAreAllowed(t *testing.T) {
	p := newPlatform(t)
	mailer, sender := p.mailer(), p.allowed(0)
	mailer.Sender = sender
	ctx := keyed(t.Context(), "one")
	if err := mailer.Send(ctx, shop, root, request()); !errs.Is(err, errs.KindTooMany) {
		t.Errorf("%v", err)
	}
	sender.Allowance.Budgets.Mails = 1
	if err := mailer.Send(ctx, shop, root, request()); err != nil || len(p.sent) != 1 {
		t.Errorf("%v, %d sent", err, len(p.sent))
	}
	other := tenant.Scope{App: shop.App + 1, Env: tenant.Production}
	if _, err := sender.Send(ctx, email.Mail{Scope: other, From: "shop@example.com", To: []string{"a@example.com"}}); !errs.Is(err, errs.KindForbidden) {
		t.Errorf("another application: %v", err)
	}
}

// TestAllowedMailGivesBack counts a mail that may have been sent, and gives back one that certainly was not. An error of
// the store is no unknown result: nothing was sent.
func TestAllowedMailGivesBack(t *testing.T) {
	p := newPlatform(t)
	sender := p.allowed(2)
	p.fail = []error{errs.Unavailable(0, "no"), errors.New("the connection broke"), nil, nil}
	for _, want := range []errs.Kind{errs.KindUnavailable, errs.KindInternal, "", errs.KindTooMany} {
		_, err := sender.Send(t.Context(), email.Mail{Scope: shop, From: "shop@example.com", To: []string{"a@example.com"}})
		if errs.KindOf(err) != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := sender.Send(late, email.Mail{Scope: shop, From: "shop@example.com", To: []string{"a@example.com"}})
	if errs.Is(err, errs.KindInternal) || err == nil {
		t.Errorf("%v", err)
	}
}
