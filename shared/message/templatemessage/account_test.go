package templatemessage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
)

var (
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
	bank = tenant.Scope{App: 8, Env: tenant.Production}
)

// vendor is a fake vendor. Each token that it gives revokes the previous one; it accepts messages with the last token.
type vendor struct {
	mu       sync.Mutex
	given    int
	fresh    int // requests with fresh
	secret   string
	sent     []string // the tokens of sent messages
	failing  error    // error of the next token requests
	lifetime time.Duration
	slow     chan struct{} // nil = gives tokens at once
}

func (v *vendor) Token(
	ctx context.Context, who templatemessage.Identity, fresh bool,
) (string, time.Duration, error) {
	if v.slow != nil {
		<-v.slow
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failing != nil {
		return "", 0, v.failing
	}
	v.given++
	if fresh {
		v.fresh++
	}
	v.secret = who.Secret
	return v.valid(), v.lifetime, nil
}

func (v *vendor) valid() string { return fmt.Sprintf("access-token-%d", v.given) }

func (v *vendor) Send(_ context.Context, _ templatemessage.Identity, token string, _ templatemessage.Message) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sent = append(v.sent, token)
	if token != v.valid() {
		return &templatemessage.Refusal{Verdict: templatemessage.BadToken, Code: "40001", Message: "invalid credential"}
	}
	return nil
}

// platform is the test environment: several instances of a sending program, a database and a clock.
type platform struct {
	*testing.T
	client   *dynamodb.Client
	mu       sync.Mutex
	now      time.Time
	vendor   *vendor
	settings *messaging.Settings
}

func newPlatform(t *testing.T) *platform {
	p := &platform{T: t, client: dynamotest.Start(t, "SettingsTable"), now: noon, vendor: &vendor{lifetime: 2 * time.Hour}}
	p.settings = &messaging.Settings{
		VendorStores: settingdb.Vendors(p.client, "SettingsTable"), Sealer: sealedtest.Sealer{}, Clock: clock.Clock(p.time),
	}
	p.set(shop, "app-secret")
	return p
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *platform) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func (p *platform) set(scope tenant.Scope, secret string) {
	p.Helper()
	app := "wx1"
	_, err := p.settings.PutVendor(p.Context(), scope, messaging.Chat, messaging.VendorPatch{
		AppID: &app, Secrets: map[string]*string{messaging.AppSecret: &secret},
	})
	if err != nil {
		p.Fatal(err)
	}
}

// instance returns a newly started instance of the program.
func (p *platform) instance() *templatemessage.Accounts {
	sealer := sealedtest.Sealer{}
	return &templatemessage.Accounts{
		Settings: p.settings, Sealer: sealer,
		Gateways: map[messaging.Vendor]templatemessage.Gateway{messaging.Chat: p.vendor, messaging.Alt: p.vendor},
		Tokens: &templatemessage.Tokens{
			Store:  &settingdb.Tokens{Client: p.client, Table: "SettingsTable"},
			Givers: map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: p.vendor}, Sealer: sealer, Clock: p.time,
		},
	}
}

func (p *platform) send(of *templatemessage.Accounts, scope tenant.Scope) error {
	p.Helper()
	a, err := of.Open(p.Context(), scope, messaging.Chat)
	if err != nil {
		p.Fatal(err)
	}
	return a.Send(p.Context(), templatemessage.Message{To: "person"})
}

// sendAfterOthers sends until no other instance is requesting the token, as each run does.
func (p *platform) sendAfterOthers(of func() *templatemessage.Accounts) error {
	p.Helper()
	for {
		if err := p.send(of(), shop); !errs.Is(err, errs.KindConflict) {
			return err
		}
	}
}

// TestInstancesShareOneToken starts eight instances at once, four times: they request one token per lifetime.
func TestInstancesShareOneToken(t *testing.T) {
	p := newPlatform(t)
	for round, wait := range []time.Duration{0, 115*time.Minute - time.Second, time.Second, 116 * time.Minute} {
		p.pass(wait)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := p.sendAfterOthers(p.instance); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		group.Wait()
		if want := []int{1, 1, 2, 3}[round]; p.vendor.given != want {
			t.Errorf("round %d: asked %d times, want %d", round, p.vendor.given, want)
		}
	}

	if p.vendor.secret != "app-secret" || p.vendor.fresh > 0 {
		t.Errorf("asked with %q, %d times for another one", p.vendor.secret, p.vendor.fresh)
	}

	name := "SettingsTable"
	all, err := p.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if text := fmt.Sprint(all.Items); err != nil || strings.Contains(text, "access-token-") {
		t.Errorf("a token is kept in clear: %v %s", err, text)
	}
}

// TestReplacesRejectedTokenOnce revokes the token, so that many instances see a rejection at the same time.
func TestReplacesRejectedTokenOnce(t *testing.T) {
	p := newPlatform(t)
	one, other := p.instance(), p.instance()
	for _, of := range []*templatemessage.Accounts{one, other} {
		if err := p.send(of, shop); err != nil {
			t.Fatal(err)
		}
	}

	p.vendor.given++ // another program requested a token

	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			of := []*templatemessage.Accounts{one, other}[i%2]
			if err := p.sendAfterOthers(func() *templatemessage.Accounts { return of }); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()

	if p.vendor.given != 3 || p.vendor.fresh != 1 {
		t.Errorf("asked %d times, %d for another one", p.vendor.given, p.vendor.fresh)
	}

	// A vendor that rejects all tokens must not be asked without end.
	p.vendor.sent = nil
	a, err := one.Open(t.Context(), shop, messaging.Chat)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		p.vendor.mu.Lock()
		p.vendor.given += 10
		p.vendor.mu.Unlock()
		if err := a.Send(t.Context(), templatemessage.Message{}); err == nil {
			p.vendor.given -= 5 // the token that was just given is revoked
		}
	}

	if p.vendor.fresh != 2 {
		t.Errorf("asked %d times for another one, want 1 more", p.vendor.fresh-1)
	}
	err = a.Send(t.Context(), templatemessage.Message{})
	if refusal, ok := errors.AsType[*templatemessage.Refusal](err); !ok || refusal.Verdict != templatemessage.BadToken ||
		!errs.Is(err, errs.KindUnavailable) {
		t.Errorf("%v", err)
	}
}

// TestUsesOldTokenWhileVendorFails uses the old token while it is valid. Without a valid one, nothing is sent, and
// the lease of a failed instance blocks the others for 15 seconds only.
func TestUsesOldTokenWhileVendorFails(t *testing.T) {
	p := newPlatform(t)
	p.vendor.failing = errors.New("connection reset")
	if err := p.send(p.instance(), shop); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("without a token: %v, want one that says that nothing was sent", err)
	}
	// The instance that failed still has the lease.
	p.vendor.failing = nil
	if err := p.send(p.instance(), shop); !errs.Is(err, errs.KindConflict) {
		t.Errorf("while another instance asks: %v", err)
	}
	p.pass(15 * time.Second)
	if err := p.send(p.instance(), shop); err != nil {
		t.Error(err)
	}

	p.pass(118 * time.Minute)
	p.vendor.failing = errs.Unavailable(0, "busy")
	if err := p.send(p.instance(), shop); err != nil {
		t.Errorf("with one that is valid for two minutes: %v", err)
	}
	p.pass(2 * time.Minute)
	if err := p.send(p.instance(), shop); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("with one that has expired: %v", err)
	}

	p.pass(15 * time.Second)
	p.vendor.failing = errs.Invalid("the vendor gives no access token for app_id and app_secret (40125)")
	if err := p.send(p.instance(), shop); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("with a wrong secret: %v", err)
	}
}

func TestRenewsTokenAfterThreeQuartersOfItsLife(t *testing.T) {
	p := newPlatform(t)
	p.vendor.lifetime = time.Minute
	for i, wait := range []time.Duration{0, 44 * time.Second, time.Second} {
		p.pass(wait)
		if err := p.send(p.instance(), shop); err != nil || p.vendor.given != []int{1, 1, 2}[i] {
			t.Errorf("step %d: %v, asked %d times", i, err, p.vendor.given)
		}
	}
	p.pass(time.Hour)
	p.vendor.lifetime = 0
	if err := p.send(p.instance(), shop); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("a token without a life: %v", err)
	}
}

// TestTokenBelongsToOneSetting requests another token after a change of the secret, and for another application. A late
// instance does not overwrite a newer token.
func TestTokenBelongsToOneSetting(t *testing.T) {
	p := newPlatform(t)
	p.set(bank, "secret of the bank")
	for i, c := range []struct {
		scope tenant.Scope
		want  string
	}{{shop, "app-secret"}, {bank, "secret of the bank"}} {
		if err := p.send(p.instance(), c.scope); err != nil || p.vendor.given != i+1 || p.vendor.secret != c.want {
			t.Errorf("%v, asked %d times, with %q", err, p.vendor.given, p.vendor.secret)
		}
	}
	p.set(shop, "new secret")
	if err := p.send(p.instance(), shop); err != nil || p.vendor.secret != "new secret" {
		t.Errorf("%v, asked with %q", err, p.vendor.secret)
	}

	// The lease of a requesting instance expires before it gets the token.
	p.pass(3 * time.Hour)
	slow := &vendor{lifetime: time.Hour, slow: make(chan struct{})}
	late := p.instance()
	late.Tokens.Givers = map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: slow}
	ended := make(chan error)
	go func() { ended <- p.send(late, shop) }()
	p.leased()
	p.pass(16 * time.Second)
	if err := p.send(p.instance(), shop); err != nil {
		t.Error(err)
	}
	close(slow.slow)
	if err := <-ended; err != nil {
		t.Errorf("the late one uses the token that is there: %v", err)
	}
}

// leases counts the writes that ask for a lease.
type leases struct {
	templatemessage.TokenStore
	asked int
}

func (l *leases) Lease(
	ctx context.Context, scope tenant.Scope, v messaging.Vendor, version int64, owner string, now, until time.Time,
) error {
	l.asked++
	return l.TokenStore.Lease(ctx, scope, v, version, owner, now, until)
}

// TestReadsOnlyWhileAnotherInstanceHasTheLease: an instance that waits for the token of another one writes nothing,
// because the store would refuse each write.
func TestReadsOnlyWhileAnotherInstanceHasTheLease(t *testing.T) {
	p := newPlatform(t)
	store := &settingdb.Tokens{Client: p.client, Table: "SettingsTable"}
	lease := func(version int64) {
		t.Helper()
		err := store.Lease(t.Context(), shop, messaging.Chat, version, "other", p.time(), p.time().Add(15*time.Second))
		if err != nil {
			t.Fatal(err)
		}
	}
	counted := &leases{TokenStore: store}
	instance := func() *templatemessage.Accounts {
		of := p.instance()
		of.Tokens.Store = counted
		return of
	}

	lease(0)
	if err := p.send(instance(), shop); !errs.Is(err, errs.KindConflict) || counted.asked != 0 || len(p.vendor.sent) != 0 {
		t.Errorf("before the first token: %v after %d writes and %d messages, want a conflict and none", err, counted.asked,
			len(p.vendor.sent))
	}
	p.pass(15 * time.Second)
	if err := p.send(instance(), shop); err != nil || counted.asked != 1 {
		t.Errorf("after the lease: %v after %d writes, want one", err, counted.asked)
	}

	p.pass(116 * time.Minute) // time for the next token
	lease(1)
	if err := p.send(instance(), shop); err != nil || counted.asked != 1 || p.vendor.given != 1 {
		t.Errorf("with the old token: %v after %d more writes, %d tokens", err, counted.asked-1, p.vendor.given)
	}
}

// leased waits until an instance has the lease of the shop's token.
func (p *platform) leased() {
	p.Helper()
	name := "SettingsTable"
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		all, err := p.client.Scan(p.Context(), &dynamodb.ScanInput{TableName: &name})
		if err != nil {
			p.Fatal(err)
		}
		for _, it := range all.Items {
			if it["leased_by"] != nil {
				return
			}
		}
	}
	p.Fatal("nobody asks")
}

// TestOpenNamesMissingSettings also checks that no token is requested from a vendor without tokens.
func TestOpenNamesMissingSettings(t *testing.T) {
	p := newPlatform(t)
	none, app := "", "2021"
	open := func(v messaging.Vendor) error { _, err := p.instance().Open(t.Context(), shop, v); return err }
	put := func(v messaging.Vendor, patch messaging.VendorPatch) {
		t.Helper()
		if _, err := p.settings.PutVendor(t.Context(), shop, v, patch); err != nil {
			t.Fatal(err)
		}
	}

	if err := open(messaging.Alt); !errs.Is(err, errs.KindNotFound) || err.Error() != "there is no message setting for alt" {
		t.Error(err)
	}
	put(messaging.Alt, messaging.VendorPatch{AppID: &app})
	if err := open(messaging.Alt); !errs.Is(err, errs.KindInvalid) ||
		err.Error() != "the message setting of alt has no private_key" {
		t.Error(err)
	}

	put(messaging.Chat, messaging.VendorPatch{AppID: &none})
	if err := open(messaging.Chat); !errs.Is(err, errs.KindInvalid) ||
		err.Error() != "the message setting of chat has no app_id" {
		t.Error(err)
	}
}
