package smscode_test

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
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

var (
	shop = tenant.Scope{App: 1001, Env: tenant.Production}
	bank = tenant.Scope{App: 1002, Env: tenant.Production}
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

const number = "13800138000"

// platform has a Codes whose messages go into a list.
type platform struct {
	*testing.T
	*smscode.Codes
	client  *dynamodb.Client
	setting messaging.SMS
	now     time.Time

	mu   sync.Mutex
	sent []string
	fail []error // errors of the next calls
}

func newPlatform(t *testing.T) *platform {
	p := &platform{T: t, client: dynamotest.Start(t, "TriggerLogTable", "UsersTable"), now: noon, setting: messaging.SMS{
		Enabled: true, Signatures: []messaging.Signature{
			{Name: "Old", Status: messaging.Approved}, {Name: "Tea", Status: messaging.Approved},
			{Name: "New", Status: messaging.Pending},
		},
	}}
	now := clock.Clock(func() time.Time { return p.now })
	p.Codes = &smscode.Codes{
		Settings: p, Sender: sender{p}, Users: p, Keys: sealedtest.Sealer{}, Phones: phone.Key, Clock: now,
		Claims: &triggerdb.Claims{Client: p.client, Table: "TriggerLogTable", Clock: now},
		Store:  &proofdb.Codes{Client: p.client, Table: "UsersTable"},
	}
	return p
}

func (p *platform) SMS(context.Context, tenant.Scope) (messaging.SMS, error) { return p.setting, nil }
func (*platform) ForgetSMS(tenant.Scope)                                     {}

func (p *platform) Profile(_ context.Context, _ tenant.Scope, u user.ID, _ string) (user.Profile, error) {
	if u > 10 {
		return nil, errs.NotFound("user %d not found", u)
	}
	return user.Profile{"id": int64(u)}, nil
}

// sender implements sms.Sender; platform itself has the Send of Codes.
type sender struct{ p *platform }

func (s sender) Send(_ context.Context, m sms.Message) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if len(s.p.fail) > 0 {
		err := s.p.fail[0]
		s.p.fail = s.p.fail[1:]
		return err
	}
	s.p.sent = append(s.p.sent, m.Number+" "+m.Text)
	return nil
}

var sixDigits = regexp.MustCompile(`\b[1-9]\d{5}\b`)

// code sends a code for the test number in a scope, and returns the code.
func (p *platform) code(scope tenant.Scope, u user.ID) string {
	p.Helper()
	if err := p.Codes.Send(p.Context(), scope, smscode.Request{Phone: number, User: u}); err != nil {
		p.Fatal(err)
	}
	return sixDigits.FindString(p.sent[len(p.sent)-1])
}

// other returns a code that differs from this one.
func other(code string) string {
	if code == "123456" {
		return "123457"
	}
	return "123456"
}

func keyed(ctx context.Context, seed string) context.Context {
	return writetoken.NewContext(ctx, &writetoken.Request{At: noon, Seed: seed})
}

// wrong reports whether an error is the one of all rejected codes.
func wrong(err error) bool {
	return errs.Is(err, errs.KindInvalid) && errs.Message(err) == "code is wrong or has expired"
}

// TestCodeIsSpentOnce verifies a code twenty times concurrently, and in another application.
func TestCodeIsSpentOnce(t *testing.T) {
	p := newPlatform(t)
	code := p.code(shop, 0)
	if want := "+8613800138000 【Tea】" + code + " is your verification code, valid for 10 minutes."; p.sent[0] != want {
		t.Errorf("%s, want %s", p.sent[0], want)
	}
	if err := p.Verify(t.Context(), bank, number, code, 0); !wrong(err) {
		t.Errorf("in another application: %v", err)
	}
	if err := p.Verify(t.Context(), shop, "13800138001", code, 0); !wrong(err) {
		t.Errorf("of another number: %v", err)
	}

	var right, refused atomic.Int32
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			switch err := p.Verify(t.Context(), shop, "+8613800138000", code, 0); {
			case err == nil:
				right.Add(1)
			case wrong(err):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()

	if right.Load() != 1 || refused.Load() != 19 {
		t.Errorf("%d were right, %d refused", right.Load(), refused.Load())
	}
}

// moved is a store in which the code of one number was copied to all others.
type moved struct {
	smscode.Store
	from string
}

func (m moved) TryCode(ctx context.Context, scope tenant.Scope, _ string, now time.Time) (smscode.Kept, error) {
	return m.Store.TryCode(ctx, scope, m.from, now)
}

// TestCodeProvesOneNumber rejects a code for another number that has its own code, and a code copied to another number
// in the store.
func TestCodeProvesOneNumber(t *testing.T) {
	const neighbour = "13800138001"
	p := newPlatform(t)
	code := p.code(shop, 0)
	if err := p.Codes.Send(t.Context(), shop, smscode.Request{Phone: neighbour}); err != nil {
		t.Fatal(err)
	}
	if theirs := sixDigits.FindString(p.sent[1]); theirs != code {
		if err := p.Verify(t.Context(), shop, neighbour, code, 0); !wrong(err) {
			t.Errorf("told for another number: %v", err)
		}
	}

	kept := p.Codes.Store
	p.Codes.Store = moved{kept, "+86" + number}
	if err := p.Verify(t.Context(), shop, neighbour, code, 0); !wrong(err) {
		t.Errorf("moved to another number: %v", err)
	}
	p.Codes.Store = kept
	if err := p.Verify(t.Context(), shop, number, code, 0); err != nil {
		t.Errorf("for its own number: %v", err)
	}
}

// TestCodeAllowsFiveGuesses checks sequential and concurrent guesses. Afterwards the correct code is void; the next
// code is valid.
func TestCodeAllowsFiveGuesses(t *testing.T) {
	p := newPlatform(t)
	code := p.code(shop, 0)
	var group sync.WaitGroup
	for range 30 {
		group.Go(func() {
			if err := p.Verify(t.Context(), shop, number, other(code), 0); !wrong(err) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if err := p.Verify(t.Context(), shop, number, code, 0); !wrong(err) {
		t.Errorf("a code after %d guesses: %v", 30, err)
	}

	p.now = p.now.Add(time.Minute)
	code = p.code(shop, 0)
	for range smscode.MaxTries - 1 {
		if err := p.Verify(t.Context(), shop, number, other(code), 0); !wrong(err) {
			t.Error(err)
		}
	}
	if err := p.Verify(t.Context(), shop, number, code, 0); err != nil {
		t.Errorf("at the last try: %v", err)
	}
}

// TestCodeExpires checks that a code expires after ten minutes, and when the next code is sent.
func TestCodeExpires(t *testing.T) {
	p := newPlatform(t)
	first := p.code(shop, 0)
	p.now = p.now.Add(time.Minute)
	second := p.code(shop, 0)
	if err := p.Verify(t.Context(), shop, number, first, 0); first != second && !wrong(err) {
		t.Errorf("the one before: %v", err)
	}
	p.now = p.now.Add(10*time.Minute - time.Millisecond)
	if err := p.Verify(t.Context(), shop, number, other(second), 0); !wrong(err) {
		t.Error(err)
	}
	p.now = p.now.Add(time.Millisecond)
	if err := p.Verify(t.Context(), shop, number, second, 0); !wrong(err) {
		t.Errorf("after ten minutes: %v", err)
	}
}

// TestLimitsCodesPerNumber checks the limits of one message a minute and ten a day, per application.
func TestLimitsCodesPerNumber(t *testing.T) {
	p := newPlatform(t)
	for round := range 10 {
		var accepted atomic.Int32
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				err := p.Codes.Send(t.Context(), shop, smscode.Request{Phone: number})
				switch {
				case err == nil:
					accepted.Add(1)
				case !errs.Is(err, errs.KindInvalid) && !errs.Is(err, errs.KindConflict):
					t.Error(err)
				}
			})
		}
		group.Wait()
		if accepted.Load() != 1 || len(p.sent) != round+1 {
			t.Fatalf("round %d: %d accepted, %d sent", round, accepted.Load(), len(p.sent))
		}
		p.now = p.now.Add(time.Minute)
	}

	err := p.Codes.Send(t.Context(), shop, smscode.Request{Phone: number})
	want := "phone: a number gets one message a minute and 10 a day, the next in 85800 seconds"
	if !errs.Is(err, errs.KindInvalid) || errs.Message(err) != want {
		t.Errorf("the eleventh: %v", err)
	}
	if err := p.Codes.Send(t.Context(), bank, smscode.Request{Phone: number}); err != nil {
		t.Errorf("another application: %v", err)
	}
	p.now = noon.Add(24 * time.Hour)
	if err := p.Codes.Send(t.Context(), shop, smscode.Request{Phone: number}); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

// TestRepeatedRequestHasOneEffect repeats requests under one write token: one message is sent, and the same request can
// verify the spent code again.
func TestRepeatedRequestHasOneEffect(t *testing.T) {
	p := newPlatform(t)
	for range 3 {
		err := p.Codes.Send(keyed(t.Context(), "one"), shop, smscode.Request{Phone: number})
		if err != nil || len(p.sent) != 1 {
			t.Errorf("%v, %d sent", err, len(p.sent))
		}
	}
	code := sixDigits.FindString(p.sent[0])
	for range 3 {
		if err := p.Verify(keyed(t.Context(), "two"), shop, number, code, 0); err != nil {
			t.Error(err)
		}
	}
	if err := p.Verify(keyed(t.Context(), "three"), shop, number, code, 0); !wrong(err) {
		t.Errorf("another request: %v", err)
	}
}

// TestCodeIsBoundToUser checks that a code is valid for its user, or for a request without a user.
func TestCodeIsBoundToUser(t *testing.T) {
	p := newPlatform(t)
	code := p.code(shop, 5)
	if err := p.Verify(t.Context(), shop, number, code, 6); !wrong(err) {
		t.Errorf("of another user: %v", err)
	}
	if err := p.Verify(t.Context(), shop, number, code, 5); err != nil {
		t.Error(err)
	}
	p.now = p.now.Add(time.Minute)
	if err := p.Verify(t.Context(), shop, number, p.code(shop, 5), 0); err != nil {
		t.Error(err)
	}
}

// TestRefusesToSend checks the reason of each refusal. Only a call of the SMS service starts the minute of a number.
func TestRefusesToSend(t *testing.T) {
	p := newPlatform(t)
	for want, r := range map[string]smscode.Request{
		"phone must be a phone number":         {Phone: "12"},
		"user_id: there is no such user":       {Phone: number, User: 11},
		"signature_id: the sms-setting has no": {Phone: number, Signature: "4"},
		`signature_id: the signature "New"`:    {Phone: number, Signature: "3"},
	} {
		err := p.Codes.Send(t.Context(), shop, r)
		if !errs.Is(err, errs.KindInvalid) || !strings.HasPrefix(errs.Message(err), want) {
			t.Errorf("%+v: %v, want %s", r, err, want)
		}
	}

	for _, code := range []string{"", "12345", "1234567", "12345x", "-12345", "１２３４５６"} {
		err := p.Verify(t.Context(), shop, number, code, 0)
		if !errs.Is(err, errs.KindInvalid) || errs.Message(err) != "code must be the 6 digits of the message" {
			t.Errorf("%q: %v", code, err)
		}
	}

	p.setting.Enabled = false
	if err := p.Codes.Send(t.Context(), shop, smscode.Request{Phone: number}); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("SMS is not enabled: %v", err)
	}
	p.setting.Enabled = true

	for kind, failure := range map[errs.Kind]error{
		errs.KindTooMany: errs.TooMany(0, "slow down"), errs.KindConflict: errors.New("the connection broke"),
	} {
		p.fail = []error{failure}
		if err := p.Codes.Send(t.Context(), shop, smscode.Request{Phone: number}); !errs.Is(err, kind) {
			t.Errorf("%v: %v", failure, err)
		}
		p.now = p.now.Add(time.Minute)
	}

	if len(p.sent) != 0 {
		t.Errorf("%d were sent", len(p.sent))
	}
	p.code(shop, 0)
}

// TestCodeIsNotReadable checks that neither the store nor an error contains the code.
func TestCodeIsNotReadable(t *testing.T) {
	p := newPlatform(t)
	p.setting.Templates = []messaging.Template{
		{Name: smscode.TemplateName, Text: "code {{ code }}, {{ minutes }} min", Status: messaging.Approved},
	}
	code := p.code(shop, 0)
	if p.sent[0] != "+8613800138000 【Tea】code "+code+", 10 min" {
		t.Errorf("%s", p.sent[0])
	}
	if err := p.Verify(t.Context(), shop, number, other(code), 0); err == nil || strings.Contains(err.Error(), code) {
		t.Errorf("%v", err)
	}

	var items []dynamo.Item
	for _, name := range []string{"TriggerLogTable", "UsersTable"} {
		all, err := p.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
		if err != nil || len(all.Items) == 0 {
			t.Fatalf("%s: %d items, %v", name, len(all.Items), err)
		}
		items = append(items, all.Items...)
	}
	// Search for the code as a whole word: its digits can be part of a time or a hash by chance.
	whole := regexp.MustCompile(`\b` + code + `\b`)
	for _, item := range items {
		for attribute, v := range item {
			if whole.MatchString(attribute + fmt.Sprintf(" %s %v", v, v)) {
				t.Errorf("%s holds the code: %v", attribute, v)
			}
		}
	}
	if !slices.ContainsFunc(items, func(it dynamo.Item) bool { return it["code_hash"] != nil }) {
		t.Error("there is no hash")
	}
}
