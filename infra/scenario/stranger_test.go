package scenario_test

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/openapi/routes"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

// attempt is a request that its owner may send; strangers send it too.
type attempt struct {
	query, body string
	stranger    int // status; 0: 404, or 200 if the path names no object of the owner
	owner       int // status; 0: any success
	// ends reports that the request ends its session, so it is sent in one of its own.
	ends bool
	// again reports that another route has removed the row, so the owner removes a new one.
	again bool
}

func init() {
	for _, version := range []string{"v2.0", "v2.2", "v2.4", "v2.5"} {
		rows := " /hserve/" + version + "/table/{table}/record"
		attempts["POST"+rows] = attempt{body: `{"text":"taken"}`}
		attempts["POST"+rows+"/query"] = attempt{body: `{"where":{}}`}
		attempts["PUT"+rows] = attempt{query: `?where={}`, body: `{"text":"taken"}`}
		attempts["DELETE"+rows] = attempt{query: `?where={}`}
		attempts["PUT"+rows+"/{id}"] = attempt{body: `{"text":"taken"}`}
		attempts["DELETE"+rows+"/{id}"] = attempt{again: true}
	}
	for _, version := range []string{"v2.0", "v2.1", "v2.2", "v2.5"} {
		attempts["POST /hserve/"+version+"/user/info/query"] = attempt{body: `{"where":{}}`, stranger: 200} // each lists their own users
	}
	// Administrators start the operation: it is missing for every end user.
	attempts["GET /hserve/v1/bulk-operation/{id}"] = attempt{owner: http.StatusNotFound}
	attempts["DELETE /oserve/v2.4/table/{table}/record/{id}"] = attempt{again: true}
}

// aHook is a trigger that needs no other objects.
const aHook = `{"name":"made #","type":"incoming_webhook","actions":[{"type":"webhook","settings":{"url":"http://127.0.0.1/"}}]}`

// attempts are the requests that need more than a path. Every route that writes must be listed. A body may contain
// wildcards like paths.
var attempts = map[string]attempt{
	"POST /oserve/v1/cloud-function/job": {
		body: `{"function_name":"owned","data":{}}`, stranger: 404,
	},
	"POST /hserve/v1/cloud-function/job": {
		body: `{"function_name":"owned","data":{}}`, stranger: 404,
	},
	// Strangers have no payment setting for tpay.
	"POST /hserve/v2.2/idp/pay/order": {
		body: `{"gateway_type":"tpay","total_cost":1,"merchandise_description":"tea"}`, stranger: 400,
	},
	"POST /hserve/v2.0/idp/pay/order": {
		body: `{"gateway_type":"tpay","total_cost":1,"merchandise_description":"tea"}`, stranger: 400,
	},
	"POST /oserve/v1.3/cloud-function/{name}/debug":         {body: `{"data":{}}`},
	"POST /oserve/v1.3/cloud-function/{name}/job":           {body: `{"data":{}}`},
	"PATCH /oserve/v1.3/cloud-function/{name}":              {body: `{"remark":"taken"}`},
	"POST /oserve/v1.3/cloud-function-check":                {body: `{"function_code":"exports.main = async () => 1"}`},
	"PUT /oserve/v1.3/cloud-function/{name}/variable":       {body: `{"key":"OWNED","value":"taken"}`},
	"PUT /oserve/v1.3/cloud-function/{name}/variable/{key}": {body: `{"value":"taken"}`},

	"POST /oserve/v1.3/cloud-function/{name}/version/{version}/restore": {},

	"PUT /oserve/v1.8/table/{table}": {
		body: `{"name":"owned","schema":{"fields":[{"name":"text","type":"string"}]}}`,
	},
	"POST /oserve/v2.6/schema/{table}/index":       {body: `{"fields":["mark"],"unique":true}`},
	"POST /oserve/v2.4/table/{table}/record":       {body: `{"text":"taken"}`},
	"POST /oserve/v2.4/table/{table}/record/query": {body: `{"where":{}}`},
	"PUT /oserve/v2.6/table/{table}/record":        {query: `?where={}`, body: `{"text":"taken"}`},
	"PUT /oserve/v2.6/table/{table}/record/{id}":   {body: `{"text":"taken"}`},
	"DELETE /oserve/v2.4/table/{table}/record":     {query: `?where={}`},

	"POST /userve/v2.2/miniapp/user_profile/query": {body: `{"where":{}}`},
	"POST /oserve/v2.2/miniapp/user_profile/query": {body: `{"where":{}}`},
	"PUT /userve/v2.6/miniapp/user_profile/{id}":   {body: `{"about":"taken"}`},
	"PUT /oserve/v2.6/miniapp/user_profile/{id}":   {body: `{"about":"taken"}`},
	"PUT /userve/v2.6/miniapp/user_profile": {
		query: `?where={}&limit=100`, body: `{"about":"taken"}`, stranger: 200,
	},
	"PUT /oserve/v2.6/miniapp/user_profile": {
		query: `?where={}&limit=100`, body: `{"about":"taken"}`, stranger: 200,
	},
	"PUT /hserve/v2.0/user/info":                 {body: `{"nickname":"taken"}`, stranger: 200}, // each changes their own record
	"PUT /hserve/v2.1/user/info":                 {body: `{"nickname":"taken"}`, stranger: 200},
	"PUT /hserve/v2.2/user/info":                 {body: `{"nickname":"taken"}`, stranger: 200},
	"PUT /hserve/v2.5/user/info":                 {body: `{"nickname":"taken"}`, stranger: 200},
	"PUT /userve/v2.2/miniapp/user/account/{id}": {body: `{"username":"taken"}`},
	"PUT /oserve/v2.1/miniapp/user/account/{id}": {body: `{"username":"taken"}`},
	"PUT /oserve/v1/user-group/{id}":             {body: `{"name":"taken"}`},
	"PUT /oserve/v1/user-supergroup/{id}":        {body: `{"name":"taken"}`},
	"PATCH /oserve/v1/miniapp/group/membership": {
		body: `[{"op":"add","path":"/membership","users":[user_profile/{id}],"groups":[user-group/{id}]}]`, stranger: 400},

	"POST /oserve/v3/order/{transaction_no}/refund": {body: `{"refund_amount":0.01,"refund_no":"taken"}`, owner: 400},
	// Users of the same number are other people in another application.
	"POST /oserve/v3/order/erase": {body: `{"user_id":user_profile/{id}}`, stranger: 200},
	// A stranger reads and writes their own payment settings, which are empty at first.
	"GET /oserve/v3/payment-setting/{vendor}": {stranger: 200},
	"GET /oserve/v3/message-setting/{vendor}": {stranger: 200},
	"GET /oserve/v3/login-setting/{provider}": {stranger: 200},
	"PUT /oserve/v3/payment-setting/{vendor}": {body: `{"app_id":"taken"}`, stranger: 200},

	// Callback keys belong to each application.
	"POST /oserve/v1.3/callback-key": {stranger: 200},

	// Settings of mail and SMS belong to each application.
	"PUT /oserve/v3/mail-setting": {body: `{"list_unsubscribe":"https://example.com/taken"}`, stranger: 200},
	// A stranger has no sender to confirm, and no address is suppressed for them. Only administrators reopen a sender.
	"POST /oserve/v3/mail-setting/verification": {body: `{}`, stranger: 400},
	"POST /oserve/v3/mail-setting/confirmation": {body: `{"code":"AAAAAAAAAAAAAAAA"}`, stranger: 400, owner: 400},
	"POST /oserve/v3/mail-setting/reopening":    {body: `{}`, stranger: 403, owner: 403},
	"PUT /oserve/v3/sms-setting":                {body: `{"signatures":[{"name":"taken"}]}`, stranger: 200},

	// Settings of message vendors belong to each application; form ids belong to its users.
	"PUT /oserve/v3/message-setting/{vendor}": {body: `{"app_id":"taken"}`, stranger: 200},
	"PUT /oserve/v3/login-setting/{provider}": {body: `{"app_id":"taken"}`, stranger: 200},
	"POST /oserve/v3/user/{user}/form-id":     {body: `{"vendor":"alt","kind":"form","form_id":"taken"}`},
	// End users report for themselves.
	"POST /hserve/v2.0/template-message-ticket":                  {body: `{"submission_type":"form_id","submission_value":"taken"}`, stranger: 201},
	"POST /hserve/v2.0/template-message/event-report":            {body: `{"stats_id":"taken"}`, stranger: 201},
	"POST /hserve/v2.2/subscription-message/relationship-report": {body: `{"subscription":[{"template_id":"taken"}]}`, stranger: 201},
	"GET /oserve/v3/message-opening/{stats_id}":                  {stranger: 200},
	// Subscriptions belong to the application's users.
	"POST /oserve/v3/user/{user}/subscription": {body: `{"vendor":"chat","template_id":"taken"}`},

	"PUT /oserve/v3/trigger/{trigger}":                      {body: `{"name":"taken"}`},
	"POST /oserve/v3/trigger/{trigger}/hook":                {},
	"POST /oserve/v3/trigger/{trigger}/fire":                {body: `{"event":{"of":"them"}}`},
	"POST /oserve/v3/trigger/{trigger}/back-test":           {body: `{"days":1}`},
	"POST /oserve/v3/trigger/{trigger}/replay":              {body: `{"from":1,"to":2}`},
	"POST /oserve/v3/trigger-log/{entry}/replay":            {},
	"POST /oserve/v3/trigger/{trigger}/action/{action}/key": {},
	"POST /oserve/v3/trigger-check":                         {body: `{"name":"mine"}`},

	// A stranger has no configured sender; their messages never use the owner's.
	"POST /dserve/v1/message/mail": {
		body: `{"recipient":"ada@example.com","subject":"owned","body":"taken"}`, stranger: 400,
	},
	"POST /dserve/v1/message/sms": {
		body: `{"recipient_type":"user_list","user_list":[user_profile/{id}],"template_name":"keyed"}`, stranger: 400,
	},
	"POST /dserve/v1/message/template/{vendor}": {
		body: `{"recipient_type":"user_id","user_id":user_profile/{id},"template_id":"t"}`, stranger: 400,
	},
	"POST /dserve/v1/message/subscribe/{vendor}": {
		body: `{"recipient_type":"user_id","user_id":user_profile/{id},"template_id":"t"}`, stranger: 400,
	},
	"POST /oserve/v2.1/sms-verification-code": {body: `{"phone":"13700137000"}`, stranger: 400},
	"POST /oserve/v1.8/sms-verification-code/verify": {
		body: `{"phone":"13700137000","code":"000000"}`, stranger: 400, owner: 400,
	},

	"POST /userve/v2.1/sms-verification-code": {body: `{"phone":"13700137001"}`, stranger: 400},
	"POST /userve/v1.8/sms-verification-code/verify": {
		body: `{"phone":"13700137000","code":"000000"}`, stranger: 400, owner: 400,
	},
	"POST /hserve/v2.2/sms-verification-code": {body: `{"phone":"13700137002"}`, stranger: 400},
	"POST /hserve/v2.1/sms-verification-code": {body: `{"phone":"13700137003"}`, stranger: 400},
	"POST /hserve/v1.8/sms-verification-code": {body: `{"phone":"13700137004"}`, stranger: 400},
	"POST /hserve/v1.8/sms-verification-code/verify": {
		body: `{"phone":"13700137000","code":"000000"}`, stranger: 400, owner: 400,
	},
	"POST /hserve/v2.1/login/sms":              {body: `{"phone":"13700137000","code":"000000"}`, stranger: 400, owner: 400},
	"POST /hserve/v2.1/sms-phone-verification": {body: `{"code":"000000"}`, stranger: 400, owner: 400},

	"POST /hserve/v2.0/user/email-verify":   {body: `{}`, stranger: 400},
	"POST /hserve/v2.0/user/password/reset": {body: `{"email":"nobody@example.com"}`, stranger: 404, owner: 404},

	"DELETE /oserve/v1/user-group":      {query: `?id__in=user-group/{id}`, stranger: 204},
	"DELETE /oserve/v1/user-supergroup": {query: `?id__in=user-supergroup/{id}`, stranger: 204},

	// This setting applies to all environments of an application.
	"PUT /oserve/v1.8/application-setting": {body: `{"legacy_writes":false}`, stranger: 200},

	// The owner's order exists, but its vendor has no setting.
	"POST /dserve/v1/payment/refund": {body: `{"transaction_no":"order/{transaction_no}"}`, stranger: 404, owner: 400},

	"POST /dserve/v1/user/profile":     {body: `{"_username":"owned"}`, stranger: 200, owner: 200},
	"PUT /dserve/v1/user/profile":      {query: `?where={}&limit=100`, body: `{"about":"taken"}`, stranger: 200},
	"PUT /dserve/v1/user/profile/{id}": {body: `{"nickname":"taken"}`},

	// Other applications and environments can use the same names.
	"POST /oserve/v1.3/cloud-function": {
		body: `{"name":"owned","function_code":"exports.main = async () => 1"}`, stranger: 201, owner: 400,
	},
	"POST /userve/v1.3/cloud-function": {
		body: `{"name":"twin","function_code":"exports.main = async () => 1"}`, stranger: 201, owner: 201,
	},
	"POST /userve/v1.8/table":    {body: `{"name":"twin","schema":{"fields":[]}}`, stranger: 201, owner: 201},
	"POST /oserve/v1.8/table":    {body: `{"name":"owned","schema":{"fields":[]}}`, stranger: 201, owner: 400},
	"POST /oserve/v1/user-group": {body: `{"name":"owned"}`, stranger: 201, owner: 201},
	"POST /oserve/v1/user-supergroup": {
		body: `{"name":"owned","children":[user-group/{id}]}`, stranger: 400, owner: 201,
	},
	"POST /oserve/v3/trigger": {body: aHook, stranger: 201, owner: 201},

	// Every environment has its own users, whose names are free elsewhere.
	"POST /hserve/v2.1/register/username": {body: `{"username":"stranger","password":"correct horse"}`, stranger: 201},
	"POST /hserve/v2.1/register/email":    {body: `{"email":"s@example.com","password":"correct horse"}`, stranger: 201},
	"POST /hserve/v2.1/register/phone":    {body: `{"phone":"13900139000","password":"correct horse"}`, stranger: 201},
	"POST /hserve/v2.0/register/username": {body: `{"username":"second","password":"correct horse"}`, stranger: 201},
	"POST /hserve/v2.0/register/email":    {body: `{"email":"t@example.com","password":"correct horse"}`, stranger: 201},
	"POST /hserve/v2.0/register/phone":    {body: `{"phone":"13900139001","password":"correct horse"}`, stranger: 201},
	"POST /hserve/v2.1/login/username":    {body: `{"username":"customer","password":"correct horse"}`, stranger: 400},
	"POST /hserve/v2.1/login/email":       {body: `{"email":"owned@example.com","password":"correct horse"}`, stranger: 400},
	"POST /hserve/v2.1/login/phone":       {body: `{"phone":"13900139009","password":"correct horse"}`, stranger: 400},
	"POST /hserve/v2.0/login/username":    {body: `{"username":"customer","password":"correct horse"}`, stranger: 400},
	"POST /hserve/v2.0/login/email":       {body: `{"email":"owned@example.com","password":"correct horse"}`, stranger: 400},
	"POST /hserve/v2.0/login/phone":       {body: `{"phone":"13900139009","password":"correct horse"}`, stranger: 400},
	"POST /hserve/v2.0/login/anonymous":   {body: `{}`, stranger: 201},
	"POST /hserve/v2.0/session/destroy":   {body: `{}`, stranger: 201, ends: true},

	// Every environment has its own settings at vendors: without them nobody logs in. The owner has those of chat and
	// alt.
	"POST /hserve/v2.5/idp/{vendor}/silent-login":  {body: `{"code":"owned"}`, stranger: 400},
	"POST /hserve/v2.0/idp/{vendor}/silent-login":  {body: `{"code":"owned"}`, stranger: 400},
	"POST /hserve/v2.5/idp/{vendor}/authenticate":  {body: signedProfile("owned"), stranger: 400},
	"POST /hserve/v2.0/idp/{vendor}/authenticate":  {body: signedProfile("owned"), stranger: 400},
	"POST /hserve/v2.7/idp/chat/phone-login":       {body: `{"code":"owned","phone_code":"13900139010"}`, stranger: 400},
	"POST /hserve/v2.5/idp/chat/phone-login":       {body: `{"code":"owned","phone_code":"13900139010"}`, stranger: 400},
	"PUT /hserve/v2.7/idp/chat/phone-verification": {body: `{"phone_code":"13900139011"}`, stranger: 400},
	"PUT /hserve/v2.5/idp/chat/phone-verification": {body: `{"phone_code":"13900139011"}`, stranger: 400},
	"PUT /hserve/v2.6/idp/chat/user/info":          {body: signedProfile("keyed"), stranger: 400},
	"PUT /hserve/v2.5/idp/chat/user/info":          {body: `{"nickName":"Ada"}`, stranger: 200},
	"POST /hserve/v2.4/idp/chat/user-associate":    {body: `{"code":"keyed"}`, stranger: 400},
	"POST /hserve/v2.0/idp/chat/user-associate":    {body: `{"code":"keyed"}`, stranger: 400},
	"PUT /hserve/v2.0/idp/alt/user-associate":      {body: `{"code":"keyed"}`, stranger: 400},
	"POST /hserve/v2.0/idp/tpay/user-association":  {body: `{"code":"keyed"}`, stranger: 400},
	"POST /hserve/v2.0/idp/qq/user-association":    {body: `{"code":"keyed"}`, stranger: 400},
	// Nor do pages without callback hosts, and auth tokens belong to their environment.
	"POST /hserve/v2.0/idp/{vendor}/redirect":                 {body: `{"callback_url":"https://shop.example.com/"}`, owner: 404},
	"POST /hserve/v2.0/idp/{vendor}/user-association":         {body: `{"auth_token":"taken"}`, owner: 404},
	"POST /hserve/v2.3/idp/oauth/{provider}/authenticate":     {body: `{"auth_token":"taken"}`, stranger: 400, owner: 400},
	"POST /hserve/v2.3/idp/oauth/{provider}/user-association": {body: `{"auth_token":"taken"}`, stranger: 400, owner: 400},
	"DELETE /hserve/v3/session":                               {stranger: 204, ends: true},
	"POST /hserve/v3/user/close":                              {body: `{"password":"correct horse"}`, stranger: 201, ends: true},
	"PUT /hserve/v2.2/user/account":                           {body: `{"email":"u@example.com"}`, stranger: 200},
	"PUT /hserve/v2.1/user/account":                           {body: `{"email":"v@example.com"}`, stranger: 200},
	"PUT /hserve/v2.0/user/account":                           {body: `{"email":"w@example.com"}`, stranger: 200},
	"PUT /oserve/v3/user/{user}":                              {body: `{"blocked":false}`},
}

// register gives the owner users with whose names strangers log in.
func register(t *testing.T, owner caller) {
	t.Helper()
	for kind, name := range map[string]string{
		"username": "customer", "email": "owned@example.com", "phone": "13900139009",
	} {
		body := fmt.Sprintf(`{%q:%q,"password":"correct horse"}`, kind, name)
		answer := owner.without(sessionToken).as(httpapi.Client).ask(t, "POST", "/hserve/v2.1/register/"+kind+"/", body)
		if answer.status != http.StatusCreated {
			t.Fatalf("%d %s", answer.status, answer.body)
		}
	}
}

// strangersGetNothing sends every request with the ids of one application and the token of another, and with the
// owner's token in another environment. Strangers see and change nothing. At the end the owner sends the same
// requests, which shows that they are valid.
func strangersGetNothing(t *testing.T, c stage, owner caller, has owned) {
	other, err := demo.Seed{
		Client: database(c), Clock: clock.System, Name: "other",
	}.Plant(t.Context(), demo.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	stranger := client(t, c.URL, other.ClientID, other.ClientSecret).lettingClientsUpdate(t).
		with(runToken, tokenOfRun(t, c, other.Miniapp, tenant.Production)).loggedIn(t)
	register(t, owner)
	has["session/{id}"] = anotherSession(t, owner) // password changes have ended the one before
	elsewhere := c.Credentials.Environments["test"]
	touching, removing, free := sorted(routes.All())
	all := slices.Concat(touching, removing, free)

	before := holdings(t, owner, has, all)
	for name, intruder := range map[string]caller{
		"another application": stranger,
		"another environment": owner.with("X-Service-Env-ID", string(elsewhere)).
			with(runToken, tokenOfRun(t, c, c.Credentials.Miniapp, elsewhere)).loggedIn(t),
	} {
		t.Run(name, func(t *testing.T) {
			column := `{"schema":{"fields":[{"name":"about","type":"string"}]}}` // like the owner's users
			find(t, intruder.ask(t, "PUT", "/oserve/v1.8/table/_userprofile/", column), "id")
			for _, route := range all {
				try(t, intruder, has, route)
			}
		})
	}
	for _, route := range all {
		if route.Access == httpapi.RunToken { // its token names the environment
			continue
		}
		answer := stranger.as(
			route.Access,
		).with("X-Service-Env-ID", string(c.Credentials.Environments["test"])).ask(t, route.Method, has.fill(t, route.Path)+"/", "")
		if answer.status != http.StatusBadRequest || !answer.isError() {
			t.Errorf("%s %s in an environment of the owner: %d %s", route.Method, route.Path, answer.status, answer.body)
		}
		if route.Access == httpapi.ServiceR1 || route.Access == httpapi.Client && !route.Enters {
			answer := stranger.as(
				route.Access,
			).with("X-Service-Client-ID", c.Credentials.ClientID).ask(t, route.Method, has.fill(t, route.Path)+"/", "")
			if answer.status != http.StatusUnauthorized {
				t.Errorf("%s %s with the owner's client id: %d %s", route.Method, route.Path, answer.status, answer.body)
			}
		}
	}
	for path, now := range holdings(t, owner, has, all) {
		if now != before[path] {
			t.Errorf("GET %s has changed\nfrom %s\nto   %s", path, before[path], now)
		}
	}
	for _, route := range slices.Concat(touching, free, removing) {
		if route.TwinOf != "" && route.Method == http.MethodDelete { // the object is gone
			continue
		}
		switch {
		case !attemptOf(route).again:
		case strings.HasSuffix(route.Path, "file/{id}"):
			settleFiles(t, owner, has)
		default:
			row := owner.ask(t, http.MethodPost, has.fill(t, "/oserve/v2.4/table/{table}/record")+"/", `{"text":"again"}`)
			has["record/{id}"] = find(t, row, "id")
		}
		want, answer := attemptOf(route).owner, send(t, owner, has, route)
		if answer.status != want && (want != 0 || answer.status >= 300) {
			t.Errorf("the owner's own %s: %d %s", key(route), answer.status, answer.body)
		}
	}
}

func key(r routes.Route) string { return r.Method + " " + r.Path }

// entryOf returns the entry of a route in a table of this package. A twin (C35) without an entry has that of its
// original; original tells so.
func entryOf[T any](table map[string]T, r routes.Route) (entry T, known, original bool) {
	if entry, known = table[key(r)]; known || r.TwinOf == "" {
		return entry, known, false
	}
	entry, known = table[r.Method+" "+r.TwinOf]
	return entry, known, known
}

func attemptOf(r routes.Route) attempt {
	a, _, _ := entryOf(attempts, r)
	return a
}

// sorted divides the routes with authentication: those that concern objects of the owner, those that delete them,
// deepest path first, and those that any caller may use for itself.
func sorted(all []routes.Route) (touching, removing, free []routes.Route) {
	for _, route := range all {
		switch {
		case route.Access == httpapi.Public, route.Access == httpapi.Session: // tested separately
		case route.Method == http.MethodDelete:
			removing = append(removing, route)
		case strings.Contains(route.Path, "{") || attemptOf(route).stranger >= 400:
			touching = append(touching, route)
		default:
			free = append(free, route)
		}
	}
	slices.SortStableFunc(removing, func(a, b routes.Route) int {
		return cmp.Compare(strings.Count(b.Path, "/"), strings.Count(a.Path, "/"))
	})
	return touching, removing, free
}

// send sends the request of a route with the ids of the owner's objects.
func send(t *testing.T, c caller, has owned, route routes.Route) reply {
	t.Helper()
	a, known, _ := entryOf(attempts, route)
	if !known && route.Method != http.MethodGet && route.Method != http.MethodDelete {
		t.Fatalf("say in attempts what a stranger would send to %s", key(route))
	}
	value := func(pair string) string { return has[pair] }
	body, query := wildcard.ReplaceAllStringFunc(a.body, value), wildcard.ReplaceAllStringFunc(a.query, value)
	if route.Method == http.MethodDelete && body == "" {
		body = "{}" // as clients do (D43)
	}
	if a.ends {
		c = c.loggedIn(t)
	}
	return c.as(route.Access).ask(t, route.Method, has.fill(t, route.Path)+"/"+query, body)
}

func try(t *testing.T, intruder caller, has owned, route routes.Route) {
	t.Helper()
	want := attemptOf(route).stranger
	if want == 0 && strings.Contains(route.Path, "{") {
		want = http.StatusNotFound
	} else if want == 0 {
		want = http.StatusOK
	}
	answer := send(t, intruder, has, route)
	if answer.status != want || want >= 400 && !answer.isError() {
		t.Errorf("%s: want %d, got %d %s", key(route), want, answer.status, answer.body)
	}
	if strings.Contains(answer.body, secret) {
		t.Errorf("%s tells %s", key(route), answer.body)
	}
}

// signature is what differs in each answer: the permissions of logs and of uploads in parts end some time after it.
var signature = regexp.MustCompile(`"(?:user_log_url|authorization|date)":"[^"]*"`)

// holdings returns everything that the owner can read, by path.
func holdings(t *testing.T, owner caller, has owned, all []routes.Route) map[string]string {
	t.Helper()
	out := map[string]string{}
	secrets := 0
	for _, route := range all {
		if route.Method == http.MethodGet && !strings.HasSuffix(route.Path, "/server/time") { // always another
			path := has.fill(t, route.Path) + "/"
			answer := owner.as(route.Access).ask(t, route.Method, path, "")
			// An index becomes ready in the background, a minute after its creation.
			body := strings.ReplaceAll(answer.body, `"index_ready":false`, `"index_ready":true`)
			out[path] = fmt.Sprint(answer.status, " ", signature.ReplaceAllString(body, ""))
			secrets += min(1, strings.Count(answer.body, secret))
		}
	}
	if secrets < 10 {
		t.Errorf("the owner sees their secret at %d paths only: this test would not notice a leak", secrets)
	}
	return out
}
