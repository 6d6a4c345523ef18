package scenario_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/infra/openapi/routes"
	"minicloud/infra/seed/demo"
	"minicloud/infra/seed/sender"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// repeated is a write that is sent again with its Idempotency-Key. Each # is replaced by a number that differs for
// each key.
type repeated struct {
	path, body string
	watch      string // the GET request that shows the effect
	// between is a write by another caller after the first one, as "METHOD path body": the repetition must not undo
	// it.
	between string
}

const (
	keyedJobs      = "/oserve/v1.3/cloud-function/keyed/job/?limit=1000"
	keyedRows      = "/oserve/v2.4/table/keyed/record/?limit=1000"
	keyedFunctions = "/oserve/v1.3/cloud-function/?limit=1000"
	keyedTables    = "/oserve/v1.8/table/?limit=1000"
	keyedGroups    = "/oserve/v1/user-group/?limit=1000"
	keyedUsers     = "/userve/v2.2/miniapp/user_profile/?limit=1000"
	keyedSupers    = "/oserve/v1/user-supergroup/?limit=1000"
	keyedVariables = "/oserve/v1.3/cloud-function/keyed/variable/"
	keyedTriggers  = "/oserve/v3/trigger/?limit=1000"
	keyedMails     = "/_local/outbox?contains=keyed"
	keyedOrders    = "/_local/payments/"
	keyedLog       = "/oserve/v3/trigger-log/?limit=1000"
	keyedSender    = "keyed@keyed.example"
	increments     = `{"n":{"$incr_by":1},"list":{"$append":[1]}}`
)

// repetitions has the writes of every route that accepts a key.
var repetitions = map[string][]repeated{
	"POST /oserve/v1/cloud-function/job": {
		{body: `{"function_name":"keyed","data":{}}`, watch: keyedJobs},
		{body: `{"function_name":"keyed","data":{},"sync":false}`, watch: keyedJobs},
	},
	"POST /hserve/v1/cloud-function/job": {{body: `{"function_name":"keyed","data":{}}`, watch: keyedJobs}},
	"POST /oserve/v1.3/cloud-function/{name}/debug": {
		{path: "/oserve/v1.3/cloud-function/keyed/debug/", body: `{"data":{}}`, watch: keyedJobs},
	},
	"POST /oserve/v1.3/cloud-function/{name}/job": {
		{path: "/oserve/v1.3/cloud-function/keyed/job/", body: `{"data":{"fail":true}}`, watch: keyedJobs},
		{path: "/oserve/v1.3/cloud-function/keyed/job/", body: `{"data":{},"sync":false}`, watch: keyedJobs},
		{
			path: "/oserve/v1.3/cloud-function/keyed/job/", body: `{"data":{},"sync":false,"run_at":{later}}`, watch: keyedJobs,
		},
	},
	"POST /oserve/v1.3/cloud-function": {
		{body: `{"name":"made-#","function_code":"exports.main = async () => 1"}`, watch: keyedFunctions},
	},
	"PATCH /oserve/v1.3/cloud-function/{name}": {
		{path: "/oserve/v1.3/cloud-function/keyed/", body: `{"remark":"mine #"}`, watch: keyedFunctions},
		{path: "/oserve/v1.3/cloud-function/keyed/", body: `{"remark":"mine #"}`, watch: keyedFunctions,
			between: `PATCH /oserve/v1.3/cloud-function/keyed/ {"remark":"theirs #"}`},
		{path: "/oserve/v1.3/cloud-function/rename-#/", body: `{"name":"renamed-#"}`, watch: keyedFunctions},
	},
	"PUT /oserve/v1.3/cloud-function/{name}/variable": {{path: keyedVariables, body: `{"key":"ONE","value":"mine #"}`, watch: keyedVariables,
		between: `PUT /oserve/v1.3/cloud-function/keyed/variable/ONE/ {"value":"theirs #"}`}},
	"PUT /oserve/v1.3/cloud-function/{name}/variable/{key}": {{path: keyedVariables +
		"TWO/", body: `{"value":"mine #"}`, watch: keyedVariables,
		between: `PUT /oserve/v1.3/cloud-function/keyed/variable/TWO/ {"value":"theirs #"}`}},
	"POST /oserve/v1.3/cloud-function/{name}/version/{version}/restore": {{path: "/oserve/v1.3/cloud-function/keyed/version/1/restore/",
		watch: keyedFunctions, between: `PATCH /oserve/v1.3/cloud-function/keyed/ {"remark":"after restoring #"}`}},

	"POST /oserve/v1.8/table": {
		{body: `{"name":"made-#","schema":{"fields":[{"name":"n","type":"integer","indexed":true}]}}`, watch: keyedTables},
	},
	"PUT /oserve/v1.8/table/{table}": {
		{path: "/oserve/v1.8/table/rename-#/", body: `{"name":"renamed-#"}`, watch: keyedTables},
		{path: "/oserve/v1.8/table/keyed/", body: `{"write_perm":["user:5#"]}`, watch: keyedTables,
			between: `PUT /oserve/v1.8/table/keyed/ {"write_perm":["user:6#"]}`},
	},
	"POST /oserve/v2.6/schema/{table}/index": {
		{path: "/oserve/v2.6/schema/indexed-#/index/", body: `{"fields":["n"],"unique":true}`, watch: "/oserve/v2.6/schema/indexed-#/index/"},
		{path: "/oserve/v2.6/schema/indexed-#/index/", body: `{"fields":["n","mark"]}`, watch: "/oserve/v2.6/schema/indexed-#/index/"},
	},
	"POST /oserve/v2.4/table/{table}/record": {
		{path: "/oserve/v2.4/table/keyed/record/", body: `{"n":1,"level":1}`, watch: keyedRows},
		{
			path: "/oserve/v2.4/table/keyed/record/",
			body: `[{"n":1},{"n":"no"},` + strings.Repeat(`{"n":2,"level":3},`, 60) + `{"n":3}]`, watch: keyedRows,
		},
	},
	"PUT /oserve/v2.6/table/{table}/record": {
		{path: "/oserve/v2.6/table/keyed/record/?where={}&limit=30", body: increments, watch: keyedRows},
		{path: "/oserve/v2.6/table/keyed/record/?where={}&limit=30", body: `{"level":{"$incr_by":1}}`, watch: keyedRows},
		{path: "/oserve/v2.6/table/keyed/record/?where={}", body: increments, watch: keyedRows},
		// The changed rows no longer match, but others do.
		{
			path: `/oserve/v2.6/table/keyed/record/?where={"mark":{"$ne":%22#%22}}&limit=3`,
			body: `{"mark":"#","n":{"$incr_by":1}}`, watch: keyedRows,
		},
	},
	"PUT /oserve/v2.6/table/{table}/record/{id}": {
		{path: "/oserve/v2.6/table/keyed/record/{row}/", body: increments, watch: keyedRows},
		{path: "/oserve/v2.6/table/keyed/record/{row}/", body: `{"level":{"$incr_by":1}}`, watch: keyedRows},
		{path: "/oserve/v2.6/table/keyed/record/{row}/", body: `{"mark":"mine #"}`, watch: keyedRows,
			between: `PUT /oserve/v2.6/table/keyed/record/{row}/ {"mark":"theirs #"}`},
	},

	"PUT /hserve/v2.0/user/info": {{body: increments, watch: keyedUsers}},
	"PUT /hserve/v2.1/user/info": {{body: increments, watch: keyedUsers}},
	"PUT /hserve/v2.2/user/info": {{body: increments, watch: keyedUsers}},
	"PUT /hserve/v2.5/user/info": {{body: increments, watch: keyedUsers}},
	"PUT /userve/v2.6/miniapp/user_profile/{id}": {
		{path: "/userve/v2.6/miniapp/user_profile/{user}/", body: increments, watch: keyedUsers},
	},
	"PUT /oserve/v2.6/miniapp/user_profile/{id}": {
		{path: "/oserve/v2.6/miniapp/user_profile/{user}/", body: increments, watch: keyedUsers},
	},
	"PUT /userve/v2.6/miniapp/user_profile": {
		{path: "/userve/v2.6/miniapp/user_profile/?where={}&limit=2", body: increments, watch: keyedUsers},
	},
	"PUT /oserve/v2.6/miniapp/user_profile": {{path: `/oserve/v2.6/miniapp/user_profile/?where={"mark":{"$ne":%22#%22}}&limit=2`,
		body: `{"mark":"#","n":{"$incr_by":1}}`, watch: keyedUsers},
		{path: "/oserve/v2.6/miniapp/user_profile/?where={}&async=1", body: `{"rank":1}`, watch: keyedVariables}},
	"PUT /userve/v2.2/miniapp/user/account/{id}": {
		{
			path: "/userve/v2.2/miniapp/user/account/{user}/", body: `{"username":"mine#","new_password":"secret#"}`,
			watch: keyedUsers,
		},
	},
	"PUT /oserve/v2.1/miniapp/user/account/{id}": {{path: "/oserve/v2.1/miniapp/user/account/{user}/", body: `{"email":"mine#@example.com"}`, watch: keyedUsers,
		between: `PUT /oserve/v2.1/miniapp/user/account/{user}/ {"email":"theirs#@example.com"}`}},

	"PUT /hserve/v2.2/user/account": {{
		path: "/hserve/v2.2/user/account/", body: `{"username":"own-#","password":"correct horse","new_password":"correct horse"}`,
		watch: keyedUsers,
	}},
	"PUT /hserve/v2.1/user/account": {{
		path: "/hserve/v2.1/user/account/", body: `{"email":"own-#@example.com"}`, watch: keyedUsers,
	}},
	"PUT /hserve/v2.0/user/account": {{
		path: "/hserve/v2.0/user/account/", body: `{"username":"older-#"}`, watch: keyedUsers,
		between: `PUT /hserve/v2.1/user/account/ {"username":"theirs-#"}`,
	}},
	"PUT /oserve/v3/user/{user}": {{path: "/oserve/v3/user/{user}/", body: `{"blocked":true}`, watch: "/oserve/v3/user/{user}/",
		between: `PUT /oserve/v3/user/{user}/ {"blocked":false}`}},

	"POST /oserve/v1.3/callback-key": {{body: `{}`, watch: keyedFunctions}},

	"POST /hserve/v2.2/idp/pay/order": {{
		body: `{"gateway_type":"tpay","total_cost":1.5,"merchandise_description":"keyed #"}`, watch: keyedOrders,
	}},
	"POST /hserve/v2.0/idp/pay/order": {{
		body: `{"gateway_type":"tpay_native","total_cost":"1.50","merchandise_description":"older #"}`, watch: keyedOrders,
	}},
	"PUT /oserve/v3/payment-setting/{vendor}": {{
		path: "/oserve/v3/payment-setting/chat/", body: `{"app_id":"mine #"}`, watch: "/oserve/v3/payment-setting/chat/",
		between: `PUT /oserve/v3/payment-setting/chat/ {"app_id":"theirs #"}`,
	}},

	"PUT /oserve/v3/mail-setting": {{
		path: "/oserve/v3/mail-setting/", body: `{"list_unsubscribe":"https://example.com/mine-#"}`,
		watch:   "/oserve/v3/mail-setting/",
		between: `PUT /oserve/v3/mail-setting/ {"list_unsubscribe":"https://example.com/theirs-#"}`,
	}},
	"POST /oserve/v3/mail-setting/verification": {{body: `{}`, watch: "/_local/outbox?contains=Confirm+{sender}"}},
	"POST /oserve/v3/mail-setting/confirmation": {{body: `{"code":"{sender_code}"}`, watch: "/oserve/v3/mail-setting/?of={sender}"}},
	"PUT /oserve/v3/sms-setting": {{
		path: "/oserve/v3/sms-setting/", body: `{"signatures":[{"name":"mine #","status":"approved"}]}`,
		watch:   "/oserve/v3/sms-setting/",
		between: `PUT /oserve/v3/sms-setting/ {"signatures":[{"name":"theirs #","status":"approved"}]}`,
	}},

	"PUT /oserve/v3/message-setting/{vendor}": {{
		path: "/oserve/v3/message-setting/chat/", body: `{"app_id":"mine #"}`, watch: "/oserve/v3/message-setting/chat/",
		between: `PUT /oserve/v3/message-setting/chat/ {"app_id":"theirs #"}`,
	}},
	"PUT /oserve/v3/login-setting/{provider}": {{
		path: "/oserve/v3/login-setting/oauth-chat-web/", body: `{"app_id":"mine #"}`,
		watch:   "/oserve/v3/login-setting/oauth-chat-web/",
		between: `PUT /oserve/v3/login-setting/oauth-chat-web/ {"app_id":"theirs #"}`,
	}},
	// Linking one's own identity again changes nothing, and a verified phone stays.
	"POST /hserve/v2.4/idp/chat/user-associate":   {{body: signedProfile("keyed"), watch: keyedUsers}},
	"POST /hserve/v2.0/idp/chat/user-associate":   {{body: signedProfile("keyed"), watch: keyedUsers}},
	"PUT /hserve/v2.0/idp/alt/user-associate":     {{body: `{"code":"keyed","authorized":true}`, watch: keyedUsers}},
	"POST /hserve/v2.0/idp/tpay/user-association": {{body: `{"code":"keyed"}`, watch: keyedUsers}},
	"POST /hserve/v2.0/idp/{vendor}/user-association": {{
		path: "/hserve/v2.0/idp/oauth-chat-web/user-association/", body: `{"auth_token":"{auth}"}`, watch: keyedUsers,
	}},
	"POST /hserve/v2.3/idp/oauth/{provider}/user-association": {{
		path: "/hserve/v2.3/idp/oauth/chat-web/user-association/", body: `{"auth_token":"{auth}"}`, watch: keyedUsers,
	}},
	"POST /hserve/v2.0/idp/qq/user-association": {{body: `{"code":"keyed"}`, watch: keyedUsers}},
	"PUT /hserve/v2.7/idp/chat/phone-verification": {{
		path: "/hserve/v2.7/idp/chat/phone-verification/", body: `{"phone_code":"13900139020"}`, watch: keyedUsers,
	}},
	"PUT /hserve/v2.5/idp/chat/phone-verification": {{
		path: "/hserve/v2.5/idp/chat/phone-verification/", body: `{"phone_code":"13900139020"}`, watch: keyedUsers,
	}},
	"PUT /hserve/v2.6/idp/chat/user/info": {{body: signedProfile("keyed"), watch: keyedUsers}},
	"PUT /hserve/v2.5/idp/chat/user/info": {{
		path: "/hserve/v2.5/idp/chat/user/info/", body: `{"nickName":"mine #","update_userprofile":"overwrite"}`,
		watch: keyedUsers,
	}},
	"POST /oserve/v3/user/{user}/form-id": {{
		path: "/oserve/v3/user/{user}/form-id/", body: `{"vendor":"chat","kind":"payment","form_id":"made-#"}`,
		watch: "/oserve/v3/user/{user}/form-id/",
	}},

	"POST /dserve/v1/user/profile":     {{body: `{"_username":"made#","_email":"made#@example.com","_email_verified":true}`, watch: keyedUsers}},
	"PUT /dserve/v1/user/profile":      {{path: "/dserve/v1/user/profile/?where={}&limit=2", body: increments, watch: keyedUsers}},
	"PUT /dserve/v1/user/profile/{id}": {{path: "/dserve/v1/user/profile/{user}/", body: `{"n":{"$incr_by":1},"nickname":"mine #"}`, watch: keyedUsers}},
	"POST /dserve/v1/message/mail": {{
		body: `{"recipient":"ada@example.com","subject":"keyed #","body":"hello"}`, watch: keyedMails,
	}},
	"POST /dserve/v1/message/sms": {{
		body:  `{"recipient_type":"phone_number","phone_number":"{phone}","template_name":"keyed"}`,
		watch: "/_local/outbox?contains={phone}",
	}},
	"POST /dserve/v1/message/template/{vendor}": {{
		path: "/dserve/v1/message/template/tpay/", body: `{"recipient_type":"user_list","user_list":[{user}],"template_id":"form keyed"}`,
		watch: "/_local/outbox?contains=form+keyed",
	}},
	"POST /dserve/v1/message/subscribe/{vendor}": {{
		path: "/dserve/v1/message/subscribe/tpay/", body: `{"recipient_type":"user_id","user_id":{user},"template_id":"keyed-#"}`,
		watch: "/_local/outbox?contains=keyed-",
	}},
	"POST /oserve/v3/user/{user}/subscription": {{
		path: "/oserve/v3/user/{user}/subscription/", body: `{"vendor":"chat","template_id":"keyed-#"}`,
		watch: "/oserve/v3/user/{user}/subscription/",
	}},
	"POST /hserve/v2.0/template-message-ticket": {{
		body: `{"submission_type":"form_id","submission_value":"f#","platform":"alt_miniapp"}`, watch: "/oserve/v3/message-opening/keyed/",
	}},
	"POST /hserve/v2.0/template-message/event-report": {{
		body: `{"stats_id":"keyed-#","platform":"chat_miniapp"}`, watch: "/oserve/v3/message-opening/keyed-#/",
	}},
	"POST /hserve/v2.2/subscription-message/relationship-report": {{
		body: `{"subscription":[{"template_id":"keyed-#"},{"template_id":"keyed-#"}]}`, watch: "/oserve/v3/message-opening/keyed/",
	}},
	"POST /oserve/v2.1/sms-verification-code": {{body: `{"phone":"{phone}"}`, watch: "/_local/outbox?contains={phone}"}},
	"POST /oserve/v1.8/sms-verification-code/verify": {{
		body: `{"phone":"{phone}","code":"{code}"}`, watch: "/_local/outbox?contains={phone}",
	}},
	"POST /userve/v2.1/sms-verification-code": {{body: `{"phone":"{phone}"}`, watch: "/_local/outbox?contains={phone}"}},
	"POST /userve/v1.8/sms-verification-code/verify": {{
		body: `{"phone":"{phone}","code":"{code}"}`, watch: "/_local/outbox?contains={phone}",
	}},
	"POST /hserve/v2.2/sms-verification-code": {{body: `{"phone":"{phone}"}`, watch: "/_local/outbox?contains={phone}"}},
	"POST /hserve/v2.1/sms-verification-code": {{body: `{"phone":"{phone}"}`, watch: "/_local/outbox?contains={phone}"}},
	"POST /hserve/v1.8/sms-verification-code": {{body: `{"phone":"{phone}"}`, watch: "/_local/outbox?contains={phone}"}},
	"POST /hserve/v1.8/sms-verification-code/verify": {{
		body: `{"phone":"{phone}","code":"{code}"}`, watch: "/_local/outbox?contains={phone}",
	}},
	"POST /hserve/v2.1/sms-phone-verification": {{body: `{"code":"{own_code}"}`, watch: keyedUsers}},
	"POST /hserve/v2.0/user/email-verify":      {{body: `{}`, watch: "/_local/outbox?contains={own_mail}"}},
	"POST /hserve/v2.0/user/password/reset":    {{body: `{"email":"{own_mail}"}`, watch: "/_local/outbox?contains={own_mail}"}},

	"POST /oserve/v1/user-group": {{body: `{"name":"made #"}`, watch: keyedGroups}},
	"PUT /oserve/v1/user-group/{id}": {{path: "/oserve/v1/user-group/{group}/", body: `{"name":"mine #"}`, watch: keyedGroups,
		between: `PUT /oserve/v1/user-group/{group}/ {"name":"theirs #"}`}},
	"POST /oserve/v1/user-supergroup": {{body: `{"name":"made #"}`, watch: keyedSupers}},
	"PUT /oserve/v1/user-supergroup/{id}": {{
		path: "/oserve/v1/user-supergroup/{super}/", body: `{"name":"mine #","children":[{group}]}`, watch: keyedSupers,
		between: `PUT /oserve/v1/user-supergroup/{super}/ {"name":"theirs #","children":[{other}]}`,
	}},
	"PUT /oserve/v1.8/application-setting": {{
		path: "/oserve/v1.8/application-setting/", body: `{"legacy_writes":false}`, watch: "/oserve/v1.8/application-setting/",
	}},
	// refund_test.go counts the refunds of vendors; here the order has no amount left.
	"POST /dserve/v1/payment/refund": {{
		body: `{"transaction_no":"keyed-order","refund_no":"keyed"}`, watch: keyedGroups,
	}},
	"POST /oserve/v3/order/{transaction_no}/refund": {{
		path: "/oserve/v3/order/keyed-order/refund/", body: `{"refund_amount":1,"refund_no":"keyed"}`,
		watch: "/oserve/v3/order/keyed-order/refund/",
	}},
	"POST /oserve/v3/order/erase": {{body: `{"user_id":{user}}`, watch: "/oserve/v3/order/keyed-order/refund/"}},
	"PATCH /oserve/v1/miniapp/group/membership": {{
		body:    `[{"op":"add","path":"/membership","users":[{user}],"groups":[{group}]},{"op":"remove","path":"/membership","users":[{user}],"groups":[{other}]}]`,
		watch:   keyedUsers,
		between: `PATCH /oserve/v1/miniapp/group/membership/ [{"op":"remove","path":"/membership","users":[{user}],"groups":[{group}]},{"op":"add","path":"/membership","users":[{user}],"groups":[{other}]}]`,
	}},
	// The twin changes back what its original has changed: a change without effect leaves no trace of its key.
	"PATCH /userve/v1/miniapp/group/membership": {{
		body:    `[{"op":"add","path":"/membership","users":[{user}],"groups":[{other}]},{"op":"remove","path":"/membership","users":[{user}],"groups":[{group}]}]`,
		watch:   keyedUsers,
		between: `PATCH /userve/v1/miniapp/group/membership/ [{"op":"remove","path":"/membership","users":[{user}],"groups":[{other}]},{"op":"add","path":"/membership","users":[{user}],"groups":[{group}]}]`,
	}},

	"POST /oserve/v3/trigger": {{body: aHook, watch: keyedTriggers}},
	"PUT /oserve/v3/trigger/{trigger}": {
		{path: "/oserve/v3/trigger/{trigger}/", body: `{"name":"mine #"}`, watch: keyedTriggers,
			between: `PUT /oserve/v3/trigger/{trigger}/ {"name":"theirs #"}`},
	},
	"POST /oserve/v3/trigger/{trigger}/hook": {
		{path: "/oserve/v3/trigger/{trigger}/hook/", body: `{}`, watch: keyedTriggers},
		{
			path: "/oserve/v3/trigger/{trigger}/hook/", body: `{}`, watch: keyedTriggers,
			between: `POST /oserve/v3/trigger/{trigger}/hook/ {}`,
		},
	},
	"POST /oserve/v3/trigger/{trigger}/fire": {
		{path: "/oserve/v3/trigger/{trigger}/fire/", body: `{"event":{"n":5}}`, watch: keyedLog},
		{path: "/oserve/v3/trigger/{trigger}/fire/?dry_run=1", body: `{}`, watch: keyedLog},
	},
	"POST /oserve/v3/trigger/{trigger}/back-test": {
		{path: "/oserve/v3/trigger/{timer}/back-test/", body: `{"days":1}`, watch: keyedLog},
	},
	"POST /oserve/v3/trigger/{trigger}/replay": {
		{path: "/oserve/v3/trigger/{trigger}/replay/", body: `{"from":1,"to":{later},"only_failed":false}`, watch: keyedLog},
	},
	"POST /oserve/v3/trigger-log/{entry}/replay": {
		{path: "/oserve/v3/trigger-log/{entry}/replay/", body: `{}`, watch: keyedLog},
	},
	"POST /oserve/v3/trigger/{trigger}/action/{action}/key": {
		{path: "/oserve/v3/trigger/{trigger}/action/{action}/key/", body: `{}`, watch: keyedTriggers},
	},
}

func init() {
	for _, version := range []string{"v2.0", "v2.2", "v2.4", "v2.5"} {
		route := " /hserve/" + version + "/table/{table}/record"
		rows := "/hserve/" + version + "/table/keyed/record/"
		repetitions["POST"+route] = []repeated{
			{path: rows, body: `{"n":1,"level":1}`, watch: keyedRows},
			{path: rows, body: `[{"n":1},{"n":"no"},{"n":2,"level":3},{"n":3}]`, watch: keyedRows},
		}
		repetitions["PUT"+route] = []repeated{
			{path: rows + "?where={}&limit=30", body: increments, watch: keyedRows},
			{path: rows + "?where={}&limit=5000", body: increments, watch: keyedRows},
		}
		repetitions["PUT"+route+"/{id}"] = []repeated{
			{path: rows + "{row}/", body: increments, watch: keyedRows},
			{path: rows + "{row}/", body: `{"mark":"mine #"}`, watch: keyedRows,
				between: `PUT ` + rows + `{row}/ {"mark":"theirs #"}`},
		}
	}
}

// repeater sends requests with keys as the owner.
type repeater struct {
	*testing.T
	caller
	cloud stage
	has   *strings.Replacer
	owner caller // with an access token
}

// everyWriteHappensOnce sends every write with a key twice, as after the death of a program between the effect and
// storing the response: the claim and the effect exist, and no response. It also sends three at once.
func everyWriteHappensOnce(t *testing.T, c stage, owner caller) {
	r := &repeater{T: t, caller: owner, owner: owner, cloud: c}
	r.furnish()
	n := 0
	for _, route := range routes.All() {
		asks := route.Access != httpapi.Public && route.Access != httpapi.Session
		if !asks || route.Method != "POST" && route.Method != "PUT" && route.Method != "PATCH" {
			continue
		}
		// Logins and registrations take no key (C39), nor does what ends a session. The other routes only read, or refuse
		// every program: TestGrownApplication reopens a sender.
		if route.Access == httpapi.Client && route.Fresh || slices.Contains(readsByPost, route.Path) ||
			route.Path == "/oserve/v3/mail-setting/reopening" {
			continue
		}
		cases, _, original := entryOf(repetitions, route)
		if len(cases) == 0 {
			t.Fatalf("say in repetitions how %s is sent twice", key(route))
		}
		if original || regexp.MustCompile(`^/hserve/v2\.[45]/table/`).MatchString(route.Path) {
			cases = cases[:1] // with the handler of the original, or of v2.2
		}
		for i, again := range cases {
			if again.path == "" {
				again.path = route.Path + "/"
			}
			if original {
				again.path = strings.Replace(again.path, "/oserve/", "/userve/", 1)
			}
			t.Run(fmt.Sprint(key(route), " ", i), func(t *testing.T) {
				here := &repeater{T: t, caller: owner.as(route.Access), owner: owner, cloud: c, has: r.has}
				n++
				grown := here.afterDeath(route, again.number(n))
				n++
				here.atOnce(route, again.number(n), grown)
			})
		}
	}
	r.useSender() // the cases that follow send mails
}

// furnish creates the objects of the repetitions.
func (r *repeater) furnish() {
	must := func(method, path, body, field string) string {
		r.Helper()
		return find(r.T, r.ask(r.T, method, path, body), field)
	}
	code := `exports.main = async (event) => { if (event.data.fail) throw new TypeError('no'); return { job: event.jobId, chance: Math.random() } }`
	must("POST", keyedFunctions, `{"name":"keyed","function_code":"`+code+`"}`, "id")
	fields := `"schema":{"fields":[{"name":"n","type":"integer"},{"name":"level","type":"integer","indexed":true},` +
		`{"name":"list","type":"array","items":{"type":"integer"}},{"name":"mark","type":"string"}]}`
	must("POST", keyedTables, `{"name":"keyed",`+fields+`}`, "id")
	must(
		"PUT", "/oserve/v1.8/table/_userprofile/", "{"+strings.Replace(fields, `"name":"level"`, `"name":"rank"`, 1)+"}",
		"id",
	)
	row := must("POST", keyedRows, `{"n":1,"level":1}`, "id")
	for range 5 {
		must("POST", keyedRows, `{"n":1,"level":1}`, "id")
	}
	hook := r.ask(r.T, "POST", "/oserve/v3/trigger/", aHook)
	action := regexp.MustCompile(`"actions":\[\{"id":(\d+)`).FindStringSubmatch(hook.body)
	timer := must("POST", "/oserve/v3/trigger/", `{"name":"keyed","type":"timer","condition":{"cron":"0 0 1 1 *"},`+
		`"actions":[{"type":"cloud_function","settings":{"function":"keyed"}}]}`, "id")
	fired := r.ask(r.T, "POST", "/oserve/v3/trigger/"+find(r.T, hook, "id")+"/fire/", "{}")
	entry := regexp.MustCompile(`"log_id":"([^"]+)"`).FindStringSubmatch(fired.body)
	photo := uploadPhoto(r.T, r.as(httpapi.Client), "keyed.png").ID
	r.has = strings.NewReplacer("{photo}", photo, "{category}", must("POST", "/oserve/v2.2/file-category/", `{"name":"keyed"}`, "id"),
		"{timer}", timer, "{entry}", entry[1], "{trigger}", find(
			r.T, hook, "id",
		), "{action}", action[1], "{row}", row, "{user}", fmt.Sprint(int64(demo.UserID(0))),
		"{later}", fmt.Sprint(time.Now().Add(time.Hour).Unix()),
		"{group}", must("POST", keyedGroups, `{"name":"keyed"}`, "id"), "{other}",
		must("POST", keyedGroups, `{"name":"other"}`, "id"), "{super}",
		must("POST", "/oserve/v1/user-supergroup/", `{"name":"keyed"}`, "id"))
	must("PUT", "/oserve/v3/payment-setting/chat/",
		`{"app_id":"nobody's yet","merchant_key":"k","base_url":"http://vendor.invalid"}`, "vendor")
	r.refuseRefund()
	setVendors(r.T, r.caller)
	must("PUT", "/_local/payments/tpay/keyed/", `{"app_id":"keyed","merchant_key":"k"}`, "public_key")
	must("PUT", "/oserve/v3/payment-setting/tpay/", `{"app_id":"keyed","merchant_id":"keyed","merchant_key":"k"}`, "vendor")
	must("PUT", "/oserve/v3/message-setting/tpay/", `{"app_id":"keyed","app_secret":"keyed"}`, "vendor")
	must("PUT", "/oserve/v3/mail-setting/", `{"sender":"`+keyedSender+`"}`, "sender")
	must("POST", "/oserve/v3/mail-setting/verification/", `{"identity":"domain"}`, "status")
	link := regexp.MustCompile(`/_local/ses/verify\?token=\w+`).FindString(r.watch("/_local/outbox?contains=Request:+keyed.example"))
	r.watch(link)
	call := func(_ context.Context, method, path, body string) ([]byte, error) {
		answer := r.ask(r.T, method, path, body)
		if answer.status >= 300 {
			r.Fatalf("%s %s: %d %s", method, path, answer.status, answer.body)
		}
		return []byte(answer.body), nil
	}
	if err := sender.Confirm(r.Context(), tenant.AppID(r.cloud.Credentials.Miniapp), call, keyedSender); err != nil {
		r.Fatal(err)
	}
	must("PUT", "/oserve/v3/sms-setting/", `{"enabled":true,"signatures":[{"name":"keyed","status":"approved"}],`+
		`"templates":[{"name":"keyed","text":"keyed","status":"approved"}]}`, "enabled")
	for n := range 3 {
		must("POST", r.has.Replace("/oserve/v3/user/{user}/form-id/"), fmt.Sprintf(`{"vendor":"tpay","kind":"form","form_id":"k%d"}`, n), "left")
	}
	join := r.has.Replace(`[{"op":"add","path":"/membership","users":[{user}],"groups":[{other}]}]`)
	if joined := r.ask(r.T, "PATCH", "/oserve/v1/miniapp/group/membership/", join); joined.status >= 300 {
		r.Fatal(joined.body)
	}
}

// refuseRefund creates an order with a refund that its vendor has refused.
func (r *repeater) refuseRefund() {
	now := time.Now().Truncate(time.Second)
	refused := order.RefundRequest{ID: 1, No: "keyed", Amount: 100, State: order.RequestFailed, Reason: "no"}
	store := &orderdb.Store{Client: database(r.cloud), Table: "OrdersTable"}
	err := store.Insert(r.Context(), tenant.Scope{
		App: r.cloud.Credentials.Miniapp, Env: tenant.Production,
	}, order.Order{
		ID: new(id.Source).New(now), Gateway: order.Chatpay, Status: order.Success, TradeNo: "keyed",
		TransactionNo: "keyed-order", Total: 100, CreatedAt: now, UpdatedAt: now, PaidAt: now,
		RefundRequests: map[string]order.RefundRequest{refused.No: refused},
	}, time.Time{})
	if err != nil {
		r.Fatal(err)
	}
}

func (a repeated) number(n int) repeated {
	for _, text := range []*string{&a.path, &a.body, &a.watch, &a.between} {
		*text = strings.ReplaceAll(*text, "#", strconv.Itoa(n))
	}
	return a
}

// send sends the request with the key.
func (r *repeater) send(method string, a repeated, key string) reply {
	r.Helper()
	return r.with("Idempotency-Key", key).ask(r.T, method, r.has.Replace(a.path), r.has.Replace(a.body))
}

// told replaces {phone} by a new number, and {code} by the code that was sent to it.
func (r *repeater) told(a repeated) repeated {
	r.Helper()
	if strings.Contains(a.watch, "{sender}") {
		return r.sending(a)
	}
	if a.watch == keyedMails { // other cases set other senders
		r.useSender()
	}
	if before, after, found := strings.Cut(a.body, "{auth}"); found {
		a.body = before + webToken(r.T, r.caller, "keyed") + after
	}
	phone := fmt.Sprintf("138%08d", rand.IntN(100_000_000))
	if strings.Contains(a.body, "{own_code}") {
		find(r.T, r.ask(r.T, "PUT", "/hserve/v2.2/user/account/", `{"phone":"`+phone+`"}`), "phone")
		a.body = strings.ReplaceAll(a.body, "{own_code}", r.codeOf(phone))
	}
	switch {
	case strings.Contains(a.watch, "{own_mail}"):
		return r.mailed(a)
	case strings.Contains(a.path, "{parts}"):
		return r.inParts(a)
	}
	if !strings.Contains(a.body, "{phone}") {
		return a
	}
	a.body, a.watch = strings.ReplaceAll(a.body, "{phone}", phone), strings.ReplaceAll(a.watch, "{phone}", phone)
	if strings.Contains(a.body, "{code}") {
		a.body = strings.ReplaceAll(a.body, "{code}", r.codeOf(phone))
	}
	return a
}

// sending sets a new sender of a verified domain, and replaces {sender} by it and {sender_code} by the code sent to it.
func (r *repeater) sending(a repeated) repeated {
	r.Helper()
	address := fmt.Sprintf("keyed-%08x@keyed.example", rand.Uint32())
	find(r.T, r.owner.ask(r.T, "PUT", "/oserve/v3/mail-setting/", `{"sender":"`+address+`"}`), "sender")
	a.watch = strings.ReplaceAll(a.watch, "{sender}", address)
	if strings.Contains(a.body, "{sender_code}") {
		find(r.T, r.owner.ask(r.T, "POST", "/oserve/v3/mail-setting/verification/", `{}`), "status")
		code := regexp.MustCompile(`\\n([A-Z2-7]{16})\\n`).FindStringSubmatch(r.watch("/_local/outbox?contains=Confirm+" + address))
		a.body = strings.ReplaceAll(a.body, "{sender_code}", code[1])
	}
	return a
}

// useSender sets the confirmed sender.
func (r *repeater) useSender() {
	r.Helper()
	find(r.T, r.owner.ask(r.T, "PUT", "/oserve/v3/mail-setting/", `{"sender":"`+keyedSender+`"}`), "sender")
}

// prepare creates the object that the request renames, or the table that it indexes.
func (r *repeater) prepare(a repeated) {
	if _, rest, indexed := strings.Cut(a.path, "/schema/"); indexed {
		name, _, _ := strings.Cut(rest, "/")
		find(r.T, r.owner.ask(r.T, "POST", "/oserve/v1.8/table/", `{"name":"`+name+
			`","schema":{"fields":[{"name":"n","type":"integer"},{"name":"mark","type":"string"}]}}`), "id")
		return
	}
	at := strings.Index(a.path, "/rename-")
	if at < 0 {
		return
	}
	name := strings.Trim(a.path[at:], "/")
	body := `{"name":"` + name + `","function_code":"exports.main = async () => 1"}`
	if strings.Contains(a.path, "/table/") {
		body = `{"name":"` + name + `"}`
	}
	find(r.T, r.ask(r.T, "POST", a.path[:at+1], body), "id")
}

func (r *repeater) afterDeath(route routes.Route, a repeated) (grown int) {
	a = r.told(a)
	r.prepare(a)
	name := "death-" + r.Name()
	before := r.seen(a)
	first := r.send(route.Method, a, name)
	if first.status >= 300 || first.header.Get("Idempotency-Replayed") != "" {
		r.Fatalf("first: %d %s", first.status, first.body)
	}
	grown = r.growth(a, before)
	dynamotest.ForgetAnswers(r.T, database(r.cloud), "IdempotencyTable")
	if a.between != "" {
		parts := strings.SplitN(r.has.Replace(a.between), " ", 3)
		if other := r.ask(r.T, parts[0], parts[1], parts[2]); other.status >= 300 {
			r.Fatalf("between: %d %s", other.status, other.body)
		}
	}

	was := r.seen(a)
	second := r.send(route.Method, a, name)
	if second.status != first.status || second.body != first.body && a.between == "" {
		r.Errorf("repetition: %d %s\nwant        %d %s", second.status, second.body, first.status, first.body)
	}
	if is := r.seen(a); is != was {
		r.Errorf("the repetition has an effect of its own\nfrom %s\nto   %s", was, is)
	}
	third := r.send(route.Method, a, name)
	if third.header.Get("Idempotency-Replayed") != "true" || third.body != second.body || third.status != second.status {
		r.Errorf("third: %d %s %v", third.status, third.body, third.header)
	}

	if a.body != "" {
		other := a
		other.body = strings.Replace(a.body, "{", `{ `, 1)
		if w := r.send(route.Method, other, name); w.status != http.StatusUnprocessableEntity {
			r.Errorf("another body: %d %s", w.status, w.body)
		}
	}
	elsewhere := &repeater{
		T: r.T, caller: r.with("X-Service-Env-ID", string(r.cloud.Credentials.Environments["test"])), cloud: r.cloud, has: r.has,
	}
	if route.Access == httpapi.RunToken { // its token names the environment
		env := r.cloud.Credentials.Environments["test"]
		elsewhere.caller = r.with("Authorization", "Run "+tokenOfRun(r.T, r.cloud, r.cloud.Credentials.Miniapp, env))
	}
	if w := elsewhere.send(route.Method, a, name); w.header.Get("Idempotency-Replayed") != "" ||
		w.status == http.StatusUnprocessableEntity {
		r.Errorf("the same key in another environment: %d %s", w.status, w.body)
	}
	return grown
}

// atOnce sends the request and two repetitions concurrently.
func (r *repeater) atOnce(route routes.Route, a repeated, grown int) {
	a = r.told(a)
	r.prepare(a)
	name, before := "once-"+r.Name(), r.seen(a)
	var answers [3]reply
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = r.send(route.Method, a, name) })
	}
	wg.Wait()
	for _, answer := range answers {
		if answer.status != answers[0].status || answer.body != answers[0].body || answer.status >= 300 {
			r.Errorf("at once: %d %s\nand      %d %s", answers[0].status, answers[0].body, answer.status, answer.body)
		}
	}
	if got := r.growth(a, before); got != grown && a.between == "" {
		r.Errorf("three at once: an effect of %d, want %d", got, grown)
	}
}

var (
	ids    = regexp.MustCompile(`"id":|"kind":"(?:email|sms|template_message)"`)
	counts = regexp.MustCompile(`"(?:n|level|rank|payment|chat)":(\d+)`)
)

// growth returns how much the effect of the request has grown since before.
func (r *repeater) growth(a repeated, before string) int {
	r.Helper()
	return amount(r.seen(a)) - amount(before)
}

// seen returns the state that shows the effect of a request; for jobs only their ids.
func (r *repeater) seen(a repeated) string {
	r.Helper()
	switch {
	case a.watch == keyedJobs:
		return strings.Join(regexp.MustCompile(`"id":\d+`).FindAllString(r.watch(a.watch), -1), " ")
	case a.watch == keyedLog, strings.HasPrefix(a.path, "/dserve/v1/message/"):
		return r.settled(a.watch)
	}
	return r.watch(a.watch)
}

func (r *repeater) watch(path string) string {
	r.Helper()
	answer := r.owner.ask(r.T, "GET", r.has.Replace(path), "")
	if answer.status != http.StatusOK {
		r.Fatalf("GET %s: %d %s", path, answer.status, answer.body)
	}
	return answer.body
}

// settled returns a log after the cloud has finished all pending work.
func (r *repeater) settled(path string) string {
	r.Helper()
	if err := r.cloud.Drain(r.Context()); err != nil {
		r.Fatal(err)
	}
	return r.watch(path)
}

// amount returns a number that grows with every effect.
func amount(seen string) int {
	sum := len(ids.FindAllString(seen, -1))
	for _, count := range counts.FindAllStringSubmatch(seen, -1) {
		n, _ := strconv.Atoi(count[1])
		sum += n
	}
	return sum
}
