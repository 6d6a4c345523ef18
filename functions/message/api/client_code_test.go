package api_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/user"
)

const (
	clientSend   = "/hserve/v2.2/sms-verification-code/"
	clientVerify = "/hserve/v1.8/sms-verification-code/verify/"
)

// asClient sends a request of an end user at an address, without a session, and returns the body of the response.
func (p *platform) asClient(status int, address, target, body string, header ...string) map[string]any {
	p.Helper()
	return p.must(status, "POST", target, body, append([]string{
		"Authorization: ", "X-Service-Client-ID: 00000000000000000007", "address: " + address,
	}, header...)...)
}

// TestCodesOfEndUsers: an end user sends and verifies a code, by every path; the codes are those of the open API.
func TestCodesOfEndUsers(t *testing.T) {
	p := newPlatform(t)
	const address = "192.0.2.7"
	p.asClient(400, address, clientSend, `{"phone":"13800138000"}`)
	p.configure()
	for i, path := range []string{clientSend, "/hserve/v2.1/sms-verification-code/", "/hserve/v1.8/sms-verification-code/"} {
		phone := fmt.Sprint("1380013800", i)
		p.asClient(200, address, path, `{"phone":`+phone+`,"signature_id":1}`)
		code := regexp.MustCompile(`\d{6}\b`).FindString(strings.TrimPrefix(p.texts[i], "+86"+phone))
		guess := `{"phone":"` + phone + `","code":` + code + `}`
		p.asClient(400, address, clientVerify, guess, "X-Service-Client-ID: 00000000000000000008")
		if i == 0 {
			p.asClient(200, address, clientVerify, guess)
		} else {
			p.must(200, "POST", "/userve/v1.8/sms-verification-code/verify/", guess)
		}
		p.asClient(400, address, clientVerify, guess)
		p.must(400, "POST", tellCode, guess)
	}
	p.must(200, "POST", "/userve/v2.1/sms-verification-code/", `{"phone":"13800138009"}`)
	p.asClient(400, address, clientSend, `{"phone":"13800138009"}`)
	p.asClient(400, address, clientSend, `{"phone":"13800138008","signature_id":"Old"}`)
	p.asClient(401, address, clientSend, `{"phone":"13800138008"}`, "X-Service-Client-ID: ")
	p.asClient(401, address, clientSend, `{"phone":"13800138008"}`, "Authorization: Service-r1 unknown")
}

// TestRepeatedCodeOfEndUser: a repetition under an Idempotency-Key sends and counts nothing more.
func TestRepeatedCodeOfEndUser(t *testing.T) {
	p := newPlatform(t)
	p.configure()
	as, _ := p.logIn()
	for range 3 {
		p.asClient(200, "192.0.2.7", clientSend, `{"phone":"13800138000"}`, append(as, "Idempotency-Key: one")...)
		p.forgetAnswers()
	}
	if len(p.texts) != 1 {
		t.Errorf("%v", p.texts)
	}
	p.asClient(400, "192.0.2.7", clientSend, `{"phone":"13800138000"}`, append(as, "Idempotency-Key: two")...)
}

// TestPumpingEnds: many numbers from one address end at the limit of the address, one number from many addresses at its
// own, and many numbers from many addresses at the budget of the application.
func TestPumpingEnds(t *testing.T) {
	p := newPlatform(t)
	p.configure()
	phones := 0
	next := func() string {
		phones++
		return fmt.Sprintf(`{"phone":"138001%05d"}`, phones)
	}
	const address = "192.0.2.7"
	for range smscode.MaxPerAddress {
		p.asClient(200, address, clientSend, next())
	}
	refused := p.ask("POST", clientSend, next(), "Authorization: ", "X-Service-Client-ID: 00000000000000000007", "address: "+address)
	if refused.Code != 429 || refused.Header().Get("Retry-After") != "3600" {
		t.Errorf("%d %v %s", refused.Code, refused.Header(), refused.Body)
	}
	// The application's own server is not counted, and neither is what was not sent.
	p.must(200, "POST", sendCode, next(), "address: "+address)
	p.now = p.now.Add(time.Hour)
	for range smscode.MaxPerAddress + 5 {
		p.asClient(400, address, clientSend, `{"phone":"12"}`)
		p.asClient(400, address, clientSend, `{"phone":"13800138000","signature_id":"none"}`)
	}
	p.asClient(200, address, clientSend, next())

	// An address of IPv6 counts with its /64.
	for i := range smscode.MaxPerAddress {
		p.asClient(200, fmt.Sprintf("2001:db8::%x", i), clientSend, next())
	}
	p.asClient(429, "2001:db8::ffff", clientSend, next())
	p.asClient(200, "2001:db8:0:1::1", clientSend, next())

	const victim = `{"phone":"13800138000"}`
	for i := range 10 {
		p.asClient(200, fmt.Sprint("198.51.100.", i), clientSend, victim)
		p.asClient(400, fmt.Sprint("198.51.101.", i), clientSend, victim)
		p.now = p.now.Add(time.Minute)
	}
	p.asClient(400, "198.51.102.1", clientSend, victim)

	sent := 0
	for i := range 200 {
		w := p.ask("POST", clientSend, next(), "Authorization: ", "X-Service-Client-ID: 00000000000000000007", fmt.Sprint("address: 203.0.113.", i))
		if w.Code == 429 {
			break
		}
		sent++
	}
	if len(p.texts) != 100 || sent == 0 {
		t.Errorf("%d were sent, %d of them in the end; the budget of the day is 100", len(p.texts), sent)
	}
	p.now = p.now.Add(24 * time.Hour)
	p.asClient(200, "203.0.113.1", clientSend, victim)
}

// TestCodesDoNotTellWhoExists: the answers for the phone of a user and for another are the same.
func TestCodesDoNotTellWhoExists(t *testing.T) {
	p := newPlatform(t)
	p.configure()
	answers := map[string][]string{}
	for _, phone := range []string{"13800138000", "13800138001"} {
		if phone == "13800138000" {
			p.claimPhone("+86" + phone)
		}
		for _, request := range [][2]string{{clientSend, ""}, {clientVerify, `,"code":"123456"`}, {clientSend, ""}} {
			w := p.ask("POST", request[0], `{"phone":"`+phone+`"`+request[1]+`}`, "Authorization: ", "X-Service-Client-ID: 00000000000000000007")
			answers[phone] = append(answers[phone], fmt.Sprint(w.Code, w.Header(), w.Body))
		}
	}
	if known, unknown := strings.Join(answers["13800138000"], "\n"), strings.Join(answers["13800138001"], "\n"); known != unknown {
		t.Errorf("%s\n\n%s", known, unknown)
	}
}

// claimPhone stores a user with a phone.
func (p *platform) claimPhone(number string) {
	p.Helper()
	accounts := &userdb.Accounts{Client: p.client, Table: "UsersTable"}
	err := accounts.ReplaceAccount(p.Context(), shop, user.Account{UserID: 5}, user.Account{
		UserID: 5, Phone: number, PhoneKey: number, PhoneVerified: true, Revision: 1,
	})
	if err != nil {
		p.Fatal(err)
	}
}
