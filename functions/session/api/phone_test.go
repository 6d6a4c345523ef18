package api_test

import (
	"strings"
	"testing"

	"minicloud/shared/message/messaging"
)

// TestPhoneLogin: the number decides who logs in, then the identity; the phone is verified.
func TestPhoneLogin(t *testing.T) {
	p := newVendors(t)
	login := func(of person, number string, more body, status int) answer {
		t.Helper()
		code := p.vendors.code(of)
		data := sealed(keyOf(code), map[string]any{"phoneNumber": number, "purePhoneNumber": number, "countryCode": "86"}, appID)
		return p.want(t, nil, chatPhone, body{"code": code, "encryptedData": data["encryptedData"], "iv": data["iv"]}.with(more).String(), status)
	}
	const number = "13800138000"
	login(onChat, number, body{"create_user": false}, 404)
	made := login(onChat, number, nil, 201)
	made.wantMembers(t, map[string]any{"_phone": number, "_phone_verified": true, "openid": "o-ada"})
	login(onChat, number, body{"create_user": false}, 201).wantMembers(t, map[string]any{"id": made.member("id")})
	p.silent(t, onChat, nil, 201).wantMembers(t, map[string]any{"id": made.member("id")})
	if info := made.object("user_info"); info["openid"] != "o-ada" {
		t.Errorf("user_info %v", info)
	}

	// Somebody with the same phone and another identity is the same user, whose identity stays.
	second := person{vendor: messaging.Chat, openID: "o-ada-2"}
	login(second, number, nil, 201).wantMembers(t, map[string]any{"id": made.member("id"), "openid": "o-ada"})

	// A user who registered by phone gets the identity, if it is free.
	bo := p.want(t, nil, registerPhone, `{"phone":"13800138001","password":"correct horse"}`, 201)
	onBo := person{vendor: messaging.Chat, openID: "o-bo"}
	login(onBo, "13800138001", nil, 201).wantMembers(t, map[string]any{"id": bo.member("id"), "_phone_verified": true, "openid": "o-bo"})
	// The identity of another user stays theirs.
	cy := p.want(t, nil, registerPhone, `{"phone":"13800138002","password":"correct horse"}`, 201)
	login(onBo, "13800138002", nil, 201).wantMembers(t, map[string]any{"id": cy.member("id"), "openid": nil, "_phone_verified": true})
	p.silent(t, onBo, nil, 201).wantMembers(t, map[string]any{"id": bo.member("id")})

	// The user of the code gets the number, unless they have another.
	dee := person{vendor: messaging.Chat, openID: "o-dee"}
	silent := p.silent(t, dee, nil, 201)
	login(dee, "13800138003", nil, 201).wantMembers(t, map[string]any{"id": silent.member("id"), "_phone": "13800138003"})
	login(dee, "13800138004", nil, 400)
	login(dee, "123", nil, 400)

	// A phone code in place of data, by the older path too; the access token is asked for again if it is refused.
	p.vendors.mu.Lock()
	p.vendors.refused = []string{"access-1"}
	p.vendors.mu.Unlock()
	for _, request := range []string{chatPhone, "POST /hserve/v2.5/idp/chat/phone-login/"} {
		eve := person{vendor: messaging.Chat, openID: "o-eve", phone: "13800138005"}
		p.want(t, nil, request, body{"code": p.vendors.code(eve), "phone_code": p.vendors.code(eve)}.String(), 201).
			wantMembers(t, map[string]any{"_phone": "13800138005", "_phone_verified": true, "openid": "o-eve"})
	}
	got := p.want(t, nil, chatPhone, body{"code": p.vendors.code(dee), "phone_code": "unknown"}.String(), 400)
	if !strings.Contains(got.text("error_msg"), "phone_code") {
		t.Errorf("%s", got.body)
	}
	p.want(t, nil, chatPhone, body{"code": p.vendors.code(dee)}.String(), 400)
	p.want(t, nil, chatPhone, body{"phone_code": p.vendors.code(dee)}.String(), 400)

	// A guest keeps the id.
	guest := p.want(t, nil, loginAnonymous, "{}", 201)
	fay := person{vendor: messaging.Chat, openID: "o-fay", phone: "13800138006"}
	p.want(t, caller{}.with(guest.text("token")), chatPhone, body{
		"code": p.vendors.code(fay), "phone_code": p.vendors.code(fay),
	}.String(), 201).wantMembers(t, map[string]any{"id": guest.member("id"), "_anonymous": false, "_phone": "13800138006"})
}

// TestPhoneLoginTakesOverUnverifiedPhone: somebody who registered with another person's number loses every way into the
// account once its owner logs in. An account that the owner had verified before keeps its logins.
func TestPhoneLoginTakesOverUnverifiedPhone(t *testing.T) {
	p := newVendors(t)
	login := func(of person) answer {
		t.Helper()
		return p.want(t, nil, chatPhone, body{"code": p.vendors.code(of), "phone_code": p.vendors.code(of)}.String(), 201)
	}
	const credentials = `{"phone":"13800138001","password":"correct horse"}`
	other := p.want(t, nil, registerPhone, credentials, 201)
	as := caller{}.with(other.text("token"))
	p.want(t, as, account, `{"username":"mallory","email":"mallory@example.com"}`, 200)
	owner := person{vendor: messaging.Chat, openID: "o-owner", phone: "13800138001"}
	login(owner).wantMembers(t, map[string]any{
		"id": other.member("id"), "_phone_verified": true, "_username": nil, "_email": nil, "openid": "o-owner",
	})
	if p.live(t, nil, other.text("token")) {
		t.Error("the session from before goes on")
	}
	p.want(t, nil, loginPhone, credentials, 400)
	p.want(t, nil, loginUsername, `{"username":"mallory","password":"correct horse"}`, 400)

	own := caller{}.with(login(owner).text("token"))
	p.want(t, own, account, `{"new_password":"battery staple"}`, 200)
	login(owner)
	p.want(t, nil, loginPhone, `{"phone":"13800138001","password":"battery staple"}`, 201)
}

// TestMistypedPhoneIsLost: a user who has proven an e-mail or an identity, but not the number, keeps the account when the
// number's owner logs in, and only loses the number. The owner gets a user of their own, or is the user of their identity.
func TestMistypedPhoneIsLost(t *testing.T) {
	p := newVendors(t)
	owner := person{vendor: messaging.Chat, openID: "o-owner", phone: number}
	bySMS := func(t *testing.T, create bool, status int) answer {
		t.Helper()
		told := byCode(number, p.code(t, shopScope, number)).with(body{"create_user": create})
		return p.want(t, nil, loginCode, told.String(), status)
	}
	byChat := func(t *testing.T, create bool, status int) answer {
		t.Helper()
		told := body{"code": p.vendors.code(owner), "phone_code": p.vendors.code(owner), "create_user": create}
		return p.want(t, nil, chatPhone, told.String(), status)
	}
	ada := p.want(t, nil, registerEmail, registerAda, 201)
	p.want(t, nil, "GET "+verifyPath(p.token(t, caller{}.with(ada.text("token")), askVerify, "{}")), "", 200)
	mistyped := map[string]answer{"e-mail": ada, "identity": p.silent(t, onChat, nil, 201)}
	for proven, of := range mistyped {
		for by, login := range map[string]func(*testing.T, bool, int) answer{"code": bySMS, "chat": byChat} {
			t.Run(proven+" "+by, func(t *testing.T) {
				as := caller{}.with(of.text("token"))
				p.want(t, as, account, body{"phone": number}.String(), 200)

				// A login that finds nobody changes nothing.
				login(t, false, 404)
				p.want(t, as, account, "{}", 200).wantMembers(t, map[string]any{"phone": number})
				made := login(t, true, 201)
				made.wantMembers(t, map[string]any{"_phone": number, "_phone_verified": true, "_email": nil})
				if made.id() == of.id() {
					t.Error("the owner of the number got the account")
				}
				p.want(t, as, account, "{}", 200).wantMembers(t, map[string]any{"phone": nil, "phone_verified": false})
				p.want(t, as, account, body{"phone": number}.String(), 400)
				p.want(t, caller{}.with(made.text("token")), "POST /hserve/v3/user/close/", "{}", 201)
			})
		}
	}
	p.want(t, nil, loginEmail, registerAda, 201).wantMembers(t, map[string]any{"_email_verified": true})

	// The owner already has a user, found by the identity of the code, who gets the number.
	p.want(t, caller{}.with(ada.text("token")), account, body{"phone": number}.String(), 200)
	theirs := p.silent(t, owner, nil, 201)
	byChat(t, false, 201).wantMembers(t, map[string]any{"id": theirs.member("id"), "_phone": number, "_phone_verified": true})

	// A user with a session or with the identity of the code keeps the number, and verifies it.
	p.want(t, caller{}.with(theirs.text("token")), account, `{"phone":null}`, 200)
	as := caller{}.with(ada.text("token"))
	p.want(t, as, account, body{"phone": number}.String(), 200)
	p.want(t, as, loginCode, byCode(number, p.code(t, shopScope, number)).String(), 201).
		wantMembers(t, map[string]any{"id": ada.member("id"), "_email": "ada@example.com", "_phone_verified": true})
}

// TestPhoneVerification: the number is decrypted with the key of the last login, or told for a code.
func TestPhoneVerification(t *testing.T) {
	p := newVendors(t)
	as := caller{}.with(p.silent(t, onChat, nil, 201).text("token"))
	data := func(number, key, app string) body {
		all := sealed(key, map[string]any{"purePhoneNumber": number, "countryCode": "86"}, app)
		return body{"encryptedData": all["encryptedData"], "iv": all["iv"]}
	}
	key := p.vendors.key("o-ada")
	p.want(t, as, chatVerify, data("13800138000", keyOf("another"), appID).String(), 400)
	p.want(t, as, chatVerify, data("13800138000", key, "wx2").String(), 400)
	p.want(t, as, chatVerify, "{}", 400)
	p.want(t, as, chatVerify, data("13800138000", key, appID).String(), 200).
		wantMembers(t, map[string]any{"_phone": "13800138000", "_phone_verified": true, "openid": "o-ada", "token": nil})

	older := "PUT /hserve/v2.5/idp/chat/phone-verification/"
	keep := body{"overwrite": false}
	p.want(t, as, older, data("13800138000", key, appID).with(keep).String(), 200)
	p.want(t, as, older, data("13800138001", key, appID).with(keep).String(), 400)
	p.want(t, as, older, data("13800138001", key, appID).with(body{"overwrite": true}).String(), 200).
		wantMembers(t, map[string]any{"_phone": "13800138001"})
	onPhone := person{vendor: messaging.Chat, phone: "+4915123456789"}
	p.want(t, as, chatVerify, body{"phone_code": p.vendors.code(onPhone)}.String(), 200).
		wantMembers(t, map[string]any{"_phone": "+4915123456789", "_phone_verified": true})

	// The number of another user, a user without a login at the vendor, and callers who are none.
	_, bo := p.registered(t, "bo")
	p.want(t, bo, chatVerify, body{"phone_code": p.vendors.code(onPhone)}.String(), 400)
	p.want(t, bo, chatVerify, data("13800138002", key, appID).String(), 400)
	p.want(t, nil, chatVerify, "{}", 401)
	p.want(t, caller{}.with(p.want(t, nil, loginAnonymous, "{}", 201).text("token")), chatVerify, "{}", 403)
}
