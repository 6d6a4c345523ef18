package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/app"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

const (
	chatSilent    = "POST /hserve/v2.5/idp/chat/silent-login/"
	chatAuth      = "POST /hserve/v2.5/idp/chat/authenticate/"
	chatPhone     = "POST /hserve/v2.7/idp/chat/phone-login/"
	chatVerify    = "PUT /hserve/v2.7/idp/chat/phone-verification/"
	chatInfo      = "PUT /hserve/v2.6/idp/chat/user/info/"
	chatTold      = "PUT /hserve/v2.5/idp/chat/user/info/"
	chatAssociate = "POST /hserve/v2.4/idp/chat/user-associate/"
	altAssociate  = "PUT /hserve/v2.0/idp/alt/user-associate/"
	tpayAssociate = "POST /hserve/v2.0/idp/tpay/user-association/"
)

var (
	production = tenant.Scope{App: shop.ID, Env: tenant.Production}
	onChat     = person{vendor: messaging.Chat, openID: "o-ada", unionID: "u-ada"}
)

// newVendors returns a platform whose shop has settings at all vendors, in production.
func newVendors(t testing.TB) *platform {
	t.Helper()
	p := newPlatform(t)
	p.vendors.configure(t, production)
	return p
}

// silent logs a person in.
func (p *platform) silent(t testing.TB, of person, more body, status int) answer {
	t.Helper()
	request := fmt.Sprintf("POST /hserve/v2.5/idp/%s/silent-login/", of.vendor)
	return p.want(t, nil, request, body{"code": p.vendors.code(of)}.with(more).String(), status)
}

// registered returns the session token of a new user with a name.
func (p *platform) registered(t testing.TB, name string) (answer, caller) {
	t.Helper()
	made := p.want(t, nil, registerUsername, body{"username": name, "password": "correct horse"}.String(), 201)
	return made, caller{}.with(made.text("token"))
}

// object returns a member that is an object.
func (a answer) object(names ...string) map[string]any {
	of, _ := a.member(names[0]).(map[string]any)
	for _, name := range names[1:] {
		of, _ = of[name].(map[string]any)
	}
	return of
}

// wantMembers compares members of an answer.
func (a answer) wantMembers(t testing.TB, want map[string]any) {
	t.Helper()
	got := map[string]any{}
	for name := range want {
		got[name] = a.member(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, a.body)
	}
}

// TestSilentLogin: the identity finds or creates the user, at every vendor and version, and the answer has user_info.
func TestSilentLogin(t *testing.T) {
	p := newVendors(t)
	for _, c := range []struct {
		of       person
		path     string
		provider map[string]any
		openid   any
	}{
		{onChat, "chat", map[string]any{"openid": "o-ada", "unionid": "u-ada"}, "o-ada"},
		{person{vendor: messaging.Alt, openID: "2088-ada"}, "alt", map[string]any{"user_id": "2088-ada"}, nil},
		{person{vendor: messaging.Tpay, openID: "q-ada"}, "tpay", map[string]any{"openid": "q-ada"}, nil},
	} {
		first := p.silent(t, c.of, nil, 201)
		first.wantMembers(t, map[string]any{"openid": c.openid, "_anonymous": false, "is_authorized": false, "expires_in": 2592000.0})
		if diff := cmp.Diff(c.provider, first.object("_provider", c.path)); diff != "" {
			t.Errorf("_provider.%s: %s", c.path, diff)
		}
		info := first.object("user_info")
		if info["id"] != first.member("id") || !cmp.Equal(info["_provider"], first.member("_provider")) || info["openid"] != c.of.openID {
			t.Errorf("user_info %v", info)
		}
		if _, has := info["unionid"]; !has {
			t.Errorf("user_info has no unionid: %v", info)
		}
		if strings.Contains(first.body, keyOf("code-1")) {
			t.Error("the session key of the vendor is answered")
		}

		again := p.want(t, nil, "POST /hserve/v2.0/idp/"+c.path+"/silent-login/", body{"code": p.vendors.code(c.of)}.String(), 201)
		if again.id() != first.id() || again.text("token") == first.text("token") {
			t.Errorf("%s: first %s, then %s", c.path, first.body, again.body)
		}
		// The session is one of the platform.
		p.want(t, caller{}.with(again.text("token")), destroy, "", 201)
	}

	// The other word of the contract for tpay.
	first := p.silent(t, person{vendor: messaging.Tpay, openID: "q-ada"}, nil, 201)
	again := p.want(t, nil, "POST /hserve/v2.5/idp/qq/silent-login/", body{
		"code": p.vendors.code(person{vendor: messaging.Tpay, openID: "q-ada"}),
	}.String(), 201)
	if first.id() != again.id() {
		t.Errorf("qq logs in %s", again.body)
	}
}

// TestRefusedVendorLogins: codes that the vendor refuses, vendors without settings or answer, and logins that are
// switched off.
func TestRefusedVendorLogins(t *testing.T) {
	p := newVendors(t)
	for name, c := range map[string]struct {
		request, body string
		status        int
		want          string
	}{
		"unknown code":      {chatSilent, `{"code":"x"}`, 400, "code: chat refuses it (40163)"},
		"no code":           {chatSilent, `{}`, 400, "code"},
		"empty code":        {chatSilent, `{"code":""}`, 400, "code"},
		"long code":         {chatSilent, `{"code":"` + strings.Repeat("x", 513) + `"}`, 400, "code"},
		"code of a number":  {chatSilent, `{"code":7}`, 400, "code"},
		"another vendor":    {"POST /hserve/v2.5/idp/sms/silent-login/", `{"code":"x"}`, 404, "vendor"},
		"unknown update":    {chatAuth, `{"code":"x","update_userprofile":"all"}`, 400, "update_userprofile must be"},
		"update of true":    {chatAuth, `{"code":"x","update_userprofile":true}`, 400, "update_userprofile must be"},
		"no stranger's app": {chatSilent, `{"code":"x","create_user":"yes"}`, 400, "create_user"},
	} {
		if got := p.want(t, nil, c.request, c.body, c.status); !strings.Contains(got.text("error_msg"), c.want) {
			t.Errorf("%s: %s", name, got.body)
		}
	}

	// A code is for one use, and a user without create_user is 404 but spends it.
	code := p.vendors.code(onChat)
	p.want(t, nil, chatSilent, body{"code": code, "create_user": false}.String(), 404)
	p.want(t, nil, chatSilent, body{"code": code}.String(), 400)
	p.silent(t, onChat, nil, 201)
	p.silent(t, onChat, body{"create_user": false}, 201)

	// Other applications and environments have no settings, and users of their own.
	elsewhere := body{"code": p.vendors.code(onChat)}.String()
	for _, from := range []caller{{"X-Service-Env-ID": string(testEnv)}, {"X-Service-Client-ID": string(bank.ClientID)}} {
		if got := p.want(t, from, chatSilent, elsewhere, 400); !strings.Contains(got.text("error_msg"), "not configured") {
			t.Errorf("%v: %s", from, got.body)
		}
	}
	test := tenant.Scope{App: shop.ID, Env: testEnv}
	p.vendors.configure(t, test)
	in := caller{"X-Service-Env-ID": string(testEnv)}
	p.want(t, in, chatSilent, body{"code": p.vendors.code(onChat), "create_user": false}.String(), 404)

	// A vendor that does not answer.
	p.vendors.fail(true)
	got := p.silent(t, onChat, nil, 503)
	if got.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", got.header)
	}
	p.vendors.fail(false)

	// A user who is blocked.
	blocked := p.silent(t, onChat, nil, 201)
	if _, err := p.logins.Users.EditAccount(t.Context(), production, blocked.id(), func(a *user.Account) { a.Blocked = true }); err != nil {
		t.Fatal(err)
	}
	p.silent(t, onChat, nil, 403)

	off := shop
	off.Settings = app.Settings{LoginMethods: []app.LoginMethod{app.LoginUsername, app.LoginAlt}}
	p.clients[shop.ClientID] = off
	for _, request := range []string{chatSilent, chatAuth, chatPhone} {
		p.want(t, nil, request, body{"code": p.vendors.code(onChat)}.String(), 405)
	}
	p.silent(t, person{vendor: messaging.Alt, openID: "2088"}, nil, 201)
}

// TestIgnoresStaleTokensOfVendorLogins: clients send them (C4).
func TestIgnoresStaleTokensOfVendorLogins(t *testing.T) {
	p := newVendors(t)
	ended := p.silent(t, onChat, nil, 201)
	p.want(t, caller{}.with(ended.text("token")), destroy, "", 201)
	for _, token := range []string{ended.text("token"), "nonsense"} {
		again := p.want(t, caller{}.with(token), chatSilent, body{"code": p.vendors.code(onChat)}.String(), 201)
		if again.id() != ended.id() {
			t.Errorf("%s", again.body)
		}
	}
}

var profile = map[string]any{
	"nickName": "Ada", "avatarUrl": "https://a.example/1.png", "gender": 2, "country": "CN", "province": "Hubei",
	"city": "Wuhan", "language": "zh_CN", "openId": "o-ada", "unionId": "u-ada",
}

// renamed is the profile with another name and without a city.
var renamed = map[string]any{"nickName": "Ada L.", "gender": 1, "openId": "o-ada"}

// TestAuthenticate: a proven profile goes to _provider, and to the top level as update_userprofile says.
func TestAuthenticate(t *testing.T) {
	p := newVendors(t)
	authenticate := func(of map[string]any, more body, status int) answer {
		t.Helper()
		code := p.vendors.code(onChat)
		return p.want(t, nil, chatAuth, body{"code": code}.with(sealed(keyOf(code), of, appID)).with(more).String(), status)
	}

	first := authenticate(profile, body{"update_userprofile": false}, 201)
	first.wantMembers(t, map[string]any{"nickname": nil, "gender": nil, "city": nil, "is_authorized": true, "openid": "o-ada", "unionid": "u-ada"})
	told := map[string]any{
		"openid": "o-ada", "unionid": "u-ada", "nickName": "Ada", "avatarUrl": "https://a.example/1.png", "gender": 2.0,
		"country": "CN", "province": "Hubei", "city": "Wuhan", "language": "zh_CN",
	}
	if diff := cmp.Diff(told, first.object("_provider", "chat")); diff != "" {
		t.Error(diff)
	}

	// setnx is the default: it fills what has no value.
	authenticate(profile, nil, 201).wantMembers(t, map[string]any{"id": first.member("id"), "nickname": "Ada", "city": "Wuhan", "gender": 2.0})
	authenticate(renamed, body{"update_userprofile": "setnx"}, 201).wantMembers(t, map[string]any{"nickname": "Ada", "gender": 2.0})
	// overwrite takes all that the vendor tells; what it does not tell stays.
	last := authenticate(renamed, body{"update_userprofile": "overwrite"}, 201)
	last.wantMembers(t, map[string]any{"nickname": "Ada L.", "gender": 1.0, "city": "Wuhan", "openid": "o-ada"})
	if last.object("_provider", "chat")["nickName"] != "Ada L." {
		t.Errorf("%s", last.body)
	}
	// A silent login changes none of it.
	p.silent(t, onChat, nil, 201).wantMembers(t, map[string]any{"nickname": "Ada L.", "is_authorized": true})

	// Either proof is sufficient.
	for _, missing := range [][]string{{"rawData", "signature"}, {"encryptedData", "iv"}} {
		code := p.vendors.code(onChat)
		one := body{"code": code}.with(sealed(keyOf(code), profile, appID))
		for _, name := range missing {
			delete(one, name)
		}
		p.want(t, nil, "POST /hserve/v2.0/idp/chat/authenticate/", one.String(), 201)
	}

	// A profile of a new user, at alt and tpay.
	alt := p.want(t, nil, "POST /hserve/v2.5/idp/alt/authenticate/", body{
		"code": p.vendors.code(person{vendor: messaging.Alt, openID: "2088-bo", nick: "Bo"}),
	}.String(), 201)
	alt.wantMembers(t, map[string]any{"nickname": "Bo", "city": "Hangzhou", "gender": 2.0, "is_authorized": true})
	want := map[string]any{"user_id": "2088-bo", "nick_name": "Bo", "avatar": "", "province": "", "city": "Hangzhou", "gender": 2.0}
	if diff := cmp.Diff(want, alt.object("_provider", "alt")); diff != "" {
		t.Error(diff)
	}
	code := p.vendors.code(person{vendor: messaging.Tpay, openID: "q-bo"})
	tpay := p.want(t, nil, "POST /hserve/v2.5/idp/tpay/authenticate/", body{"code": code}.with(
		sealed(keyOf(code), map[string]any{"nickName": "Bo", "openId": "q-bo"}, appID)).String(), 201)
	tpay.wantMembers(t, map[string]any{"nickname": "Bo", "is_authorized": true, "openid": nil})
}

// TestRefusesForgedData: of a page without the session key, of another app and of another user. No user is created.
func TestRefusesForgedData(t *testing.T) {
	p := newVendors(t)
	for name, forge := range map[string]func(key string) body{
		"signature": func(key string) body {
			return sealed(key, profile, appID).with(body{"signature": strings.Repeat("0", 40)})
		},
		"rawData":             func(key string) body { return sealed(key, profile, appID).with(body{"rawData": `{"nickName":"Root"}`}) },
		"the key of another":  func(string) body { return sealed(keyOf("another"), profile, appID) },
		"another app":         func(key string) body { return sealed(key, profile, "wx2") },
		"another user":        func(key string) body { return sealed(key, map[string]any{"openId": "o-bo"}, appID) },
		"another union":       func(key string) body { return sealed(key, map[string]any{"openId": "o-ada", "unionId": "u-bo"}, appID) },
		"another initial one": func(key string) body { return sealed(key, profile, appID).with(body{"iv": "AAAAAAAAAAAAAAAAAAAAAA=="}) },
		"no data":             func(string) body { return nil },
	} {
		code := p.vendors.code(onChat)
		got := p.want(t, nil, chatAuth, body{"code": code}.with(forge(keyOf(code))).String(), 400)
		if strings.Contains(got.body, keyOf(code)) {
			t.Errorf("%s tells the key: %s", name, got.body)
		}
	}
	p.silent(t, onChat, body{"create_user": false}, 404)
}

// TestLoginWithUnionID: the union id finds the user first, and what is missing is filled in.
func TestLoginWithUnionID(t *testing.T) {
	p := newVendors(t)
	union := body{"login_with_unionid": true}
	first := p.silent(t, onChat, union, 201)
	if first.object("_provider")["chat_unionid"] != "u-ada" {
		t.Errorf("_provider %s", first.body)
	}

	// Another app of the same owner has another openid for the same union id.
	other := person{vendor: messaging.Chat, openID: "o-ada-2", unionID: "u-ada"}
	found := p.silent(t, other, union, 201)
	found.wantMembers(t, map[string]any{"id": first.member("id"), "openid": "o-ada"})

	// Without the union id, the openid decides: this one is nobody's yet.
	second := p.silent(t, other, nil, 201)
	if second.id() == first.id() {
		t.Error("an openid without a user found one")
	}
	// Now the union id is one user's, and the openid another's.
	if got := p.silent(t, other, union, 201); got.id() != first.id() {
		t.Errorf("%s", got.body)
	}

	// A user without a union id gets it.
	late := person{vendor: messaging.Chat, openID: "o-late"}
	without := p.silent(t, late, union, 201)
	without.wantMembers(t, map[string]any{"unionid": nil})
	late.unionID = "u-late"
	p.silent(t, late, union, 201).wantMembers(t, map[string]any{"id": without.member("id"), "unionid": "u-late"})
	// The vendor tells another one: 400, and nothing changes.
	late.unionID = "u-later"
	p.silent(t, late, union, 400)
	p.silent(t, late, nil, 201).wantMembers(t, map[string]any{"id": without.member("id"), "unionid": "u-late"})

	// The openid of one user, with the union id of another one who has no openid yet.
	made, _ := p.registered(t, "union")
	p.link(t, made.id(), `{"chat":{"unionid":"u-free"},"chat_unionid":"u-free"}`)
	late.unionID = "u-free"
	if got := p.silent(t, late, union, 400); !strings.Contains(got.text("error_msg"), "another user") {
		t.Errorf("%s", got.body)
	}
	// An openid that nobody has is filled in.
	late.openID = "o-free"
	p.silent(t, late, union, 201).wantMembers(t, map[string]any{"id": made.member("id"), "openid": "o-free", "unionid": "u-free"})
}

// TestUnionIDsAreOfChat: those of tpay are stored, and find nobody.
func TestUnionIDsAreOfChat(t *testing.T) {
	p := newVendors(t)
	first := person{vendor: messaging.Tpay, openID: "q-1", unionID: "u"}
	made := p.silent(t, first, body{"login_with_unionid": true}, 201)
	if _, claimed := made.object("_provider")["chat_unionid"]; claimed || made.object("_provider", "tpay")["unionid"] != "u" {
		t.Errorf("%s", made.body)
	}
	first.openID = "q-2"
	if second := p.silent(t, first, body{"login_with_unionid": true}, 201); second.id() == made.id() {
		t.Errorf("found by a union id of tpay: %s", second.body)
	}
}

// link sets the providers of a user.
func (p *platform) link(t testing.TB, id user.ID, providers string) {
	t.Helper()
	_, err := p.logins.Users.EditAccount(t.Context(), production, id, func(a *user.Account) { a.Providers = providers })
	if err != nil {
		t.Fatal(err)
	}
}

// TestTemporaryUserBecomesVendorUser: a vendor login that would create a user registers the temporary one (C9).
func TestTemporaryUserBecomesVendorUser(t *testing.T) {
	p := newVendors(t)
	guest := p.want(t, nil, loginAnonymous, "{}", 201)
	as := caller{}.with(guest.text("token"))
	p.want(t, as, chatSilent, body{"code": p.vendors.code(onChat), "create_user": false}.String(), 404)

	made := p.want(t, as, chatSilent, body{"code": p.vendors.code(onChat)}.String(), 201)
	made.wantMembers(t, map[string]any{"id": guest.member("id"), "_anonymous": false, "openid": "o-ada", "unionid": "u-ada"})
	p.want(t, as, destroy, "", 401) // the old token ends

	// An identity that has a user logs that one in: nothing is merged.
	second := p.want(t, nil, loginAnonymous, "{}", 201)
	as = caller{}.with(second.text("token"))
	p.want(t, as, chatSilent, body{"code": p.vendors.code(onChat)}.String(), 201).wantMembers(t, map[string]any{"id": made.member("id")})
	p.want(t, as, destroy, "", 201)

	// A registered user's token changes nothing.
	_, of := p.registered(t, "bo")
	bo := person{vendor: messaging.Chat, openID: "o-bo"}
	other := p.want(t, of, chatSilent, body{"code": p.vendors.code(bo)}.String(), 201)
	if other.member("_username") != nil {
		t.Errorf("a login links: %s", other.body)
	}
}

// TestFirstLoginsAtOnce: two first logins of one identity make one user (C13), also with a union id and by guests.
func TestFirstLoginsAtOnce(t *testing.T) {
	p := newVendors(t)
	for round, more := range []body{nil, {"login_with_unionid": true}, nil} {
		of := person{vendor: messaging.Chat, openID: fmt.Sprint("o-", round), unionID: fmt.Sprint("u-", round)}
		ids := make([]user.ID, 6)
		var group sync.WaitGroup
		for i := range ids {
			var from caller
			if round == 2 {
				from = caller{}.with(p.want(t, nil, loginAnonymous, "{}", 201).text("token"))
			}
			request := body{"code": p.vendors.code(of)}.with(more).String()
			group.Go(func() { ids[i] = p.want(t, from, chatSilent, request, 201).id() })
		}
		group.Wait()
		for _, id := range ids {
			if id != ids[0] || id == 0 {
				t.Errorf("round %d: users %v", round, ids)
				break
			}
		}
	}
}

// TestAssociates: linking one's own again is 200, another user's identity 400 (C12), and of two at once one wins.
func TestAssociates(t *testing.T) {
	p := newVendors(t)
	ada, as := p.registered(t, "ada")
	_, bo := p.registered(t, "bo")
	onAlt := person{vendor: messaging.Alt, openID: "2088", nick: "Ada"}
	onTpay := person{vendor: messaging.Tpay, openID: "q-ada"}
	id := float64(ada.id())

	linked := p.want(t, as, chatAssociate, body{"code": p.vendors.code(onChat)}.String(), 200)
	linked.wantMembers(t, map[string]any{"status": "ok", "openid": "o-ada", "unionid": "u-ada", "user_id": id})
	if linked.text("message") == "" {
		t.Errorf("%s", linked.body)
	}
	p.want(t, as, altAssociate, body{"code": p.vendors.code(onAlt), "authorized": true}.String(), 200).
		wantMembers(t, map[string]any{"alt_user_id": "2088", "user_id": id, "status": "ok"})
	p.want(t, as, tpayAssociate, body{"code": p.vendors.code(onTpay)}.String(), 200).
		wantMembers(t, map[string]any{"openid": "q-ada", "unionid": nil, "user_id": id})

	for request, of := range map[string]person{
		chatAssociate: onChat, "POST /hserve/v2.0/idp/chat/user-associate/": onChat, altAssociate: onAlt,
		tpayAssociate: onTpay, "POST /hserve/v2.0/idp/qq/user-association/": onTpay,
	} {
		code := func() string { return body{"code": p.vendors.code(of)}.String() }
		before, _ := p.logins.Users.Account(t.Context(), production, ada.id())
		p.want(t, as, request, code(), 200) // again
		after, err := p.logins.Users.Account(t.Context(), production, ada.id())
		if err != nil || !cmp.Equal(before, after) {
			t.Errorf("%s again changes the account: %v, %+v to %+v", request, err, before, after)
		}
		if got := p.want(t, bo, request, code(), 400); !strings.Contains(got.text("error_msg"), "another user") {
			t.Errorf("%s: %s", request, got.body)
		}
		p.want(t, nil, request, code(), 401)
		guest := p.want(t, nil, loginAnonymous, "{}", 201)
		p.want(t, caller{}.with(guest.text("token")), request, code(), 403)
		p.silent(t, of, nil, 201).wantMembers(t, map[string]any{"id": id, "nickname": "Ada", "city": "Hangzhou"})
		of.openID += "-2"
		p.want(t, as, request, code(), 400) // the user has another identity of the vendor
		p.silent(t, of, body{"create_user": false}, 404)
	}
}

// TestAssociatesWithUnionID: the union id of another user is 400 if it is linked too, and stays theirs otherwise.
func TestAssociatesWithUnionID(t *testing.T) {
	p := newVendors(t)
	first := p.silent(t, onChat, nil, 201)
	other := person{vendor: messaging.Chat, openID: "o-2", unionID: "u-ada"}
	_, as := p.registered(t, "bo")
	p.want(t, as, chatAssociate, body{"code": p.vendors.code(other), "associate_with_unionid": true}.String(), 400)
	p.silent(t, other, body{"create_user": false}, 404)
	p.want(t, as, chatAssociate, body{"code": p.vendors.code(other)}.String(), 200)
	p.silent(t, other, body{"login_with_unionid": true}, 201).wantMembers(t, map[string]any{"id": first.member("id")})

	third := person{vendor: messaging.Chat, openID: "o-3", unionID: "u-3"}
	cy, as := p.registered(t, "cy")
	p.want(t, as, chatAssociate, body{"code": p.vendors.code(third), "associate_with_unionid": true}.String(), 200)
	third.openID = "o-4"
	p.silent(t, third, body{"login_with_unionid": true}, 201).wantMembers(t, map[string]any{"id": cy.member("id"), "openid": "o-3"})
}

// TestLinksAtOnce: one of two users gets the identity.
func TestLinksAtOnce(t *testing.T) {
	p := newVendors(t)
	var group sync.WaitGroup
	results := make([]answer, 4)
	for i := range results {
		_, as := p.registered(t, fmt.Sprint("user", i))
		request := body{"code": p.vendors.code(onChat)}.String()
		group.Go(func() { results[i] = p.send(t, as, chatAssociate, request) })
	}
	group.Wait()
	var winner any
	for _, got := range results {
		switch {
		case got.status == 200 && winner == nil:
			winner = got.member("user_id")
		case got.status != 400:
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if got := p.silent(t, onChat, nil, 201); got.member("id") != winner {
		t.Errorf("%v won, but %s logs in", winner, got.body)
	}
}

// TestLinkUpdatesProfile: data that is sent with a link is proven and written like that of authenticate.
func TestLinkUpdatesProfile(t *testing.T) {
	p := newVendors(t)
	_, as := p.registered(t, "ada")
	code := p.vendors.code(onChat)
	p.want(t, as, chatAssociate, body{"code": code}.with(sealed(keyOf("x"), profile, appID)).String(), 400)
	code = p.vendors.code(onChat)
	p.want(t, as, chatAssociate, body{"code": code, "update_userprofile": "overwrite"}.with(sealed(keyOf(code), profile, appID)).String(), 200)
	p.silent(t, onChat, nil, 201).wantMembers(t, map[string]any{"_username": "ada", "nickname": "Ada", "is_authorized": true})
}

// TestUpdatesProfileOfVendor: only with the setting client_profile_update.
func TestUpdatesProfileOfVendor(t *testing.T) {
	p := newVendors(t)
	as := caller{}.with(p.silent(t, onChat, nil, 201).text("token"))
	key := p.vendors.key("o-ada")
	for _, request := range []string{chatInfo, chatTold} {
		p.want(t, as, request, sealed(key, profile, appID).String(), 403)
		p.want(t, nil, request, "{}", 401)
	}
	on := shop
	on.Settings = app.Settings{ClientProfileUpdate: true}
	p.clients[shop.ClientID] = on

	// A profile that nothing proves.
	p.want(t, as, chatTold, `{"nickName":"Eve","gender":9,"city":"Rome"}`, 200).
		wantMembers(t, map[string]any{"nickname": "Eve", "city": "Rome", "gender": nil, "is_authorized": false, "openid": "o-ada"})
	p.want(t, as, chatTold, `{"nickName":"Eva","update_userprofile":false}`, 200).wantMembers(t, map[string]any{"nickname": "Eve"})

	// A proven one, with the key of the last login or of a code.
	p.want(t, as, chatInfo, sealed(key, profile, appID).String(), 200).
		wantMembers(t, map[string]any{"nickname": "Eve", "province": "Hubei", "gender": 2.0, "is_authorized": true})
	code := p.vendors.code(onChat)
	got := p.want(t, as, chatInfo, sealed(keyOf(code), profile, appID).with(body{"code": code, "update_userprofile": "overwrite"}).String(), 200)
	got.wantMembers(t, map[string]any{"nickname": "Ada", "city": "Wuhan"})
	if got.object("_provider", "chat")["nickName"] != "Ada" || got.member("token") != nil {
		t.Errorf("%s", got.body)
	}

	p.want(t, as, chatInfo, sealed(keyOf("x"), profile, appID).String(), 400)
	p.want(t, as, chatInfo, sealed(key, profile, "wx2").String(), 400)
	p.want(t, as, chatInfo, "{}", 400)
	// Another person's code, and a user without an identity there.
	bo := p.vendors.code(person{vendor: messaging.Chat, openID: "o-bo"})
	p.want(t, as, chatInfo, sealed(keyOf(bo), map[string]any{"nickName": "Bo"}, appID).with(body{"code": bo}).String(), 400)
	_, other := p.registered(t, "cy")
	p.want(t, other, chatInfo, sealed(key, profile, appID).String(), 400)
	p.want(t, other, chatTold, `{"nickName":"Cy"}`, 200).wantMembers(t, map[string]any{"nickname": "Cy", "_provider": map[string]any{}})
}

// TestClosedAccountFreesIdentities: the next login of the identity makes a new user, and no session key stays (C41).
func TestClosedAccountFreesIdentities(t *testing.T) {
	p := newVendors(t)
	made := p.silent(t, onChat, body{"login_with_unionid": true}, 201)
	p.want(t, caller{}.with(made.text("token")), "POST /hserve/v3/user/close/", "{}", 201)
	if items, err := json.Marshal(p.items(t, "UsersTable")); err != nil || strings.Contains(string(items), "vendor-key") {
		t.Errorf("%v, a session key is left: %s", err, items)
	}
	p.silent(t, onChat, body{"create_user": false, "login_with_unionid": true}, 404)
	if next := p.silent(t, onChat, body{"login_with_unionid": true}, 201); next.id() == made.id() {
		t.Errorf("the closed user logs in: %s", next.body)
	}
}

// TestKeepsSessionKeysSealed: no item contains a session key in plaintext, and a key opens after the secret has changed.
func TestKeepsSessionKeysSealed(t *testing.T) {
	p := newVendors(t)
	p.silent(t, onChat, nil, 201)
	key := p.vendors.key("o-ada")
	if items, err := json.Marshal(p.items(t, "UsersTable")); err != nil || strings.Contains(string(items), key) || !strings.Contains(string(items), "vendor-key") {
		t.Errorf("%v, the session key is stored: %s", err, items)
	}
	as := caller{}.with(p.silent(t, onChat, nil, 201).text("token"))
	data := sealed(p.vendors.key("o-ada"), map[string]any{"purePhoneNumber": "13800138000"}, appID)
	p.vendors.configure(t, production) // seals the secret anew
	p.want(t, as, chatVerify, body{"encryptedData": data["encryptedData"], "iv": data["iv"]}.String(), 200)
}

// BenchmarkSilentLogin measures a login of a known user with a vendor that answers at once.
func BenchmarkSilentLogin(b *testing.B) {
	p := newVendors(b)
	p.silent(b, onChat, nil, 201)
	for b.Loop() {
		p.silent(b, onChat, nil, 201)
	}
}

// BenchmarkFirstLogin measures a login that creates its user.
func BenchmarkFirstLogin(b *testing.B) {
	p := newVendors(b)
	for n := 0; b.Loop(); n++ {
		p.silent(b, person{vendor: messaging.Chat, openID: fmt.Sprint("o-", n)}, nil, 201)
	}
}
