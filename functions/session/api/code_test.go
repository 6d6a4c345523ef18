package api_test

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/message/messaging"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/user/phone"
)

const (
	loginCode = "POST /hserve/v2.1/login/sms/"
	ownCode   = "POST /hserve/v2.1/sms-phone-verification/"
	number    = "13800138000"
)

var bankScope = tenant.Scope{App: bank.ID, Env: tenant.Production}

// outbox is a fake SMS service and its setting, which is complete in every environment.
type outbox struct {
	mu    sync.Mutex
	texts []string
}

func (o *outbox) Send(_ context.Context, m sms.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.texts = append(o.texts, m.Text)
	return nil
}

func (*outbox) SMS(context.Context, tenant.Scope) (messaging.SMS, error) {
	return messaging.SMS{Enabled: true, Signatures: []messaging.Signature{{Name: "Tea", Status: messaging.Approved}}}, nil
}

func (*outbox) ForgetSMS(tenant.Scope) {}

func (p *platform) openCodes(client *dynamodb.Client) *smscode.Codes {
	return &smscode.Codes{
		Settings: &p.outbox, Sender: &p.outbox, Keys: sealedtest.Sealer{}, Phones: phone.Key, Clock: p.time,
		Claims: &triggerdb.Claims{Client: client, Table: "UsersTable", Clock: p.time},
		Store:  &proofdb.Codes{Client: client, Table: "UsersTable"},
	}
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// code sends a code to a number, a minute after the one before, and returns it.
func (p *platform) code(t testing.TB, scope tenant.Scope, number string) string {
	t.Helper()
	p.later(time.Minute)
	if err := p.codes.Send(t.Context(), scope, smscode.Request{Phone: number}); err != nil {
		t.Fatal(err)
	}
	return sixDigits.FindString(p.outbox.texts[len(p.outbox.texts)-1])
}

func byCode(number, code string) body { return body{"phone": number, "code": code} }

// other returns a code that differs from this one.
func other(code string) string {
	if code == "123456" {
		return "123457"
	}
	return "123456"
}

// TestLoginByCode: a code logs the owner of a phone in once, creates the user if there is none, and proves nothing
// elsewhere.
func TestLoginByCode(t *testing.T) {
	p := newPlatform(t)
	code := p.code(t, shopScope, number)
	inBank := caller{}.set("X-Service-Client-ID", string(bank.ClientID))
	p.want(t, inBank, loginCode, byCode(number, code).String(), 400)
	p.want(t, caller{}.set("X-Service-Env-ID", string(testEnv)), loginCode, byCode(number, code).String(), 400)
	p.want(t, nil, loginCode, `{"phone":"123","code":"123456"}`, 400)
	p.want(t, nil, loginCode, `{"phone":"13800138000","code":"12345"}`, 400)
	p.want(t, nil, loginCode, `{"phone":"13800138000"}`, 400)
	p.want(t, nil, loginCode, byCode(number, other(code)).with(body{"create_user": false}).String(), 400)

	// The code is still good after a login that found nobody.
	p.want(t, nil, loginCode, byCode(number, code).with(body{"create_user": false}).String(), 404)
	made := p.want(t, nil, loginCode, fmt.Sprintf(`{"phone":13800138000,"code":%s}`, code), 201)
	made.wantMembers(t, map[string]any{"_phone": number, "_phone_verified": true, "_anonymous": false, "expires_in": 2592000.0})
	if made.object("_session")["login_method"] != "sms" || made.text("token") == "" {
		t.Errorf("%s", made.body)
	}
	p.want(t, nil, loginCode, byCode(number, code).String(), 400)

	code = p.code(t, shopScope, number)
	p.want(t, nil, loginCode, byCode("+86 138-0013-8000", code).with(body{"create_user": false}).String(), 201).
		wantMembers(t, map[string]any{"id": made.member("id")})
	p.want(t, nil, loginCode, byCode(number, code).String(), 400)

	// A code expires, and is void after five wrong tries, wherever they come from.
	code = p.code(t, shopScope, number)
	p.later(10 * time.Minute)
	p.want(t, nil, loginCode, byCode(number, code).String(), 400)
	code = p.code(t, shopScope, number)
	for i := range smscode.MaxTries {
		from := caller{}.set("address", fmt.Sprint("198.51.100.", i))
		p.want(t, from, loginCode, byCode(number, other(code)).String(), 400)
	}
	p.want(t, nil, loginCode, byCode(number, code).String(), 400)

	// A blocked user is told only with the right code.
	p.want(t, admin, fmt.Sprintf("PUT /oserve/v3/user/%d/", made.id()), `{"blocked":true}`, 200)
	code = p.code(t, shopScope, number)
	p.want(t, nil, loginCode, byCode(number, other(code)).String(), 400)
	p.want(t, nil, loginCode, byCode(number, code).String(), 403)

	off := shop
	off.Settings.LoginMethods = []app.LoginMethod{app.LoginPhone}
	p.clients[shop.ClientID] = off
	p.want(t, nil, loginCode, byCode(number, code).String(), 405)
}

// TestLoginByCodeKeepsGuest: a temporary user becomes the new one; a phone that has a user logs that one in.
func TestLoginByCodeKeepsGuest(t *testing.T) {
	p := newPlatform(t)
	guest := p.want(t, nil, loginAnonymous, "", 201)
	as := caller{}.with(guest.text("token"))
	made := p.want(t, as, loginCode, byCode(number, p.code(t, shopScope, number)).String(), 201)
	made.wantMembers(t, map[string]any{"id": guest.member("id"), "_anonymous": false, "_phone_verified": true})
	if p.live(t, nil, guest.text("token")) {
		t.Error("the token of the temporary user goes on")
	}

	second := p.want(t, nil, loginAnonymous, "", 201)
	as = caller{}.with(second.text("token"))
	p.want(t, as, loginCode, byCode(number, p.code(t, shopScope, number)).String(), 201).
		wantMembers(t, map[string]any{"id": made.member("id")})
	if !p.live(t, nil, second.text("token")) {
		t.Error("the other temporary user has no session any more")
	}
}

// TestLoginByCodeTakesOverUnverifiedPhone: as TestPhoneLoginTakesOverUnverifiedPhone, but for a caller with a session of
// the account.
func TestLoginByCodeTakesOverUnverifiedPhone(t *testing.T) {
	p := newPlatform(t)
	const credentials = `{"phone":"13800138000","password":"correct horse"}`
	registered := p.want(t, nil, registerPhone, credentials, 201)
	as := caller{}.with(registered.text("token"))
	p.want(t, as, account, `{"username":"mallory"}`, 200)
	code := p.code(t, shopScope, number)
	p.want(t, nil, loginCode, byCode(number, code).String(), 201).wantMembers(t, map[string]any{
		"id": registered.member("id"), "_phone": number, "_phone_verified": true, "_username": nil,
	})
	if p.live(t, nil, registered.text("token")) {
		t.Error("the session from before goes on")
	}
	p.want(t, nil, loginPhone, credentials, 400)
	p.want(t, nil, loginUsername, `{"username":"mallory","password":"correct horse"}`, 400)

	const own = `{"phone":"13800138001","password":"correct horse"}`
	ada := p.want(t, nil, registerPhone, own, 201)
	as = caller{}.with(ada.text("token"))
	p.want(t, as, loginCode, byCode("13800138001", p.code(t, shopScope, "13800138001")).String(), 201).
		wantMembers(t, map[string]any{"id": ada.member("id"), "_phone_verified": true})
	p.want(t, nil, loginPhone, own, 201)
}

// TestConcurrentLoginsByCode: of concurrent logins by one code one succeeds, of a new user and of a known one.
func TestConcurrentLoginsByCode(t *testing.T) {
	p := newPlatform(t)
	for round := range 3 {
		code := p.code(t, shopScope, number)
		var group sync.WaitGroup
		statuses := make([]int, smscode.MaxTries)
		for i := range statuses {
			group.Go(func() { statuses[i] = p.send(t, nil, loginCode, byCode(number, code).String()).status })
		}
		group.Wait()
		count := map[int]int{}
		for _, status := range statuses {
			count[status]++
		}
		if count[201] != 1 || count[400] != len(statuses)-1 {
			t.Errorf("round %d: %v", round, count)
		}
	}
	if got := p.profiles(t); got != 1 {
		t.Errorf("%d users", got)
	}
}

// TestFailedLoginByCodeSpendsNothing: whatever call fails, the same code logs in afterwards, and there is one user.
func TestFailedLoginByCodeSpendsNothing(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	for name, known := range map[string]bool{"new user": false, "known user": true} {
		n := 0
		dynamotest.FailEach(t, client, func(failing *dynamodb.Client) error {
			n++
			number := fmt.Sprintf("1380013%d%03d", map[bool]int{false: 1, true: 2}[known], n)
			if known {
				p.want(t, nil, loginCode, byCode(number, p.code(t, shopScope, number)).String(), 201)
			}
			before, code := p.profiles(t), p.code(t, shopScope, number)
			broken := platformOn(failing)
			broken.now = p.time()
			logins := &smscode.Logins{Logins: broken.logins, Codes: broken.codes}
			_, err := logins.LogIn(t.Context(), shopScope, smscode.LoginRequest{Phone: number, Code: code, Create: true})
			status := 400
			if err != nil {
				status = 201
			}
			p.want(t, nil, loginCode, byCode(number, code).String(), status)
			if after := p.profiles(t); after-before != map[bool]int{false: 1, true: 0}[known] {
				t.Errorf("%s, call %d fails: %d users became %d", name, n, before, after)
			}
			return err
		})
	}
}

// TestVerifyOwnPhone: the caller's phone is verified by the code that was sent to it, once.
func TestVerifyOwnPhone(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	ada, as := p.registered(t, "ada")
	told := func(code string) string { return body{"code": code}.String() }
	p.want(t, as, ownCode, told("123456"), 400)
	p.want(t, as, account, `{"phone":"13800138000"}`, 200)
	code := p.code(t, shopScope, number)
	p.want(t, nil, ownCode, told(code), 401)
	p.want(t, caller{}.with(p.want(t, nil, loginAnonymous, "", 201).text("token")), ownCode, told(code), 403)
	p.want(t, as, ownCode, told(other(code)), 400)

	// A repetition after a crash has the same answer; another request finds the code spent.
	keyed := as.set("Idempotency-Key", "one")
	for range 2 {
		p.want(t, keyed, ownCode, told(code), 200).
			wantMembers(t, map[string]any{"id": ada.member("id"), "_phone": number, "_phone_verified": true, "token": nil})
		dynamotest.ForgetAnswers(t, client, "IdempotencyTable")
	}
	p.want(t, as, ownCode, told(code), 400)
	if !p.live(t, nil, ada.text("token")) {
		t.Error("the session has ended")
	}
	p.want(t, nil, loginUsername, `{"username":"ada","password":"correct horse"}`, 201)

	// A new number is unverified, and the code of the old one does not prove it.
	code = p.code(t, shopScope, number)
	p.want(t, as, account, `{"phone":"13800138001"}`, 200)
	p.want(t, as, ownCode, told(code), 400)
	p.want(t, as, ownCode, told(p.code(t, shopScope, "13800138001")), 200).wantMembers(t, map[string]any{"_phone_verified": true})
	if code := p.code(t, bankScope, "13800138001"); p.send(t, as, ownCode, told(code)).status != 400 {
		t.Error("the code of another application verifies")
	}
}
