package scenario_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/openapi"
	"minicloud/infra/scenario"
	"minicloud/infra/seed/demo"
	"minicloud/shared/bulk"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/httpapi"
	document "minicloud/shared/httpapi/openapi"
	"minicloud/shared/id"
	"minicloud/shared/message/allowance"
	"minicloud/shared/oauth"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
)

// TestEveryRoute visits the routes of all programs. It reads them from the route lists, so that a new one cannot be
// missed.
func TestEveryRoute(t *testing.T) {
	t.Parallel() // it has its own cloud
	c := start(t)
	owner := c.owner(t).lettingClientsUpdate(t).
		with(runToken, tokenOfRun(t, c, c.Credentials.Miniapp, tenant.Production)).loggedIn(t)
	has := settle(t, c, owner)
	has["session/{id}"] = anotherSession(t, owner)
	settleFiles(t, owner, has)
	t.Run("answers as every endpoint", func(t *testing.T) { everyEndpoint(t, c, owner) })
	t.Run("lists as every list", func(t *testing.T) { everyList(t, owner, has) })
	t.Run("refuses hostile texts", func(t *testing.T) { hostileTexts(t, owner, has) })
	t.Run("writes once, however often", func(t *testing.T) { everyWriteHappensOnce(t, c, owner) })
	t.Run("serves the console", func(t *testing.T) { storyOfTheConsole(t, c) })
	t.Run("promotes from test to production", func(t *testing.T) { promotes(t, c) })
	t.Run("holds administrators to their roles", func(t *testing.T) { rolesOfTheConsole(t, c) })
	t.Run("lets every role do what is described", func(t *testing.T) { everyRoleEverywhere(t, c, owner, has) })
	t.Run("gives strangers nothing", func(t *testing.T) { strangersGetNothing(t, c, owner, has) })
	t.Run("takes calls of hooks by every method", func(t *testing.T) { everyMethodOfHooks(t, c, owner) })
}

// everyMethodOfHooks calls a hook with all its methods (D40), and requests the other paths without authentication.
func everyMethodOfHooks(t *testing.T, c stage, owner caller) {
	hook := find(t, owner.ask(t, "POST", "/oserve/v3/trigger/", aHook), "hook_url")
	nobody, path := caller{c.URL, http.Header{}}, strings.TrimPrefix(hook, c.URL)
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		if answer := nobody.ask(t, method, path, ""); answer.status != http.StatusOK || answer.body != `{"status":"ok"}` {
			t.Errorf("%s %s: %d %s", method, path, answer.status, answer.body)
		}
	}
	for _, path := range []string{"/oserve/v1/baas.d.ts", "/openapi.json", "/docs", "/docs/", "/docs/swagger-ui-bundle.js"} {
		if answer := nobody.ask(t, "GET", path, ""); answer.status != http.StatusOK {
			t.Errorf("%s: %d", path, answer.status)
		}
	}
}

// caller sends requests with the headers of one client.
type caller struct {
	base   string
	header http.Header
}

// reply is a response with its body.
type reply struct {
	status int
	header http.Header
	body   string
}

// isError reports whether the response is an error in the form of D1.
func (r reply) isError() bool {
	var e struct {
		Status  string `json:"status"`
		Message string `json:"error_msg"`
	}
	return json.Unmarshal([]byte(r.body), &e) == nil && e.Status == "error" && e.Message != "" &&
		r.header.Get("Content-Type") == "application/json"
}

// with returns a copy of the caller with one header changed.
func (c caller) with(name, value string) caller {
	header := c.header.Clone()
	header.Set(name, value)
	return caller{c.base, header}
}

// without returns a copy of the caller without a header.
func (c caller) without(name string) caller {
	header := c.header.Clone()
	header.Del(name)
	return caller{c.base, header}
}

func (c caller) ask(t *testing.T, method, path, body string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.header.Clone()
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := described(t).CheckAnswer(answer, []byte(body), text); err != nil {
		t.Errorf("%s %s: %v", method, path, err)
	}
	return reply{answer.StatusCode, answer.Header, string(text)}
}

// described returns the API description for checking responses.
func described(t *testing.T) *openapi.Answers {
	t.Helper()
	answers, err := description()
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

var description = sync.OnceValues(func() (*openapi.Answers, error) { return openapi.NewAnswers(document.Document) })

// client returns a caller with an access token, which is valid in both schemes: routes differ in the scheme they
// require.
func client(t *testing.T, base, clientID, secret string) caller {
	t.Helper()
	c := caller{base, http.Header{}}
	credentials := fmt.Sprintf(`"client_id":%q,"client_secret":%q`, clientID, secret)
	code := find(t, c.ask(t, "POST", "/api/oauth2/service/openapi/authorize/", "{"+credentials+"}"), "code")
	token := find(
		t,
		c.ask(
			t, "POST", "/api/oauth2/access_token/",
			fmt.Sprintf(`{%s,"grant_type":"authorization_code","code":%q}`, credentials, code),
		),
		"access_token",
	)
	return c.with("Authorization", "Bearer "+token).with("X-Service-Client-ID", clientID)
}

// as returns the caller with the scheme that a route requires.
func (c caller) as(access httpapi.Access) caller {
	switch access {
	case httpapi.ServiceR1:
		return c.with("Authorization", strings.Replace(c.header.Get("Authorization"), "Bearer", "Service-r1", 1))
	case httpapi.RunToken:
		return c.with("Authorization", "Run "+c.header.Get(runToken))
	case httpapi.Client:
		if token := c.header.Get(sessionToken); token != "" {
			return c.with("Authorization", "Service-r1 "+token)
		}
		return c.without("Authorization")
	}
	return c
}

// sessionToken is a header that the platform ignores: a caller keeps the session token of its end user in it.
const sessionToken = "X-Session-Token"

// loggedIn returns the caller with the session of a new end user of its application and environment. Its requests are
// still those of the application; as(httpapi.Client) makes them the user's.
func (c caller) loggedIn(t *testing.T) caller {
	t.Helper()
	body := fmt.Sprintf(`{"username":"user-%x","password":"correct horse"}`, rand.Uint64())
	answer := c.without(sessionToken).as(httpapi.Client).ask(t, "POST", "/hserve/v2.1/register/username/", body)
	return c.with(sessionToken, find(t, answer, "token"))
}

// user returns the end user of the caller's session, 0 without one.
func (c caller) user() int64 {
	user, _ := session.Token(c.header.Get(sessionToken)).User()
	return user
}

// loggedInAs returns the caller with another session of an end user.
func (c caller) loggedInAs(t *testing.T, username string) caller {
	t.Helper()
	body := fmt.Sprintf(`{"username":%q,"password":"correct horse"}`, username)
	answer := c.without(sessionToken).as(httpapi.Client).ask(t, "POST", "/hserve/v2.1/login/username/", body)
	return c.with(sessionToken, find(t, answer, "token"))
}

// anotherSession opens another session of a caller's user and returns its id.
func anotherSession(t *testing.T, c caller) string {
	t.Helper()
	find(t, c.as(httpapi.Client).ask(t, "PUT", "/hserve/v2.2/user/account/", `{"username":"owner"}`), "username")
	return aSession(t, c.loggedInAs(t, "owner").as(httpapi.Client))
}

// aSession returns the id of a session of an end user.
func aSession(t *testing.T, user caller) string {
	t.Helper()
	list := user.ask(t, "GET", "/hserve/v3/session/?limit=1", "")
	id := regexp.MustCompile(`"id":"(\w+)"`).FindStringSubmatch(list.body)
	if id == nil {
		t.Fatal(list.body)
	}
	return id[1]
}

// runToken is a header that the platform ignores: a caller keeps its run token in it.
const runToken = "X-Run-Token"

// tokenOfRun returns the token of a run of an application, as the sandbox's supervisor has it.
func tokenOfRun(t *testing.T, c stage, miniapp tenant.AppID, env tenant.EnvID) string {
	t.Helper()
	store := &appdb.Applications{Client: database(c), Table: "ApplicationsTable"}
	a, err := store.Application(t.Context(), miniapp)
	if err != nil {
		t.Fatal(err)
	}
	token, err := oauth.RunToken(a, oauth.Run{
		Scope: tenant.Scope{App: a.ID, Env: env}, JobID: "5", Depth: 1, Root: 5, Deadline: time.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// find returns a field of a successful response.
func find(t *testing.T, r reply, field string) string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewBufferString(r.body))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || r.status >= 300 || object[field] == nil {
		t.Fatalf("no %s in %d %s", field, r.status, r.body)
	}
	return fmt.Sprint(object[field])
}

// secret is a text in all objects of the owner, which no other caller may see.
const secret = "secret-of-the-owner"

// owned maps the wildcards of all routes, with the path element before each, to the ids of the owner's objects.
type owned map[string]string

var wildcard = regexp.MustCompile(`([a-z_-]+)/(\{[a-z_]+\})`)

// fill replaces the wildcards of a path.
func (e owned) fill(t *testing.T, path string) string {
	t.Helper()
	return wildcard.ReplaceAllStringFunc(path, func(pair string) string {
		value, ok := e[pair]
		if !ok {
			t.Fatalf("%s: say in owned_test.go what %s of an owner's is", path, pair)
		}
		before, _, _ := strings.Cut(pair, "/")
		return before + "/" + value
	})
}

// fillKnown replaces the wildcards of the owner's objects by their ids, and the others by 1.
func (e owned) fillKnown(path string) string {
	return wildcard.ReplaceAllStringFunc(path, func(pair string) string {
		if value, ok := e[pair]; ok {
			return strings.Split(pair, "/")[0] + "/" + value
		}
		return strings.Split(pair, "/")[0] + "/1"
	})
}

// await polls until the object exists, because the bus delivers with a delay.
func await(t *testing.T, c caller, path string) {
	t.Helper()
	for until := time.Now().Add(scenario.Patience); c.ask(t, "GET", path, "").status != http.StatusOK; {
		if time.Now().After(until) {
			t.Fatalf("%s does not appear", path)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// suppress stores that a mail to an address bounced.
func suppress(t *testing.T, c stage, address, reason string) {
	t.Helper()
	allowances := &settingdb.Allowances{Client: database(c), Table: "SettingsTable"}
	_, err := allowances.Record(t.Context(), c.Credentials.Miniapp, allowance.Feedback{
		ID: address, Kind: allowance.Bounce, Sender: "none", Address: address, Reason: reason, At: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// settle creates one object of every kind for the owner, the demo application.
func settle(t *testing.T, c stage, owner caller) owned {
	t.Helper()
	made := func(method, path, body, field string) string {
		t.Helper()
		return find(t, owner.ask(t, method, path, body), field)
	}
	e := owned{
		"cloud-function/{name}": "owned", "version/{version}": "1", "variable/{key}": "OWNED", "table/{table}": "owned", "schema/{table}": "owned", "index/{index}": "mark_1",
	}
	code := `exports.main = async () => '` + secret + `'`
	made(
		"POST", "/oserve/v1.3/cloud-function/", `{"name":"owned","function_code":"`+code+`","remark":"`+secret+`"}`, "id",
	)
	made("PATCH", "/oserve/v1.3/cloud-function/owned/", `{"remark":"`+secret+` still"}`, "id")
	made("PUT", "/oserve/v1.3/cloud-function/owned/variable/OWNED/", `{"value":"`+secret+`"}`, "key")
	later := fmt.Sprintf(`{"data":{"of":"%s"},"sync":false,"run_at":%d}`, secret, time.Now().Add(time.Hour).Unix())
	e["job/{job}"] = made("POST", "/oserve/v1.3/cloud-function/owned/job/", later, "job_id")
	e["cloud-function-log/{job}"] = e["job/{job}"]
	made(
		"POST", "/oserve/v1.8/table/",
		`{"name":"owned","schema":{"fields":[{"name":"text","type":"string","description":"`+secret+`"},{"name":"mark","type":"string","indexed":true}]}}`, "id",
	)
	e["record/{id}"] = made("POST", "/oserve/v2.4/table/owned/record/", `{"text":"`+secret+`"}`, "id")
	e["user-group/{id}"] = made("POST", "/oserve/v1/user-group/", `{"name":"`+secret+`"}`, "id")
	e["user-supergroup/{id}"] = made("POST", "/oserve/v1/user-supergroup/",
		`{"name":"`+secret+`","children":[`+e["user-group/{id}"]+`]}`, "id")
	e["user_profile/{id}"] = fmt.Sprint(int64(demo.UserID(0)))
	e["account/{id}"], e["profile/{id}"] = e["user_profile/{id}"], e["user_profile/{id}"]
	e["info/{id}"] = e["user_profile/{id}"]
	hook := owner.ask(
		t, "POST", "/oserve/v3/trigger/",
		`{"name":"`+secret+`","type":"incoming_webhook","actions":[{"type":"webhook","settings":{"url":"http://127.0.0.1/`+secret+`"}}]}`,
	)
	e["trigger/{trigger}"] = find(t, hook, "id")
	e["action/{action}"] = regexp.MustCompile(`"actions":\[\{"id":(\d+)`).FindStringSubmatch(hook.body)[1]
	fired := owner.ask(t, "POST", "/oserve/v3/trigger/"+e["trigger/{trigger}"]+"/fire/", `{"event":{"of":"`+secret+`"}}`)
	e["trigger-log/{entry}"] = regexp.MustCompile(`"log_id":"([^"]+)"`).FindStringSubmatch(fired.body)[1]
	e["trace/{trace}"] = fired.header.Get("X-Request-Id")
	made("PUT", "/userve/v2.6/miniapp/user_profile/"+e["user_profile/{id}"]+"/", `{"about":"`+secret+`"}`, "id")
	operation := bulk.Operation{
		ID: new(id.Source).New(time.Now()), Table: table.UserProfiles, Status: bulk.StatusFailed, Where: "{}",
		Body: []byte("{}"), Total: 1, Reason: secret,
	}
	store := &bulkdb.Operations{Client: database(c), Rows: &rowdb.Rows{Indexes: "RowIndexesTable"}}
	scope := tenant.Scope{App: c.Credentials.Miniapp, Env: tenant.Production}
	if err := store.InsertOperation(t.Context(), scope, operation); err != nil {
		t.Fatal(err)
	}
	e["bulk-operation/{id}"] = fmt.Sprint(operation.ID)

	e["payment-setting/{vendor}"] = "alt"
	made("PUT", "/oserve/v3/payment-setting/alt/", `{"app_id":"`+secret+`"}`, "vendor")
	e["message-setting/{vendor}"] = "tpay"
	made("PUT", "/oserve/v3/message-setting/tpay/", `{"app_id":"`+secret+`"}`, "vendor")
	e["login-setting/{provider}"] = "oauth-chat-web"
	made("PUT", "/oserve/v3/login-setting/oauth-chat-web/", `{"app_id":"`+secret+`"}`, "provider")
	setVendors(t, owner)
	e["idp/{vendor}"] = "chat"
	e["oauth/{provider}"] = "chat-web"
	e["template/{vendor}"], e["subscribe/{vendor}"] = "tpay", "tpay"
	e["user/{user}"] = e["user_profile/{id}"]
	made("POST", "/oserve/v3/user/"+e["user/{user}"]+"/form-id/",
		`{"vendor":"chat","kind":"form","form_id":"`+secret+`"}`, "form_id")
	made("POST", "/oserve/v3/user/"+e["user/{user}"]+"/subscription/", `{"vendor":"chat","template_id":"`+secret+`"}`, "left")
	made("PUT", "/oserve/v3/mail-setting/", `{"sender":"owned@example.com","list_unsubscribe":"https://example.com/`+secret+`"}`, "sender")
	e["message-opening/{stats_id}"] = "owned"
	e["suppression/{address}"] = secret + "@example.com"
	suppress(t, c, e["suppression/{address}"], secret)
	made("PUT", "/oserve/v3/sms-setting/", `{"signatures":[{"name":"owned"}]}`, "enabled")
	e["order/{transaction_no}"] = "owned-order"
	payment := fmt.Sprintf(`{"detail-type":"payment","detail":{"miniapp":%d,"gateway_type":"altpay","status":"success",`+
		`"trade_no":"owned","transaction_no":"owned-order","total_cost":1,"created_by":%d,"merchandise_description":%q}}`,
		c.Credentials.Miniapp, cmp.Or(owner.user(), int64(demo.UserID(0))), secret)
	if answer := owner.ask(t, "POST", "/_local/events", payment); answer.status != http.StatusOK {
		t.Fatalf("a payment on the bus: %d %s", answer.status, answer.body)
	}
	await(t, owner.as(httpapi.ServiceR1), "/hserve/v2.2/idp/pay/order/owned-order/")
	return e
}
