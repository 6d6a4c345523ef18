package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
	"minicloud/shared/user/session/sessiontest"
)

const (
	sessions = "/hserve/v3/session/"
	account  = "PUT /hserve/v2.2/user/account/"
	closing  = "POST /hserve/v3/user/close/"
)

var shopScope = tenant.Scope{App: 7, Env: tenant.Production}

// admin is a caller with an access token of shop.
var admin = caller{"Authorization": "Bearer shop"}

// live reports whether a token is valid.
func (p *platform) live(t testing.TB, from caller, token string) bool {
	t.Helper()
	got := p.send(t, from.with(token), "GET "+sessions, "")
	if got.status != 200 && got.status != 401 {
		t.Errorf("GET %s: %d %s", sessions, got.status, got.body)
	}
	return got.status == 200
}

// TestTokensAreBound: a token works only as issued, in its own application and environment, until it ends.
func TestTokensAreBound(t *testing.T) {
	p := newPlatform(t)
	token := p.want(t, nil, registerUsername, ada, 201).text("token")
	staging := caller{"X-Service-Env-ID": string(testEnv)}
	other := caller{"X-Service-Client-ID": string(bank.ClientID)}

	for what, who := range map[string]caller{
		"another application": other, "its test environment": staging,
		"the test environment of another": other.set("X-Service-Env-ID", string(testEnv)),
	} {
		if p.live(t, who, token) {
			t.Errorf("the token works in %s", what)
		}
	}
	for _, wrong := range []string{
		strings.ToUpper(token), token[:31], token + "0", " ", strings.Repeat("0", 32), token[:11] + strings.Repeat("0", 21),
		string(session.NewToken(1)), token[:31] + string('a'+(token[31]+1)%26),
	} {
		if p.live(t, nil, wrong) {
			t.Errorf("%q works", wrong)
		}
	}
	if !p.live(t, nil, token) {
		t.Fatal("the token does not work")
	}

	p.later(session.MaxLifetime - time.Second)
	if !p.live(t, nil, token) {
		t.Error("the session ended before its time")
	}
	p.later(time.Second)
	if p.live(t, nil, token) {
		t.Error("the session did not expire")
	}
}

// TestSessionFixation: a login never takes over the token that the caller sends.
func TestSessionFixation(t *testing.T) {
	p := newPlatform(t)
	p.want(t, nil, registerUsername, ada, 201)
	planted := p.want(t, nil, loginAnonymous, "{}", 201).text("token")
	for _, request := range []string{loginUsername + ada, loginAnonymous + "{}"} {
		at := strings.Index(request, "{")
		got := p.want(t, caller{}.with(planted), request[:at], request[at:], 201)
		if got.text("token") == planted || p.idOf(t, planted) == got.id() {
			t.Errorf("%s: the planted token became that of %d", request, got.id())
		}
	}
	// A registration converts the temporary user, and ends the token that somebody else may know.
	got := p.want(t, caller{}.with(planted), registerEmail, `{"email":"eve@example.com","password":"correct horse"}`, 201)
	if p.live(t, nil, planted) || !p.live(t, nil, got.text("token")) {
		t.Error("the planted token lives on in the registered user")
	}
	// Clients send stale tokens when they log in (C4).
	p.want(t, caller{}.with(planted), loginUsername, ada, 201)
	p.want(t, caller{"Authorization": "Service-r1 " + strings.Repeat("f", 40)}, loginUsername, ada, 201)
}

// idOf returns the user of a valid token.
func (p *platform) idOf(t testing.TB, token string) user.ID {
	t.Helper()
	id, _ := session.Token(token).User()
	if !p.live(t, nil, token) {
		t.Fatal("the token is not valid")
	}
	return user.ID(id)
}

func TestTemporaryUsersRegister(t *testing.T) {
	p := newPlatform(t)
	guest := p.want(t, nil, loginAnonymous, "", 201)
	if guest.member("_anonymous") != true || guest.member("_username") != nil {
		t.Errorf("guest %s", guest.body)
	}
	p.want(t, caller{}.with(guest.text("token")), account, `{"username":"guest"}`, 403)

	made := p.want(t, caller{}.with(guest.text("token")), registerUsername, ada, 201)
	if made.id() != guest.id() || made.member("_anonymous") != false || made.member("created_at") != guest.member("created_at") {
		t.Errorf("guest %s became %s", guest.body, made.body)
	}
	p.want(t, caller{}.with(guest.text("token")), destroy, "", 401)
	p.want(t, caller{}.with(made.text("token")), account, `{"email":"Ada@Example.com"}`, 200)
	if again := p.want(t, nil, loginEmail, `{"email":"ada@example.com","password":"correct horse"}`, 201); again.id() != made.id() {
		t.Errorf("logged in as %s", again.body)
	}

	// A registered user who registers gets a second account.
	second := p.want(t, caller{}.with(made.text("token")), registerUsername, `{"username":"b","password":"correct horse"}`, 201)
	if second.id() == made.id() || !p.live(t, nil, made.text("token")) {
		t.Errorf("second %s", second.body)
	}
}

// TestRegistrationRaces: one of many concurrent registrations of a name wins, also when temporary users register.
func TestRegistrationRaces(t *testing.T) {
	p := newPlatform(t)
	const n = 12
	guests := make([]caller, n)
	for i := range guests {
		if i%2 == 0 {
			guests[i] = caller{}.with(p.want(t, nil, loginAnonymous, "", 201).text("token"))
		}
	}
	// Names that fold to the same key are the same name.
	names := []string{"Ada", "ada", "ADA", "ａｄａ"}
	answers := make([]answer, n)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			answers[i] = p.send(t, guests[i], registerUsername, fmt.Sprintf(`{"username":%q,"password":"correct horse"}`, names[i%len(names)]))
		})
	}
	wg.Wait()

	var winners []answer
	for _, one := range answers {
		switch one.status {
		case 201:
			winners = append(winners, one)
		case 400:
		default:
			t.Errorf("%d %s", one.status, one.body)
		}
	}
	if len(winners) != 1 {
		t.Fatalf("%d registrations won", len(winners))
	}
	if found := p.want(t, nil, loginUsername, ada, 201); found.id() != winners[0].id() {
		t.Errorf("%s won, %s logs in", winners[0].body, found.body)
	}
	// The guests who lost are still guests, and only they.
	for i, guest := range guests {
		if guest != nil && (p.send(t, guest, "GET "+sessions, "").status == 200) != (answers[i].status == 400) {
			t.Errorf("guest %d got %d", i, answers[i].status)
		}
	}
	found, err := p.logins.Users.Profiles(t.Context(), shopScope, user.Query{Page: page.Request{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	created := n / 2 // the guests
	if winner := slices.IndexFunc(answers, func(a answer) bool { return a.status == 201 }); winner%2 == 1 {
		created++
	}
	if len(found.Objects) != created {
		t.Errorf("%d profiles, want %d: a lost registration left one", len(found.Objects), created)
	}
}

func TestListsAndEndsSessions(t *testing.T) {
	p := newPlatform(t)
	phone := caller{"User-Agent": "phone"}
	first := p.want(t, phone, registerUsername, ada, 201).text("token")
	p.later(time.Second)
	second := p.want(t, caller{"address": "192.0.2.9"}, loginUsername, ada, 201)
	p.later(time.Second)
	third := p.want(t, nil, loginUsername, ada, 201).text("token")
	eve := p.want(t, nil, registerUsername, `{"username":"eve","password":"correct horse"}`, 201).text("token")

	list := p.want(t, caller{}.with(first), "GET "+sessions, "", 200)
	objects, _ := list.member("objects").([]any)
	if len(objects) != 3 || strings.Contains(list.body, first) || !strings.Contains(list.body, `"ip_address":"192.0.2.9"`) ||
		!strings.Contains(list.body, `"user_agent":"phone"`) {
		t.Fatalf("%s", list.body)
	}
	oldest, _ := objects[2].(map[string]any)
	id := fmt.Sprint(oldest["id"])
	if oldest["user_agent"] != "phone" || oldest["login_method"] != "username" || oldest["expires_at"] != 1795262400.0+2592000 {
		t.Errorf("%v", oldest)
	}
	p.want(t, caller{}.with(third), "GET "+sessions+id+"/", "", 200)
	p.want(t, caller{}.with(eve), "GET "+sessions+id+"/", "", 404)
	p.want(t, caller{}.with(eve), "DELETE "+sessions+id+"/", "", 404)
	p.want(t, caller{}.with(third), "DELETE "+sessions+id+"/", "", 204)
	p.want(t, caller{}.with(third), "DELETE "+sessions+id+"/", "", 404)
	if p.live(t, nil, first) || !p.live(t, nil, third) {
		t.Error("the wrong session ended")
	}

	// An administrator ends all of them, and only those of this user.
	path := fmt.Sprintf("/oserve/v3/user/%d/session/", second.id())
	if got := p.want(t, admin, "GET "+path, "", 200); !strings.Contains(got.body, `"total_count":2`) && strings.Count(got.body, `"id"`) != 2 {
		t.Errorf("%s", got.body)
	}
	p.want(t, caller{"Authorization": "Bearer bank"}, "DELETE "+path, "", 404)
	p.want(t, caller{}.with(third), "DELETE "+path, "", 401)
	p.want(t, admin, "DELETE "+path, "", 204)
	p.want(t, admin, "DELETE /oserve/v3/user/1/session/", "", 404)
	if p.live(t, nil, second.text("token")) || p.live(t, nil, third) || !p.live(t, nil, eve) {
		t.Error("the wrong sessions ended")
	}
	fresh := p.want(t, nil, loginUsername, ada, 201).text("token")
	p.want(t, caller{}.with(fresh), "DELETE "+sessions, "", 204)
	if p.live(t, nil, fresh) {
		t.Error("the session did not end")
	}
}

// TestOldestSessionEnds: a user has 100 sessions, then the oldest ends (C3).
func TestOldestSessionEnds(t *testing.T) {
	p := newPlatform(t)
	first := p.want(t, nil, registerUsername, ada, 201)
	var tokens []string
	for range session.MaxSessions - 1 {
		p.later(time.Millisecond)
		tokens = append(tokens, string(sessiontest.LogIn(t, p.sessions, shopScope, first.id(), p.time())))
	}
	if !p.live(t, nil, first.text("token")) {
		t.Fatal("the oldest of 100 sessions has ended")
	}
	p.later(time.Millisecond)
	last := p.want(t, nil, loginUsername, ada, 201).text("token")
	if p.live(t, nil, first.text("token")) || !p.live(t, nil, tokens[0]) || !p.live(t, nil, last) {
		t.Error("the session that ended is not the oldest")
	}
	all, err := p.sessions.Sessions(t.Context(), shopScope, first.id())
	if err != nil || len(all) != session.MaxSessions {
		t.Errorf("%d sessions, %v", len(all), err)
	}
}

func TestBlocksUsers(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	path := fmt.Sprintf("/oserve/v3/user/%d/", made.id())
	p.want(t, admin, "PUT "+path, `{}`, 400)
	p.want(t, admin, "PUT "+path, `{"blocked":"yes"}`, 400)
	p.want(t, caller{"Authorization": "Bearer bank"}, "PUT "+path, `{"blocked":true}`, 404)
	if !p.live(t, nil, made.text("token")) {
		t.Fatal("a refused block ended the session")
	}

	if got := p.want(t, admin, "PUT "+path, `{"blocked":true}`, 200); got.member("blocked") != true {
		t.Errorf("%s", got.body)
	}
	if p.live(t, nil, made.text("token")) {
		t.Error("the session of a blocked user goes on")
	}
	p.want(t, nil, loginUsername, ada, 403)
	// A wrong password gets the usual error, which does not tell that the user is blocked.
	p.want(t, nil, loginUsername, wrongAda, 400)
	p.want(t, nil, registerUsername, ada, 400)

	p.want(t, admin, "PUT "+path, `{"blocked":false}`, 200)
	p.want(t, nil, loginUsername, ada, 201)
	if p.live(t, nil, made.text("token")) {
		t.Error("the end of the block revived a session")
	}
}

// TestBlockEndsLoginsUnderWay: a login that read the account before the block opens no session that works.
func TestBlockEndsLoginsUnderWay(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	p.want(t, admin, fmt.Sprintf("PUT /oserve/v3/user/%d/", made.id()), `{"blocked":true}`, 200)
	late, token := session.New(int64(made.id()), 0, app.LoginUsername, session.Sender{}, p.time(), time.Hour)
	if err := p.sessions.InsertSession(t.Context(), shopScope, made.id(), late); err != nil {
		t.Fatal(err)
	}
	if p.live(t, nil, string(token)) {
		t.Error("a session of the generation before the block works")
	}
}

func TestChangesOwnAccount(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	here, other := caller{}.with(made.text("token")), p.want(t, nil, loginUsername, ada, 201).text("token")
	p.want(t, nil, registerUsername, `{"username":"eve","password":"correct horse"}`, 201)

	for body, says := range map[string]string{
		`{"username":"EVE"}`: "username", `{"email":"x"}`: "email", `{"phone":"1"}`: "phone",
		`{"new_password":"longer horse"}`:                               "password is required",
		`{"new_password":"longer horse","password":"wrong"}`:            "password is incorrect",
		`{"new_password":"short","password":"correct horse"}`:           "new_password",
		`{"new_password":null,"password":"correct horse"}`:              "new_password",
		`{"username":"taken?","email":"not an address","password":"x"}`: "email",
	} {
		if got := p.want(t, here, account, body, 400); !strings.Contains(got.body, says) {
			t.Errorf("%s: %s", body, got.body)
		}
	}
	got := p.want(t, here, account, `{"username":null,"email":"ADA@example.com","phone":"+8613800138000"}`, 200)
	if want := `{"username":null,"email":"ada@example.com","email_verified":false,"phone":"+8613800138000","phone_verified":false}`; got.body != want {
		t.Errorf("%s", got.body)
	}
	if !p.live(t, nil, other) {
		t.Error("a change of names ended a session")
	}

	p.want(t, here, account, `{"new_password":"longer horse","password":"correct horse"}`, 200)
	if p.live(t, nil, other) || !p.live(t, nil, made.text("token")) {
		t.Error("a password change ends the other sessions, and only them")
	}
	p.want(t, nil, loginEmail, `{"email":"ada@example.com","password":"correct horse"}`, 400)
	p.want(t, nil, loginPhone, `{"phone":"138 0013 8000","password":"longer horse"}`, 201)
}

// TestPasswordChangeOfEndedSession: a session that ends during its password change is not revived by it.
func TestPasswordChangeOfEndedSession(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	verifier := session.Verifier{Store: p.sessions, Clock: p.time}
	who, err := verifier.VerifySession(t.Context(), shopScope, made.text("token"))
	if err != nil {
		t.Fatal(err)
	}
	p.want(t, caller{}.with(made.text("token")), destroy, "", 201)
	p.change(t, who, "longer horse", "correct horse")
	if p.live(t, nil, made.text("token")) {
		t.Error("the ended session works again")
	}
	p.want(t, nil, loginUsername, ada, 201)
}

// meanwhile is the stores of users. It makes another request after the next read of an account, of the given number.
type meanwhile struct {
	login.Store
	user.AccountStore
	reads int
	other func()
}

func (m *meanwhile) read() {
	if m.reads--; m.reads == 0 {
		m.other()
	}
}

func (m *meanwhile) User(
	ctx context.Context, scope tenant.Scope, t table.Table, id user.ID,
) (user.Account, table.Row, error) {
	defer m.read()
	return m.Store.User(ctx, scope, t, id)
}

func (m *meanwhile) Account(ctx context.Context, scope tenant.Scope, id user.ID) (user.Account, error) {
	defer m.read()
	return m.AccountStore.Account(ctx, scope, id)
}

// TestChangesOfAccountsMeanwhile checks requests that other requests overtake after an account was read.
func TestChangesOfAccountsMeanwhile(t *testing.T) {
	const another = `{"new_password":"another horse","password":"correct horse"}`
	for name, c := range map[string]struct {
		other   string // who makes the other request, or what it does
		request string
		status  int
		live    bool // the session of the request afterwards
	}{
		"password, same session":    {"here", account + another, 400, true},
		"password, other session":   {"there", account + another, 400, false},
		"password, all ended":       {"ended", account + another, 401, false},
		"name, password changed":    {"here", account + `{"username":"eve"}`, 200, true},
		"name, closed":              {"closed", account + `{"username":"eve"}`, 401, false},
		"closing, password changed": {"here", closing + `{"password":"correct horse"}`, 400, true},
		"closing, all ended":        {"ended", closing + `{"password":"correct horse"}`, 401, false},
		"closing, closed":           {"closed", closing + `{"password":"correct horse"}`, 201, false},
		"login":                     {"here", loginUsername + ada, 201, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			made := p.want(t, nil, registerUsername, ada, 201)
			here := caller{}.with(made.text("token"))
			there := caller{}.with(p.want(t, nil, loginUsername, ada, 201).text("token"))
			const longer = `{"new_password":"longer horse","password":"correct horse"}`
			m := &meanwhile{Store: p.logins.Store, AccountStore: p.logins.Users.Accounts, reads: 1}
			m.other = func() {
				switch c.other {
				case "here":
					p.want(t, here, account, longer, 200)
				case "there":
					p.want(t, there, account, longer, 200)
				case "ended":
					end := func(a *user.Account) { a.Generation++ }
					if _, err := p.logins.Users.EditAccount(t.Context(), shopScope, made.id(), end); err != nil {
						t.Error(err)
					}
				case "closed":
					p.want(t, there, closing, `{"password":"correct horse"}`, 201)
				}
			}
			p.logins.Store, p.logins.Users.Accounts = m, m

			at := strings.Index(c.request, "{")
			got := p.want(t, here, c.request[:at], c.request[at:], c.status)
			if p.live(t, nil, made.text("token")) != c.live {
				t.Errorf("after %s the session works: %v", got.body, !c.live)
			}
			if strings.HasPrefix(c.request, loginUsername) && p.live(t, nil, got.text("token")) {
				t.Error("a login by the old password outlives the new one")
			}
			if got := p.send(t, nil, loginUsername, `{"username":"ada","password":"another horse"}`); got.status == 201 {
				t.Error("the later change has set its password")
			}
			if c.other == "closed" {
				p.want(t, nil, registerUsername, `{"username":"eve","password":"correct horse"}`, 201)
			}
		})
	}
}

// TestLinksNothingToClosedAccounts checks that a request that was authenticated before the account was closed gives it
// no identity.
func TestLinksNothingToClosedAccounts(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	if err := p.logins.Close(t.Context(), shopScope, made.id()); err != nil {
		t.Fatal(err)
	}
	_, err := p.logins.Amend(t.Context(), shopScope, made.id(), login.Arrival{Account: func(a *user.Account) error {
		a.Phone, a.PhoneKey = "13800138000", "+8613800138000"
		return nil
	}})
	if !errs.Is(err, errs.KindNotFound) {
		t.Errorf("%v", err)
	}
}

// TestKeysBelongToUsers: the Idempotency-Key of one user is another key than that of another (C39).
func TestKeysBelongToUsers(t *testing.T) {
	p := newPlatform(t)
	keyed := func(name string) caller {
		body := fmt.Sprintf(`{"username":%q,"password":"correct horse"}`, name)
		return caller{"Idempotency-Key": "k"}.with(p.want(t, nil, registerUsername, body, 201).text("token"))
	}
	one, two := keyed("one"), keyed("two")
	first := p.want(t, one, account, `{"email":"shared@example.com"}`, 200)
	// The same request under the same key of another user runs, and finds the address taken.
	p.want(t, two, account, `{"email":"shared@example.com"}`, 400)
	again := p.want(t, one, account, `{"email":"shared@example.com"}`, 200)
	if again.header.Get("Idempotency-Replayed") == "" || again.body != first.body {
		t.Errorf("%v %s", again.header, again.body)
	}
	p.want(t, one, account, `{"email":"other@example.com"}`, 422)
	// Registrations take no key: the same one gives a second user.
	p.want(t, caller{"Idempotency-Key": "k"}, loginAnonymous, "", 201)
	if got := p.want(t, caller{"Idempotency-Key": "k"}, loginAnonymous, "", 201); got.header.Get("Idempotency-Replayed") != "" {
		t.Error("an anonymous login was replayed")
	}
}

func TestClosesAccounts(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	here, other := caller{}.with(made.text("token")), p.want(t, nil, loginUsername, ada, 201).text("token")
	group, err := p.logins.Users.CreateGroup(t.Context(), shopScope, "testers", 0)
	if err != nil {
		t.Fatal(err)
	}
	err = p.logins.Users.ChangeMembership(t.Context(), shopScope, []user.Membership{{
		Users: []user.ID{made.id()}, Groups: []user.GroupID{group.ID},
	}})
	if err != nil {
		t.Fatal(err)
	}

	p.want(t, here, closing, `{}`, 400)
	p.want(t, here, closing, ``, 400)
	p.want(t, here, closing, `{"password":1}`, 400)
	p.want(t, here, closing, `{"password":"wrong horse"}`, 400)
	if got := p.want(t, here, closing, `{"password":"correct horse"}`, 201); got.body != `{"status":"ok"}` {
		t.Errorf("%s", got.body)
	}
	if p.live(t, nil, made.text("token")) || p.live(t, nil, other) {
		t.Error("sessions go on")
	}
	p.want(t, nil, loginUsername, ada, 400)
	if got := p.want(t, admin, fmt.Sprintf("GET /oserve/v3/user/%d/", made.id()), "", 200); got.member("closed_at") == nil {
		t.Errorf("%s", got.body)
	}
	profile, err := p.logins.Users.Profile(t.Context(), shopScope, made.id(), "")
	if err != nil || profile["nickname"] != "" {
		t.Errorf("%v, %v", profile, err)
	}
	if group, err = p.logins.Users.Group(t.Context(), shopScope, group.ID); err != nil || group.Members != 0 {
		t.Errorf("%+v, %v: the group counts a closed account", group, err)
	}
	// The name is free.
	if again := p.want(t, nil, registerUsername, ada, 201); again.id() == made.id() {
		t.Error("the closed account was opened again")
	}

	// A user without a password needs none.
	guest := p.want(t, nil, loginAnonymous, "", 201)
	p.want(t, caller{}.with(guest.text("token")), closing, "", 201)
	p.want(t, caller{}.with(guest.text("token")), closing, "", 401)
}

// TestAdministratorClosesAccounts: closing needs no password then, cannot be undone, and works for a user who was created
// without a login.
func TestAdministratorClosesAccounts(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	path := fmt.Sprintf("/oserve/v3/user/%d/", made.id())
	p.want(t, admin, "PUT "+path, `{"closed":false}`, 400)
	p.want(t, caller{"Authorization": "Bearer bank"}, "PUT "+path, `{"closed":true}`, 404)
	if !p.live(t, nil, made.text("token")) {
		t.Fatal("a refused request ended the session")
	}

	for range 2 { // a repetition changes nothing
		if got := p.want(t, admin, "PUT "+path, `{"closed":true}`, 200); got.member("closed_at") == nil {
			t.Errorf("%s", got.body)
		}
	}
	if p.live(t, nil, made.text("token")) {
		t.Error("the session goes on")
	}
	p.want(t, nil, loginUsername, ada, 400)
	p.want(t, nil, registerUsername, ada, 201)

	imported, err := p.logins.Users.Create(t.Context(), shopScope, user.New{Profile: map[string]any{"nickname": "imported"}})
	if err != nil {
		t.Fatal(err)
	}
	closed := p.want(t, admin, fmt.Sprintf("PUT /oserve/v3/user/%d/", imported), `{"closed":true,"blocked":true}`, 200)
	if closed.member("closed_at") == nil || closed.member("blocked") != true {
		t.Errorf("%s", closed.body)
	}
}

// TestSwitchedOffLogins: a login that the application has switched off is 405; sessions go on (C8).
func TestSwitchedOffLogins(t *testing.T) {
	p := newPlatform(t)
	token := p.want(t, nil, registerUsername, ada, 201).text("token")
	off := shop
	off.Settings.LoginMethods = []app.LoginMethod{app.LoginEmail}
	p.clients[shop.ClientID] = off
	p.want(t, nil, registerUsername, `{"username":"b","password":"correct horse"}`, 405)
	p.want(t, nil, loginUsername, ada, 405)
	p.want(t, nil, loginPhone, `{"phone":"13800138000","password":"correct horse"}`, 405)
	p.want(t, nil, loginAnonymous, "", 405)
	p.want(t, nil, registerEmail, `{"email":"a@example.com","password":"correct horse"}`, 201)
	if !p.live(t, nil, token) {
		t.Error("a session that exists has ended")
	}
}

// TestEndedTemporarySessionConvertsNothing: a registration whose temporary session ends after it was verified does not
// register that user: somebody else may hold the token.
func TestEndedTemporarySessionConvertsNothing(t *testing.T) {
	p := newPlatform(t)
	guest := p.want(t, nil, loginAnonymous, "", 201)
	who := p.identity(t, guest.text("token"))
	p.want(t, caller{}.with(guest.text("token")), "DELETE "+sessions, "", 204)
	_, err := p.logins.Register(t.Context(), shopScope, login.Credentials{
		Method: app.LoginUsername, Name: "ada", Password: "correct horse",
	}, who)
	if !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("%v, want unauthenticated", err)
	}
	p.want(t, nil, loginUsername, ada, 400)
}
