package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// mailed gives the user a new address, and replaces {own_mail} by it. An address in the body is verified.
func (r *repeater) mailed(a repeated) repeated {
	r.Helper()
	r.useSender()
	address := fmt.Sprintf("own-%08x@example.com", rand.Uint32())
	find(r.T, r.ask(r.T, "PUT", "/hserve/v2.2/user/account/", `{"email":"`+address+`"}`), "email")
	if strings.Contains(a.body, "{own_mail}") {
		find(r.T, r.ask(r.T, "POST", "/hserve/v2.0/user/email-verify/", `{}`), "status")
		link := regexp.MustCompile(`/hserve/v2.0/user/email-verify/[0-9a-f]{64}/`).FindString(r.watch("/_local/outbox?contains=" + address))
		find(r.T, r.ask(r.T, "GET", link, ""), "status")
		a.body = strings.ReplaceAll(a.body, "{own_mail}", address)
	}
	a.watch = strings.ReplaceAll(a.watch, "{own_mail}", address)
	return a
}

// codeOf sends a code to a phone and returns it.
func (r *repeater) codeOf(phone string) string {
	r.Helper()
	find(r.T, r.owner.ask(r.T, "POST", "/oserve/v2.1/sms-verification-code/", `{"phone":"`+phone+`"}`), "status")
	return regexp.MustCompile(`】(\d{6}) is your`).FindStringSubmatch(r.watch("/_local/outbox?contains=" + phone))[1]
}
