package email_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/email"
)

const root id.ID = 99

func (p *platform) mailer() *email.Mailer {
	claims := &triggerdb.Claims{
		Client: dynamotest.Start(p.T, "TriggerLogTable"), Table: "TriggerLogTable", Clock: clock.Fixed(noon),
	}
	return &email.Mailer{
		Settings: p, Sender: p, Claims: claims,
		Quotas: &triggerdb.Quotas{Client: claims.Client, Table: claims.Table, Clock: clock.Fixed(noon)},
	}
}

func request() email.Request {
	return email.Request{Recipient: "Ada <ada@例え.jp>", Subject: "Hello\r\nBcc: eve@example.com", Body: "<b>hi</b>", HTML: true}
}

// keyed returns the context of a request with an Idempotency-Key.
func keyed(ctx context.Context, seed string) context.Context {
	return writetoken.NewContext(ctx, &writetoken.Request{At: noon, Seed: seed})
}

// TestSendsRequestedMail checks the sender of the application and that headers cannot be injected.
func TestSendsRequestedMail(t *testing.T) {
	p := newPlatform(t)
	if err := p.mailer().Send(t.Context(), shop, root, request()); err != nil {
		t.Fatal(err)
	}
	m := p.sent[0]
	if len(m.To) != 1 || m.To[0] != `"Ada" <ada@xn--r8jz45g.jp>` || m.From != `"Shop" <shop@example.com>` ||
		m.ReplyTo != "help@example.com" || m.Subject != "Hello  Bcc: eve@example.com" || m.Body != "<b>hi</b>" || !m.HTML {
		t.Errorf("%+v", m)
	}
}

// TestRequestedMailIsSentOnce repeats a request: the mail is sent once. A repetition sends a mail that was certainly
// not sent before.
func TestRequestedMailIsSentOnce(t *testing.T) {
	p := newPlatform(t)
	mailer := p.mailer()
	for range 3 {
		if err := mailer.Send(keyed(t.Context(), "one"), shop, root, request()); err != nil || len(p.sent) != 1 {
			t.Errorf("%v, %d sent", err, len(p.sent))
		}
	}
	if err := mailer.Send(keyed(t.Context(), "two"), shop, root, request()); err != nil || len(p.sent) != 2 {
		t.Errorf("another call: %v, %d sent", err, len(p.sent))
	}

	p.fail = []error{errs.TooMany(0, "slow down"), nil}
	if err := mailer.Send(keyed(t.Context(), "slow"), shop, root, request()); !errs.Is(err, errs.KindTooMany) {
		t.Errorf("throttled: %v", err)
	}
	if err := mailer.Send(keyed(t.Context(), "slow"), shop, root, request()); err != nil || len(p.sent) != 3 {
		t.Errorf("after throttling: %v, %d sent", err, len(p.sent))
	}

	p.fail = []error{errors.New("the connection broke")}
	for range 2 {
		err := mailer.Send(keyed(t.Context(), "lost"), shop, root, request())
		if !errs.Is(err, errs.KindConflict) || len(p.sent) != 3 {
			t.Errorf("nobody knows: %v, %d sent", err, len(p.sent))
		}
	}
}

// TestRefusesInvalidRequests checks that an invalid request claims nothing.
func TestRefusesInvalidRequests(t *testing.T) {
	for want, change := range map[string]func(*platform, *email.Request){
		"recipient must be one mail address":            func(_ *platform, l *email.Request) { l.Recipient = "a@b.c, d@e.f" },
		"subject must be 1 to 998 characters":           func(_ *platform, l *email.Request) { l.Subject = " " },
		"body must be 1 to 262144 bytes":                func(_ *platform, l *email.Request) { l.Body = strings.Repeat("x", 256<<10+1) },
		"set a sender with PUT /oserve/v3/mail-setting": func(p *platform, _ *email.Request) { p.setting = messaging.Mail{} },
	} {
		p, l := newPlatform(t), request()
		change(p, &l)
		err := p.mailer().Send(keyed(t.Context(), "one"), shop, root, l)
		if !errs.Is(err, errs.KindInvalid) || !strings.Contains(err.Error(), want) || len(p.sent) > 0 {
			t.Errorf("%v, want %s", err, want)
		}
		p.setting.Sender = "shop@example.com"
		if err := p.mailer().Send(keyed(t.Context(), "one"), shop, root, request()); err != nil {
			t.Errorf("after %s: %v", want, err)
		}
	}
}

// TestLimitsMailsPerCall checks the limit of a root call, including the functions that it starts. Other calls and
// applications have their own limits.
func TestLimitsMailsPerCall(t *testing.T) {
	p := newPlatform(t)
	mailer, other := p.mailer(), tenant.Scope{App: shop.App + 1}
	for range 200 {
		if err := mailer.Quotas.Spend(t.Context(), shop, root, "mail", 200); err != nil {
			t.Fatal(err)
		}
	}
	err := mailer.Send(t.Context(), shop, root, request())
	if !errs.Is(err, errs.KindTooMany) || !strings.Contains(err.Error(), "at most 200 messages by mail") || len(p.sent) > 0 {
		t.Errorf("%v, %d sent", err, len(p.sent))
	}
	if err := mailer.Send(t.Context(), shop, root+1, request()); err != nil {
		t.Error(err)
	}
	if err := mailer.Quotas.Spend(t.Context(), other, root, "mail", 200); err != nil {
		t.Error(err)
	}
}
