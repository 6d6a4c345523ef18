package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/proof/maillink"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/email"
)

const (
	askVerify   = "POST /hserve/v2.0/user/email-verify/"
	askReset    = "POST /hserve/v2.0/user/password/reset/"
	confirm     = "POST /hserve/v2.0/user/password/reset/confirm/"
	registerAda = `{"email":"ada@example.com","password":"correct horse"}`
)

// mails is a fake mail service and its setting.
type mails struct {
	mu      sync.Mutex
	sender  string
	sent    []email.Mail
	failure error // of the next mail
}

func (m *mails) Mail(context.Context, tenant.Scope) (messaging.Mail, error) {
	return messaging.Mail{Sender: m.sender, ListUnsubscribe: "https://shop.example.com/no"}, nil
}

func (m *mails) Send(_ context.Context, one email.Mail) (email.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failure; err != nil {
		m.failure = nil
		return email.Receipt{}, err
	}
	m.sent = append(m.sent, one)
	return email.Receipt{}, nil
}

func (p *platform) openLinks(client *dynamodb.Client) *maillink.Links {
	p.mails.sender = "Shop <shop@example.com>"
	return &maillink.Links{
		Applications: applications{p}, Logins: p.logins, Store: &proofdb.Links{Client: client, Table: "UsersTable"},
		Settings: &p.mails, Sender: &p.mails, Claims: &triggerdb.Claims{Client: client, Table: "UsersTable", Clock: p.time},
	}
}

// applications finds the applications of the tests by their handles.
type applications struct{ p *platform }

func (a applications) ByHandle(_ context.Context, h app.Handle) (app.Application, error) {
	for id, one := range a.p.clients {
		if id.Handle() == h {
			return one, nil
		}
	}
	return app.Application{}, errs.NotFound("application not found")
}

var tokenInMail = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// token asks for a mail and returns its token.
func (p *platform) token(t testing.TB, from caller, request, body string) string {
	t.Helper()
	p.later(time.Minute)
	before := len(p.mails.sent)
	p.want(t, from, request, body, 201)
	if len(p.mails.sent) != before+1 {
		t.Fatalf("%s sent %d mails", request, len(p.mails.sent)-before)
	}
	return tokenInMail.FindString(p.mails.sent[before].Body)
}

func verifyLink(token string) string { return "GET /hserve/v2.0/user/email-verify/" + token + "/" }

// verifiedUser registers a user by e-mail, who verifies the address.
func (p *platform) verifiedUser(t testing.TB) caller {
	t.Helper()
	as := caller{}.with(p.want(t, nil, registerEmail, registerAda, 201).text("token"))
	p.want(t, caller{"X-Service-Client-ID": ""}, verifyLink(p.token(t, as, askVerify, "{}")), "", 200)
	return as
}

func resetBody(token, password string) string {
	return body{"token": token, "new_password": password}.String()
}

// TestVerifiesEmail: the link of a mail verifies the address once, within a day, in its application and environment.
func TestVerifiesEmail(t *testing.T) {
	p := newPlatform(t)
	ada := p.want(t, nil, registerEmail, registerAda, 201)
	as := caller{}.with(ada.text("token"))
	token := p.token(t, as, askVerify, "")
	m := p.mails.sent[0]
	if m.To[0] != "ada@example.com" || m.From != `"Shop" <shop@example.com>` || m.Unsubscribe != "" || m.HTML ||
		m.Subject != "Confirm your email address for shop" || !strings.Contains(m.Body, "https://example.com/hserve/v2.0/user/email-verify/"+token+"/\n") {
		t.Errorf("%+v", m)
	}
	// The first mail is on its way.
	p.want(t, as, askVerify, "{}", 201)
	if len(p.mails.sent) != 1 {
		t.Errorf("%d mails", len(p.mails.sent))
	}

	plain := caller{"X-Service-Client-ID": ""}
	for _, wrong := range []string{"abc", strings.Repeat("0", 64), token[:63] + "g", token[:63]} {
		p.want(t, plain, verifyLink(wrong), "", 400)
	}
	p.want(t, caller{}.set("X-Service-Client-ID", string(bank.ClientID)), verifyLink(token), "", 400)
	p.want(t, caller{}.set("X-Service-Env-ID", string(testEnv)), verifyLink(token), "", 400)
	p.want(t, caller{}.set("X-Service-Client-ID", "12"), verifyLink(token), "", 401)
	p.want(t, nil, confirm, resetBody(token, "battery staple"), 400)
	p.want(t, plain, verifyLink(token), "", 200).wantMembers(t, map[string]any{"status": "ok"})
	p.want(t, plain, verifyLink(token), "", 400)
	p.want(t, as, account, "{}", 200).wantMembers(t, map[string]any{"email_verified": true})
	p.want(t, nil, loginEmail, registerAda, 201).wantMembers(t, map[string]any{"_email_verified": true})
	p.want(t, as, askVerify, "{}", 400)

	// Another address is unverified; the mail to the one before is void, and a token expires.
	p.want(t, as, account, `{"email":"a@example.com"}`, 200).wantMembers(t, map[string]any{"email_verified": false})
	void := p.token(t, as, askVerify, "{}")
	p.want(t, as, account, `{"email":"b@example.com"}`, 200)
	p.want(t, plain, verifyLink(void), "", 400)
	late := p.token(t, as, askVerify, "{}")
	p.later(24 * time.Hour)
	p.want(t, plain, verifyLink(late), "", 400)
	p.want(t, as, account, `{"email":null}`, 200)
	p.want(t, as, askVerify, "{}", 400)

	p.want(t, nil, askVerify, "{}", 401)
	p.want(t, caller{}.with(p.want(t, nil, loginAnonymous, "", 201).text("token")), askVerify, "{}", 403)
	inTest := caller{}.set("X-Service-Env-ID", string(testEnv))
	other := inTest.with(p.want(t, inTest, registerEmail, registerAda, 201).text("token"))
	p.want(t, plain, verifyLink(p.token(t, other, askVerify, "{}")), "", 200)
	p.want(t, other, account, "{}", 200).wantMembers(t, map[string]any{"email_verified": true})
}

// TestMailOfAnotherLanguage: mails are in the language of the request and link to the application's own pages.
func TestMailOfAnotherLanguage(t *testing.T) {
	p := newPlatform(t)
	p.verifiedUser(t)
	own := shop
	own.Settings.Pages = app.Pages{Reset: "https://shop.example.com/reset?from=mail", Verify: "https://shop.example.com/verify"}
	p.clients[shop.ClientID] = own
	token := p.token(t, caller{}.set("Accept-Language", "fr;q=0.9, zh-CN, en"), askReset, `{"email":"Ada@Example.com"}`)
	m := p.mails.sent[len(p.mails.sent)-1]
	if m.Subject != "重置您在 shop 的密码" || m.To[0] != "ada@example.com" ||
		!strings.Contains(m.Body, "\nhttps://shop.example.com/reset?from=mail&token="+token+"\n") {
		t.Errorf("%+v", m)
	}
	p.want(t, nil, confirm, resetBody(token, "battery staple"), 201)
}

// TestResetsPassword: a reset works with a verified address only, once, within 30 minutes, and ends all sessions.
func TestResetsPassword(t *testing.T) {
	p := newPlatform(t)
	const ada = `{"email":"ada@example.com"}`
	p.want(t, nil, askReset, `{"email":"ada"}`, 400)
	p.want(t, nil, askReset, ada, 404)
	as := p.verifiedUser(t)
	p.want(t, caller{}.set("X-Service-Client-ID", string(bank.ClientID)), askReset, ada, 404)

	token := p.token(t, nil, askReset, ada)
	p.want(t, nil, confirm, resetBody(token, "short"), 400)
	p.want(t, nil, confirm, resetBody(strings.Repeat("0", 64), "battery staple"), 400)
	p.want(t, caller{}.set("X-Service-Client-ID", string(bank.ClientID)), confirm, resetBody(token, "battery staple"), 400)
	p.want(t, caller{"X-Service-Client-ID": ""}, confirm, resetBody(token, "battery staple"), 401)
	p.want(t, nil, verifyLink(token), "", 400)
	second := p.token(t, nil, askReset, ada)
	p.want(t, nil, confirm, resetBody(token, "battery staple"), 201).wantMembers(t, map[string]any{"status": "ok"})
	p.want(t, as, account, "{}", 401)
	p.want(t, nil, loginEmail, registerAda, 400)
	here := caller{}.with(p.want(t, nil, loginEmail, `{"email":"ada@example.com","password":"battery staple"}`, 201).text("token"))
	p.want(t, nil, confirm, resetBody(token, "another one"), 400)
	p.want(t, nil, confirm, resetBody(second, "another one"), 400) // of before the change
	p.want(t, here, account, "{}", 200)

	late := p.token(t, nil, askReset, ada)
	p.later(30 * time.Minute)
	p.want(t, nil, confirm, resetBody(late, "another one"), 400)
	void := p.token(t, nil, askReset, ada)
	p.want(t, here, account, `{"email":"other@example.com"}`, 200)
	p.want(t, nil, confirm, resetBody(void, "another one"), 400)
	gone := p.token(t, here, askVerify, "{}")
	p.want(t, here, closing, `{"password":"battery staple"}`, 201)
	p.want(t, nil, verifyLink(gone), "", 400)
}

// TestConcurrentResets: of concurrent uses of a token one succeeds.
func TestConcurrentResets(t *testing.T) {
	p := newPlatform(t)
	p.verifiedUser(t)
	token := p.token(t, nil, askReset, `{"email":"ada@example.com"}`)
	var group sync.WaitGroup
	statuses := make([]int, 6)
	for i := range statuses {
		group.Go(func() {
			statuses[i] = p.send(t, nil, confirm, resetBody(token, fmt.Sprint("battery staple ", i))).status
		})
	}
	group.Wait()
	done := 0
	for i, status := range statuses {
		works := p.send(t, nil, loginEmail, fmt.Sprintf(`{"email":"ada@example.com","password":"battery staple %d"}`, i)).status == 201
		if works != (status == 201) || status != 201 && status != 400 {
			t.Errorf("reset %d: %d, the password works: %v", i, status, works)
		}
		if status == 201 {
			done++
		}
	}
	if done != 1 {
		t.Errorf("%v", statuses)
	}
}

// TestLimitsMails: 20 requests an hour from one address, one mail a minute and ten a day to one mailbox. A mail that was
// not sent does not count, and a repetition under an Idempotency-Key sends nothing.
func TestLimitsMails(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	as := p.verifiedUser(t)
	for i := range maillink.MaxPerAddress {
		p.want(t, nil, askReset, fmt.Sprintf(`{"email":"nobody-%d@example.com"}`, i), 404)
	}
	refused := p.want(t, nil, askReset, `{"email":"ada@example.com"}`, 429)
	if refused.header.Get("Retry-After") != "3600" {
		t.Errorf("%v", refused.header)
	}
	before := len(p.mails.sent)
	for i := range 15 {
		from := caller{}.set("address", fmt.Sprint("198.51.100.", i))
		status := 201
		if i >= 10 {
			status = 429
		}
		p.want(t, from, askReset, `{"email":"ada@example.com"}`, status)
		p.want(t, from, askReset, `{"email":"ada@example.com"}`, status)
		p.later(time.Minute)
	}
	if sent := len(p.mails.sent) - before; sent != 10 {
		t.Errorf("%d mails", sent)
	}

	p.want(t, as, account, `{"email":"new@example.com"}`, 200)
	p.mails.failure = errs.Forbidden("not confirmed")
	p.want(t, as, askVerify, "{}", 400)
	p.mails.failure = errs.TooMany(0, "the budget is used up")
	p.want(t, as, askVerify, "{}", 429)
	keyed := as.set("Idempotency-Key", "one")
	before = len(p.mails.sent)
	for range 3 {
		p.want(t, keyed, askVerify, "{}", 201)
		dynamotest.ForgetAnswers(t, client, "IdempotencyTable")
		p.later(2 * time.Minute)
	}
	if sent := len(p.mails.sent) - before; sent != 1 {
		t.Errorf("%d mails under one key", sent)
	}
	p.mails.failure = fmt.Errorf("the connection broke")
	p.want(t, as, askVerify, "{}", 409)
	p.later(time.Minute)
	p.mails.sender = ""
	p.want(t, as, askVerify, "{}", 400)
}

// TestOwnerOfAddressTakesItOver: who registers with the address of somebody else loses the account when its owner says so.
// The owner gets the mail by asking for a new password, without help of whoever registered.
func TestOwnerOfAddressTakesItOver(t *testing.T) {
	p := newPlatform(t)
	mallory := caller{}.with(p.want(t, nil, registerEmail, registerAda, 201).text("token"))
	p.want(t, mallory, account, `{"username":"mallory"}`, 200)
	p.want(t, nil, registerEmail, registerAda, 400)
	before := len(p.mails.sent)
	p.want(t, nil, askReset, `{"email":"ada@example.com"}`, 400)
	if len(p.mails.sent) != before+1 {
		t.Fatal("the owner gets no mail")
	}
	token := tokenInMail.FindString(p.mails.sent[before].Body)
	got := p.visit(t, "POST", verifyPath(token), url.Values{"take_over": {"1"}}.Encode())
	if got.Code != 200 || !strings.Contains(got.Body.String(), "Nobody else can log in with your address now") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	p.want(t, mallory, account, "{}", 401)
	p.want(t, nil, loginEmail, registerAda, 400)
	p.want(t, nil, loginUsername, `{"username":"mallory","password":"correct horse"}`, 400)
	p.want(t, nil, confirm, resetBody(p.token(t, nil, askReset, `{"email":"ada@example.com"}`), "battery staple"), 201)
	p.want(t, nil, loginEmail, `{"email":"ada@example.com","password":"battery staple"}`, 201).
		wantMembers(t, map[string]any{"_email_verified": true, "_username": nil})

	// An account whose phone is proven only loses the address: its user mistyped it.
	bo := p.want(t, nil, loginCode, byCode(number, p.code(t, shopScope, number)).String(), 201)
	as := caller{}.with(bo.text("token"))
	p.want(t, as, account, `{"email":"typo@example.com"}`, 200)
	typo := p.token(t, as, askVerify, "{}")
	p.visit(t, "POST", verifyPath(typo), "take_over=1")
	p.want(t, as, account, "{}", 200).wantMembers(t, map[string]any{"email": nil, "phone_verified": true})
	p.want(t, nil, registerEmail, `{"email":"typo@example.com","password":"correct horse"}`, 201)
}

func verifyPath(token string) string { return "/hserve/v2.0/user/email-verify/" + token + "/" }

// visit sends a request of a browser that follows a link or sends a form.
func (p *platform) visit(t testing.TB, method, path, fields string, languages ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(fields))
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	r.Header.Set("Accept-Language", strings.Join(languages, ","))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// TestPagesOfMails: the pages work without scripts, allow nothing but their own style, and following a link in a browser
// changes nothing.
func TestPagesOfMails(t *testing.T) {
	p := newPlatform(t)
	as := caller{}.with(p.want(t, nil, registerEmail, registerAda, 201).text("token"))
	token := p.token(t, as, askVerify, "{}")
	sees := func(w *httptest.ResponseRecorder, status int, want string) {
		t.Helper()
		text := w.Body.String()
		inside := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(text)
		if inside == nil {
			t.Fatalf("%d %s", w.Code, text)
		}
		sum := sha256.Sum256([]byte(inside[1]))
		policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
		if w.Code != status || !strings.Contains(text, want) || w.Header().Get("Content-Security-Policy") != policy ||
			w.Header().Get("Referrer-Policy") != "no-referrer" || w.Header().Get("Cache-Control") != "no-store" ||
			strings.Contains(text, "<script") || strings.Contains(text, "http") {
			t.Errorf("%d %v %s, want %d %s", w.Code, w.Header(), text, status, want)
		}
	}
	sees(p.visit(t, "GET", verifyPath(token), ""), 200, "Confirm ada@example.com")
	sees(p.visit(t, "GET", verifyPath(token), "", "zh-CN"), 200, "验证邮箱 ada@example.com")
	p.want(t, caller{"X-Service-Client-ID": ""}, "HEAD "+verifyPath(token), "", 200)
	sees(p.visit(t, "GET", verifyPath(strings.Repeat("1", 64)), ""), 400, "This link is not valid")
	p.want(t, as, account, "{}", 200).wantMembers(t, map[string]any{"email_verified": false})
	sees(p.visit(t, "POST", verifyPath(token), "", "zh"), 200, "邮箱已验证")
	sees(p.visit(t, "POST", verifyPath(token), ""), 400, "This link is not valid")
	p.want(t, as, account, "{}", 200).wantMembers(t, map[string]any{"email_verified": true})

	token = p.token(t, nil, askReset, `{"email":"ada@example.com"}`)
	const reset = "/hserve/v2.0/user/password/reset/confirm/"
	sees(p.visit(t, "GET", reset+"?token="+token, ""), 200, `name="token" value="`+token+`"`)
	sees(p.visit(t, "GET", reset+`?token="><script>`, ""), 400, "This link is not valid")
	short := url.Values{"token": {token}, "new_password": {"short"}}
	sees(p.visit(t, "POST", reset, short.Encode()), 400, "The password must have 6 to 128 characters.")
	set := url.Values{"token": {token}, "new_password": {"battery staple"}}
	sees(p.visit(t, "POST", reset, set.Encode(), "zh"), 200, "密码已设置")
	sees(p.visit(t, "POST", reset, set.Encode()), 400, "This link is not valid")
	p.want(t, nil, loginEmail, `{"email":"ada@example.com","password":"battery staple"}`, 201)
}

// TestFailedResetSpendsNothing: whatever call fails, the token can be used again until the password is set.
func TestFailedResetSpendsNothing(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	p.verifiedUser(t)
	n := 0
	dynamotest.FailEach(t, client, func(failing *dynamodb.Client) error {
		n++
		p.later(25 * time.Hour)
		token := maillink.Token(p.token(t, nil, askReset, `{"email":"ada@example.com"}`))
		broken := platformOn(failing)
		broken.now = p.time()
		err := broken.links.Reset(t.Context(), token, nil, fmt.Sprint("battery staple ", n))
		credentials := fmt.Sprintf(`{"email":"ada@example.com","password":"battery staple %d"}`, n)
		if p.send(t, nil, loginEmail, credentials).status != 201 {
			p.want(t, nil, confirm, resetBody(string(token), fmt.Sprint("battery staple ", n)), 201)
			p.want(t, nil, loginEmail, credentials, 201)
		}
		return err
	})
}

// TestStoresNoToken: the store has digests only.
func TestStoresNoToken(t *testing.T) {
	p := newPlatform(t)
	p.verifiedUser(t)
	token := p.token(t, nil, askReset, `{"email":"ada@example.com"}`)
	if dump := fmt.Sprint(p.items(t, "UsersTable")); strings.Contains(dump, token) {
		t.Error("the token is stored")
	}
}
