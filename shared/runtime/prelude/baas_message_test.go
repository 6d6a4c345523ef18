package prelude

import (
	"strings"
	"testing"
)

const ok = `{"status":200,"body":{"status":"ok"}}`

// messageCalls are calls that send messages and verification codes.
var messageCalls = []conversation{
	{"a code is sent", `console.log((await BaaS.sendSmsCode({ phone: "13800138000", userID: 7, signatureID: 1 })).data)`,
		"api", `{"method":"POST","path":"/oserve/v2.1/sms-verification-code/","query":null,"body":{"phone":"13800138000","user_id":7,"signature_id":1}}`,
		ok, `{ status: 'ok' }`},
	{"a code is told", `console.log((await BaaS.verifySmsCode({ phone: "13800138000", code: 123456 })).data.status)`,
		"api", `{"method":"POST","path":"/oserve/v1.8/sms-verification-code/verify/","query":null,"body":{"phone":"13800138000","code":123456}}`,
		ok, `ok`},
	{"a text message goes to a condition", `console.log((await BaaS.sendSmsMessage({ recipient_type: "schema_user", schema_name: "_userprofile", user_profile_filters: new BaaS.Query().compare("age", ">", 18), template_name: "news", keywords: { a: 1 } })).data)`,
		"api", `{"method":"POST","path":"/dserve/v1/message/sms/","query":null,"body":{"recipient_type":"schema_user","schema_name":"_userprofile","user_profile_filters":{"age":{"$gt":18}},"template_name":"news","keywords":{"a":1}}}`,
		ok, `{ status: 'ok' }`},
	{"a template message goes out by chat", `console.log((await BaaS.sendTemplateMessage({ recipient_type: "user_id", user_id: 7, template_id: "t", submission_type: "form_id", keywords: { keyword1: { value: "x" } } })).status)`,
		"api", `{"method":"POST","path":"/dserve/v1/message/template/chat/","query":null,"body":{"recipient_type":"user_id","user_id":7,"template_id":"t","submission_type":"form_id","keywords":{"keyword1":{"value":"x"}}}}`,
		ok, `200`},
	{"a template message goes out by alt", `console.log((await BaaS.alt.sendTemplateMessage({ user_list: [1] })).status)`,
		"api", `{"method":"POST","path":"/dserve/v1/message/template/alt/","query":null,"body":{"user_list":[1]}}`, ok, `200`},
	{"a subscribed message goes out by tpay", `console.log((await BaaS.tpay.sendSubscribeMessage({ user_list: [1] })).status)`,
		"api", `{"method":"POST","path":"/dserve/v1/message/subscribe/tpay/","query":null,"body":{"user_list":[1]}}`, ok, `200`},
	{"form ids are counted", `console.log(await BaaS.getTemplateMsgTicketCount({ userID: 7, submissionType: "prepay_id" }))`,
		"api", `{"method":"GET","path":"/oserve/v3/user/7/form-id/","query":null,"body":null}`,
		`{"status":200,"body":{"chat":{"form":2,"payment":3},"alt":{"form":5,"payment":7}}}`, `3`},
	{"all form ids are counted", `console.log(await BaaS.alt.getTemplateMsgTicketCount({ userID: 7 }))`,
		"api", `{"method":"GET","path":"/oserve/v3/user/7/form-id/","query":null,"body":null}`,
		`{"status":200,"body":{"chat":{"form":2,"payment":3},"alt":{"form":5,"payment":7}}}`, `12`},
	{"subscriptions are counted", `console.log(await BaaS.chat.getSubscribeMsgTicketCount({ userID: 7, templateID: "t" }))`,
		"api", `{"method":"GET","path":"/oserve/v3/user/7/subscription/","query":{"template_id":"t"},"body":null}`,
		`{"status":200,"body":{"chat":4,"alt":0,"tpay":1}}`, `4`},
}

// TestRefusesInvalidMessages checks that invalid messages fail with code 605 before anything is sent.
func TestRefusesInvalidMessages(t *testing.T) {
	for src, want := range map[string]string{
		`BaaS.sendSmsCode()`:                                  "sendSmsCode needs an object",
		`BaaS.verifySmsCode("123456")`:                        "verifySmsCode needs an object",
		`BaaS.sendSmsMessage(null)`:                           "sendSmsMessage needs an object",
		`BaaS.chat.sendSubscribeMessage(7)`:                   "sendSubscribeMessage needs an object",
		`BaaS.getTemplateMsgTicketCount({})`:                  "the id of a user is needed",
		`BaaS.tpay.getSubscribeMsgTicketCount({userID: {}})`:  "the id of a user is needed",
		`BaaS.getTemplateMsgTicketCount({submissionType: 7})`: "submissionType is one of form_id",
	} {
		r := newRealm(t, nil)
		got := r.eval(`(() => { try { ` + src + `; console.log("no error") } catch (e) { console.log(e.name, e.code, e.message) } })()`)
		if !strings.HasPrefix(got, "LOG BaaSError 605 605: incorrect parameter type: "+want) || len(r.calls) > 0 {
			t.Errorf("%s: %s", src, got)
		}
	}
}
