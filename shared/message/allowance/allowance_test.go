package allowance_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/allowance"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const (
	shop tenant.AppID = 1001
	bank tenant.AppID = 1002

	from = "Shop <shop@example.com>"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// platform has the services with a real store, and a fake mail service.
type platform struct {
	*testing.T
	now     time.Time
	client  *dynamodb.Client
	store   *settingdb.Allowances
	counts  *allowance.Allowance
	senders *allowance.Senders

	mu         sync.Mutex // of what follows
	identities map[string]allowance.Identity
	created    []string
	admitted   map[tenant.AppID][]string
	codes      []string // the bodies of mails with codes
	fail       error    // of the next Admit
}

func newPlatform(t *testing.T) *platform {
	p := &platform{
		T: t, now: noon, client: dynamotest.Start(t, "SettingsTable"), identities: map[string]allowance.Identity{},
		admitted: map[tenant.AppID][]string{},
	}
	now := clock.Clock(func() time.Time { return p.now })
	p.store = &settingdb.Allowances{Client: p.client, Table: "SettingsTable"}
	p.counts = &allowance.Allowance{Store: p.store, Budgets: allowance.Budgets{Mails: 100, Texts: 10}, Clock: now}
	p.senders = &allowance.Senders{Allowance: p.counts, Identities: p}
	return p
}

func (p *platform) Identity(_ context.Context, name string) (allowance.Identity, error) {
	of, ok := p.identities[name]
	if !ok {
		return of, errs.NotFound("no %s", name)
	}
	return of, nil
}

func (p *platform) CreateIdentity(_ context.Context, name string) (allowance.Identity, error) {
	of := allowance.Identity{Name: name}
	if !strings.Contains(name, "@") {
		of.Records = []allowance.Record{{Name: "t._domainkey." + name, Type: "CNAME", Value: "t.dkim.example"}}
	}
	p.identities[name], p.created = of, append(p.created, name)
	return of, nil
}

func (p *platform) DeleteIdentity(_ context.Context, name string) error {
	delete(p.identities, name)
	return nil
}

func (p *platform) Admit(_ context.Context, app tenant.AppID, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.fail; err != nil {
		p.fail = nil
		return err
	}
	p.admitted[app] = append(p.admitted[app], name)
	return nil
}

func (p *platform) SendCode(_ context.Context, _, _, body string) error {
	p.codes = append(p.codes, body)
	return nil
}

// verified sets an identity as its owner does.
func (p *platform) verified(name string) {
	of := p.identities[name]
	of.Name, of.Verified, of.Failed = name, true, false
	p.identities[name] = of
}

var codeForm = regexp.MustCompile(`(?m)^[A-Z2-7]{16}$`)

// code asks for a code and returns it.
func (p *platform) code(app tenant.AppID, sender string) string {
	p.Helper()
	state, err := p.senders.Verify(p.Context(), app, sender, false)
	if err != nil || state.Status != allowance.CodeSent {
		p.Fatalf("%+v, %v", state, err)
	}
	return codeForm.FindString(p.codes[len(p.codes)-1])
}

// confirm confirms a sender of an application.
func (p *platform) confirm(app tenant.AppID, sender string) {
	p.Helper()
	p.verified("shop@example.com")
	state, err := p.senders.Confirm(p.Context(), app, sender, p.code(app, sender))
	if err != nil || state.Status != allowance.Confirmed {
		p.Fatalf("%+v, %v", state, err)
	}
}

func (p *platform) take(app tenant.AppID, sender string, to ...string) (allowance.Taken, error) {
	return p.counts.TakeMail(p.Context(), app, sender, nil, to)
}

func (p *platform) status(app tenant.AppID) allowance.Sender {
	p.Helper()
	state, err := p.senders.State(p.Context(), app, from)
	if err != nil {
		p.Fatal(err)
	}
	return state
}

// refused fails the test unless an error has the kind and the text.
func (p *platform) refused(name string, err error, kind errs.Kind, text string) {
	p.Helper()
	if !errs.Is(err, kind) || !strings.Contains(errs.Message(err), text) {
		p.Errorf("%s: %v, want %s %q", name, err, kind, text)
	}
}

// TestConfirmsSender leads a new sender from its identity to its first mail.
func TestConfirmsSender(t *testing.T) {
	p := newPlatform(t)
	if s := p.status(shop); s.Status != allowance.Unconfirmed {
		t.Errorf("%+v", s)
	}
	for range 2 { // a second request asks for nothing new
		state, err := p.senders.Verify(t.Context(), shop, from, false)
		if err != nil || state.Status != allowance.Verifying || !slices.Equal(p.created, []string{"shop@example.com"}) {
			t.Errorf("%+v, %v, %v", state, err, p.created)
		}
	}
	_, err := p.take(shop, from, "a@example.com")
	p.refused("before", err, errs.KindForbidden, "is not confirmed for this application")

	p.verified("shop@example.com")
	code := p.code(shop, from)
	_, err = p.take(shop, from, "a@example.com")
	p.refused("with a code under way", err, errs.KindForbidden, "is not confirmed")
	if _, err := p.senders.Confirm(t.Context(), shop, from, " "+strings.ToLower(code)+"\n"); err != nil {
		t.Fatal(err)
	}
	if s := p.status(shop); s.Status != allowance.Confirmed || !s.ConfirmedAt.Equal(noon) || s.Code != "" ||
		!slices.Equal(p.admitted[shop], []string{"shop@example.com"}) || !slices.Contains(p.admitted[0], "shop@example.com") {
		t.Errorf("%+v, %v", s, p.admitted)
	}
	if taken, err := p.take(shop, from, "a@example.com"); err != nil || len(taken.To) != 1 {
		t.Errorf("%+v, %v", taken, err)
	}
}

// TestOnlyConfirmedAddressSends checks other spellings of a confirmed address, and addresses that look like it.
func TestOnlyConfirmedAddressSends(t *testing.T) {
	p := newPlatform(t)
	p.confirm(shop, from)
	for _, sender := range []string{"shop@example.com", "SHOP@Example.COM", `"Bank" <Shop@example.com>`} {
		if _, err := p.take(shop, sender, "a@example.com"); err != nil {
			t.Errorf("%s: %v", sender, err)
		}
	}
	for sender, kind := range map[string]errs.Kind{
		"shop+bank@example.com":                      errs.KindForbidden,
		"shop@mail.example.com":                      errs.KindForbidden,
		"shop@example.com.evil.example":              errs.KindForbidden,
		`"shop@example.com" <bank@example.com>`:      errs.KindForbidden,
		`"shop@example.com"@evil.example`:            errs.KindForbidden,
		"shop@ехample.com":                           errs.KindForbidden, // with Cyrillic letters
		"ſhop@example.com":                           errs.KindInvalid,   // ſ has S as its capital
		"shop@example.com, bank@example.com":         errs.KindInvalid,
		"shop@example.com\r\nFrom: bank@example.com": errs.KindInvalid,
		"": errs.KindInvalid,
	} {
		_, err := p.take(shop, sender, "a@example.com")
		p.refused(sender, err, kind, "")
	}
	if _, err := p.take(shop, "shop@ｅxample.com", "a@example.com"); err != nil { // IDNA maps full width letters
		t.Error(err)
	}
	_, err := p.take(bank, from, "a@example.com")
	p.refused("another application", err, errs.KindForbidden, "is not confirmed for this application")
}

// TestCodeConfirmsOneApplicationOnce refuses codes that are wrong, old, used, replaced, or of another application.
func TestCodeConfirmsOneApplicationOnce(t *testing.T) {
	p := newPlatform(t)
	p.verified("shop@example.com")
	replaced := p.code(shop, from)
	code := p.code(shop, from)
	other := p.code(bank, from)
	confirm := func(app tenant.AppID, code string) error {
		_, err := p.senders.Confirm(t.Context(), app, from, code)
		return err
	}
	for name, err := range map[string]error{
		"replaced": confirm(shop, replaced), "of another application": confirm(shop, other), "empty": confirm(shop, ""),
		"of the shop, for the bank": confirm(bank, code), "of nobody": confirm(3, code),
	} {
		p.refused(name, err, errs.KindInvalid, "code is wrong or has expired")
	}

	p.now = noon.Add(24 * time.Hour)
	p.refused("old", confirm(shop, code), errs.KindInvalid, "code is wrong or has expired")
	p.now = noon
	p.fail = errors.New("SES is down")
	if err := confirm(shop, code); err == nil || p.status(shop).Status != allowance.CodeSent {
		t.Errorf("while SES is down: %v, %+v", err, p.status(shop))
	}

	var confirmed atomic.Int32
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if confirm(shop, code) == nil {
				confirmed.Add(1)
			}
		})
	}
	group.Wait()
	if confirmed.Load() != 1 || p.status(shop).Status != allowance.Confirmed {
		t.Errorf("confirmed %d times", confirmed.Load())
	}
	p.refused("used", confirm(shop, code), errs.KindInvalid, "code is wrong or has expired")
	if _, err := p.take(bank, from, "a@example.com"); !errs.Is(err, errs.KindForbidden) {
		t.Errorf("the bank sends as the shop: %v", err)
	}
	if err := confirm(bank, other); err != nil {
		t.Error(err)
	}
	if _, err := p.take(bank, from, "a@example.com"); err != nil {
		t.Errorf("both have confirmed: %v", err)
	}
}

// TestRepetitionsOfConfirmationAgree confirms with one request sent ten times at once. All of them succeed.
func TestRepetitionsOfConfirmationAgree(t *testing.T) {
	p := newPlatform(t)
	p.verified("shop@example.com")
	code := p.code(shop, from)
	request := writetoken.NewContext(t.Context(), &writetoken.Request{At: noon, Seed: "one"})
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if state, err := p.senders.Confirm(request, shop, from, code); err != nil || state.Status != allowance.Confirmed {
				t.Errorf("%+v, %v", state, err)
			}
		})
	}
	group.Wait()
	another := writetoken.NewContext(t.Context(), &writetoken.Request{At: noon, Seed: "two"})
	_, err := p.senders.Confirm(another, shop, from, code)
	p.refused("another request", err, errs.KindInvalid, "code is wrong or has expired")
}

// TestVerifiesDomain shows the records of a domain, and prefers a verified domain to a new identity of an address: the
// mail service would prefer the address, and take it from the applications that use the domain.
func TestVerifiesDomain(t *testing.T) {
	p := newPlatform(t)
	state, err := p.senders.Verify(t.Context(), shop, from, true)
	if err != nil || state.Status != allowance.Verifying || len(state.Records) != 1 ||
		state.Records[0].Name != "t._domainkey.example.com" {
		t.Errorf("%+v, %v", state, err)
	}
	failed := p.identities["example.com"]
	failed.Failed = true
	p.identities["example.com"] = failed
	if _, err := p.senders.Verify(t.Context(), shop, from, true); err != nil || len(p.created) != 2 {
		t.Errorf("a domain that failed is created again: %v, %v", p.created, err)
	}

	p.verified("example.com")
	if _, err := p.senders.Confirm(t.Context(), shop, from, p.code(shop, from)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.created, []string{"example.com", "example.com"}) || !slices.Equal(p.admitted[shop], []string{"example.com"}) {
		t.Errorf("%v, %v", p.created, p.admitted)
	}
}

// TestLimitsVerifications bounds the mails that an application has sent to an address that may not be its own.
func TestLimitsVerifications(t *testing.T) {
	p := newPlatform(t)
	p.verified("shop@example.com")
	for range 20 {
		p.code(shop, from)
	}
	_, err := p.senders.Verify(t.Context(), shop, from, false)
	p.refused("the 21st", err, errs.KindTooMany, "20 verifications of senders a day")
	p.code(bank, from)
	p.now = noon.Add(24 * time.Hour)
	p.code(shop, from)
}

// TestBudgetIsExactUnderConcurrency sends 200 mails at once with a budget of 100, at noon and after midnight.
func TestBudgetIsExactUnderConcurrency(t *testing.T) {
	p := newPlatform(t)
	p.confirm(shop, from)
	p.confirm(bank, from)
	for _, day := range []time.Duration{0, 24 * time.Hour} {
		p.now = noon.Add(day)
		var sent, refused atomic.Int32
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				switch _, err := p.take(shop, from, "a@example.com"); {
				case err == nil:
					sent.Add(1)
				case errs.Is(err, errs.KindTooMany) && strings.Contains(errs.Message(err), "the mail budget of the application is used up"):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		spent, err := p.counts.Spent(t.Context(), shop, allowance.Mails)
		if sent.Load() != 100 || refused.Load() != 100 || spent != 100 || err != nil {
			t.Errorf("%d sent, %d refused, %d counted, %v", sent.Load(), refused.Load(), spent, err)
		}
		if _, err := p.take(bank, from, "a@example.com"); err != nil {
			t.Errorf("another application: %v", err)
		}
	}
}

// TestBudgetCounts counts recipients and parts, the smaller of both budgets, and what was given back.
func TestBudgetCounts(t *testing.T) {
	p := newPlatform(t)
	p.confirm(shop, from)
	ctx, own := t.Context(), 3
	taken, err := p.counts.TakeMail(ctx, shop, from, &own, []string{"a@b.example", "b@b.example"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.counts.TakeMail(ctx, shop, from, &own, []string{"a@b.example", "b@b.example"})
	p.refused("two more than one left", err, errs.KindTooMany, "3 mails")
	taken.GiveBack(ctx)
	if _, err := p.counts.TakeMail(ctx, shop, from, &own, []string{"a@b.example", "b@b.example", "c@b.example"}); err != nil {
		t.Error(err)
	}
	large, none := 1000, 0
	_, err = p.counts.TakeText(ctx, shop, 11, &large)
	p.refused("more than the deployment allows", err, errs.KindTooMany, "10 parts of SMS a day")
	_, err = p.counts.TakeText(ctx, shop, 1, &none)
	p.refused("a budget of zero", err, errs.KindTooMany, "0 parts")
	if _, err := p.counts.TakeText(ctx, shop, 10, &large); err != nil {
		t.Error(err)
	}
	_, err = p.counts.TakeText(ctx, shop, 1, nil)
	p.refused("the eleventh part", err, errs.KindTooMany, "the sms budget")

	// A worker whose clock is a day behind counts into the day of the others.
	p.now = noon.Add(24 * time.Hour)
	if _, err := p.counts.TakeText(ctx, shop, 6, nil); err != nil {
		t.Error(err)
	}
	p.now = noon
	_, err = p.counts.TakeText(ctx, shop, 6, nil)
	p.refused("behind", err, errs.KindTooMany, "the sms budget")
}

// bounce records a bounce of one address.
func (p *platform) bounce(app tenant.AppID, n int, kind string) error {
	return p.counts.Record(p.Context(), app, allowance.Feedback{
		ID: fmt.Sprintf("f%d", n), Kind: kind, Sender: allowance.Key("shop@example.com"), Counts: true,
		Address: fmt.Sprintf("Reader%d@Example.com", n), Reason: "550 unknown", At: p.now,
	})
}

// TestSuppressesAddresses leaves out bounced addresses, for their application only, until somebody allows them again.
func TestSuppressesAddresses(t *testing.T) {
	p := newPlatform(t)
	p.confirm(shop, from)
	p.confirm(bank, from)
	for range 3 { // EventBridge may deliver an event more than once
		if err := p.bounce(shop, 1, allowance.Bounce); err != nil {
			t.Fatal(err)
		}
	}
	taken, err := p.take(shop, from, "a@example.com", "Reader <reader1@EXAMPLE.com>", "READER1@example.com")
	if err != nil || !slices.Equal(taken.To, []string{"a@example.com"}) || taken.Suppressed != 2 {
		t.Errorf("%+v, %v", taken, err)
	}
	_, err = p.take(shop, from, "reader1@example.com")
	p.refused("nobody is left", err, errs.KindInvalid, "to: every address is suppressed")
	if s := p.status(shop); s.Reputation.Bounced != 1 || s.Reputation.Sent != 1 {
		t.Errorf("a repeated event counts once, and a held back mail not at all: %+v", s.Reputation)
	}
	if taken, err := p.take(bank, from, "reader1@example.com"); err != nil || taken.Suppressed != 0 {
		t.Errorf("another application: %+v, %v", taken, err)
	}

	list, err := p.store.Suppressions(t.Context(), shop, page.Request{Limit: 10})
	if err != nil || len(list.Objects) != 1 || list.Objects[0].Address != "reader1@example.com" ||
		list.Objects[0].Kind != allowance.Bounce || list.Objects[0].Reason != "550 unknown" || !list.Objects[0].At.Equal(noon) {
		t.Errorf("%+v, %v", list, err)
	}
	if err := p.store.Unsuppress(t.Context(), shop, "reader1@example.com"); err != nil {
		t.Error(err)
	}
	if err := p.store.Unsuppress(t.Context(), shop, "reader1@example.com"); !errs.Is(err, errs.KindNotFound) {
		t.Error(err)
	}
	if _, err := p.take(shop, from, "reader1@example.com"); err != nil {
		t.Error(err)
	}
}

// TestPagesSuppressions lists addresses in pages.
func TestPagesSuppressions(t *testing.T) {
	p := newPlatform(t)
	for n := range 5 {
		if err := p.bounce(shop, n, allowance.Complaint); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for r := (page.Request{Limit: 2}); ; {
		list, err := p.store.Suppressions(t.Context(), shop, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list.Objects {
			got = append(got, one.Address)
		}
		if r.After = list.Next; r.After == "" {
			break
		}
	}
	if strings.Join(got, " ") != "reader0@example.com reader1@example.com reader2@example.com reader3@example.com reader4@example.com" {
		t.Error(got)
	}
}

// TestClosesBadSender closes a sender at the rates at which SES reviews an account, and not before a least number.
func TestClosesBadSender(t *testing.T) {
	for name, c := range map[string]struct {
		kind              string
		sent, least, most int // feedback that leaves it open, and that closes it
		reason            string
	}{
		"a few mails":   {allowance.Bounce, 20, 9, 10, "10 of 20 mails bounced; a sender is closed at 5 %"},
		"many mails":    {allowance.Bounce, 400, 19, 20, "20 of 400 mails bounced"},
		"complaints":    {allowance.Complaint, 20, 2, 3, "readers of 3 of 20 mails complained; a sender is closed at 0.1 %"},
		"at the window": {allowance.Complaint, 4000, 3, 4, "4 of 4000"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			p.counts.Budgets.Mails = 10_000
			p.confirm(shop, from)
			for left := c.sent; left > 0; left -= 20 {
				to := make([]string, min(left, 20))
				for i := range to {
					to[i] = "a@example.com"
				}
				if _, err := p.take(shop, from, to...); err != nil {
					t.Fatal(err)
				}
			}
			for n := range c.most {
				if n == c.least {
					if s := p.status(shop); s.Status != allowance.Confirmed {
						t.Errorf("after %d: %+v", n, s)
					}
				}
				if err := p.bounce(shop, n, c.kind); err != nil {
					t.Fatal(err)
				}
			}

			s := p.status(shop)
			if s.Status != allowance.Closed || !strings.Contains(s.Reason, c.reason) || !s.ClosedAt.Equal(noon) {
				t.Errorf("%+v", s)
			}
			_, err := p.take(shop, from, "a@example.com")
			p.refused("closed", err, errs.KindForbidden, "the sender shop@example.com is closed")
			_, err = p.senders.Verify(t.Context(), shop, from, false)
			p.refused("a new code", err, errs.KindConflict, "an administrator can reopen it")
			if err := p.bounce(shop, 99, c.kind); err != nil {
				t.Errorf("more feedback: %v", err)
			}

			for range 2 {
				if s, err := p.senders.Reopen(t.Context(), shop, from); err != nil || s.Status != allowance.Confirmed || s.Reason != "" ||
					s.Reputation.Sent+s.Reputation.Bounced+s.Reputation.Complained != 0 {
					t.Errorf("%+v, %v", s, err)
				}
			}
			if _, err := p.take(shop, from, "a@example.com"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOldMailsCountLess halves the counts of a large sender at the beginning of a day, so that its rate follows what it
// does now.
func TestOldMailsCountLess(t *testing.T) {
	p := newPlatform(t)
	p.counts.Budgets.Mails = 1_000_000
	p.confirm(shop, from)
	many := make([]string, 50)
	for i := range many {
		many[i] = "a@example.com"
	}
	for range 201 {
		if _, err := p.take(shop, from, many...); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 4 {
		if err := p.bounce(shop, n, allowance.Bounce); err != nil {
			t.Fatal(err)
		}
	}
	p.now = noon.Add(24 * time.Hour)
	if _, err := p.take(shop, from, "b@example.com"); err != nil {
		t.Fatal(err)
	}
	if r := p.status(shop).Reputation; r.Sent != 5026 || r.Bounced != 2 {
		t.Errorf("%+v", r)
	}
}
