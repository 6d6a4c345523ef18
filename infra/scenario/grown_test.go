package scenario_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"minicloud/infra/browser"
	"minicloud/infra/local/cloud"
	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// The counts of objects in a grown application. The application that settle creates adds a few functions, tables,
// groups, users and triggers.
const (
	manyFunctions = 120
	manyTables    = 60
	manyTriggers  = 300
	manyRows      = 1200 // more than the longest page, and than one request changes
	manyRuns      = 400
	manyCalls     = 5 // of a hook, which accepts no more per second
	manyGroups    = 60
	manyOrders    = 120
	manyUsers     = 120
	manyLetters   = 60
	manySessions  = 22 // of an end user
	manyPromoted  = 24
	manyAccounts  = 22
	maxVersions   = 20 // stored versions of a function
	maxVariables  = 50 // of a function
	maxTraced     = 50 // stored evaluations
)

// fewest is the minimum number of objects in each list of the description. Other lists have more objects than a usual
// page; grow creates them.
var fewest = map[string]int{
	"/oserve/v1.3/cloud-function/":                      manyFunctions,
	"/oserve/v1.3/cloud-function/{name}/job/":           manyRuns,
	"/oserve/v1.3/cloud-function/{name}/version/":       maxVersions,
	"/oserve/v1.3/cloud-function/{name}/variable/":      maxVariables,
	"/console/api/application/{application}/compare/":   manyFunctions + manyTables + manyTriggers,
	"/console/api/application/{application}/promotion/": manyPromoted,
	"/console/api/application/{application}/audit/":     manyFunctions + manyPromoted,
	"/console/api/audit/":                               manyAccounts,
	"/hserve/v2.2/idp/pay/order/":                       manyOrders,
	"/hserve/v2.0/idp/pay/order/":                       manyOrders,
	"/dserve/v1/pay/order/":                             manyOrders,
	"/oserve/v1.8/table/":                               manyTables,
	"/oserve/v2.6/schema/{table}/index/":                1, // a table has few
	"/oserve/v2.4/table/{table}/record/":                manyRows,
	"/oserve/v2.4/table/{table}/record/query/":          manyRows,
	"/hserve/v2.0/table/{table}/record/":                manyRows,
	"/hserve/v2.2/table/{table}/record/":                manyRows,
	"/hserve/v2.4/table/{table}/record/":                manyRows,
	"/hserve/v2.5/table/{table}/record/":                manyRows,
	"/hserve/v2.0/table/":                               manyTables,
	"/hserve/v2.2/table/":                               manyTables,
	"/hserve/v2.4/table/":                               manyTables,
	"/hserve/v2.5/table/":                               manyTables,
	"/hserve/v2.0/table/{table}/record/query/":          manyRows,
	"/hserve/v2.2/table/{table}/record/query/":          manyRows,
	"/hserve/v2.4/table/{table}/record/query/":          manyRows,
	"/hserve/v2.5/table/{table}/record/query/":          manyRows,
	"/hserve/v2.0/user/info/query/":                     manyUsers,
	"/hserve/v2.1/user/info/query/":                     manyUsers,
	"/hserve/v2.2/user/info/query/":                     manyUsers,
	"/hserve/v2.5/user/info/query/":                     manyUsers,
	"/oserve/v2.2/miniapp/user_profile/query/":          manyUsers,
	"/oserve/v3/trigger/":                               manyTriggers,
	"/oserve/v3/trigger/{trigger}/hook/":                manyCalls,
	"/oserve/v3/trigger/{trigger}/evaluation/":          maxTraced,
	"/oserve/v3/trigger/{trigger}/log/":                 manyRuns,
	"/oserve/v3/trigger-log/":                           manyRuns,
	"/oserve/v2.2/miniapp/user_profile/":                manyUsers,
	"/hserve/v3/session/":                               manySessions,
	"/oserve/v3/user/{user}/session/":                   manySessions,
	"/hserve/v2.0/user/info/":                           manyUsers,
	"/hserve/v2.1/user/info/":                           manyUsers,
	"/hserve/v2.2/user/info/":                           manyUsers,
	"/hserve/v2.5/user/info/":                           manyUsers,
	"/oserve/v1/user-group/":                            manyGroups,
	"/oserve/v1/user-supergroup/":                       manyGroups,
}

var inChromium = flag.Bool("chromium", false, "make three times as much, and show every page in Chromium, too")

// few returns a third of many, but at least 21, which is more than a usual page; with -chromium it returns many. It
// does not reduce counts below 60, which the platform limits or which are created one at a time, nor manyRows.
func few(many int) int {
	if *inChromium || many < 60 || many >= manyRows {
		return many
	}
	return max(many/3, 21)
}

// conditions are the conditions of the triggers of a grown application; %d is the number of a table. None of them
// fires while the lists are read.
var conditions = map[trigger.Type]string{
	trigger.TypeTable:           `{"table":"table%d","event":"create"}`,
	trigger.TypeChatPay:         `{"result":"success"}`,
	trigger.TypeAltPay:          `{}`,
	trigger.TypeTPay:            `{}`,
	trigger.TypeTimer:           `{"cron":"0 0 29 2 *"}`,
	trigger.TypeFileOperation:   `{"operation":"upload","result":"success"}`,
	trigger.TypeIncomingWebhook: `{}`,
	trigger.TypeChatMessage:     `{"rules":[{"field":"Content","value":"hello"}]}`,
}

// TestGrownApplication has many objects of every kind. It reads every list of the description like clients and the
// console's page: the first page, the largest, the second, and all of them by next. It reads everything else once.
// With -chromium (`make stories`), the console also shows every page.
func TestGrownApplication(t *testing.T) {
	t.Parallel() // it has its own cloud
	c := start(t, func(cfg *cloud.Config) { cfg.StoppedClock = true })
	g := &grown{
		cloud: c, owner: c.owner(t).
			with(runToken, tokenOfRun(t, c, c.Credentials.Miniapp, tenant.Production)),
		page: signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword),
	}
	g.has = settle(t, c, g.owner)
	ada := g.owner.loggedInAs(t, "ada") // the first user of the demo application
	g.user = ada.as(httpapi.Client)
	g.has["session/{id}"] = aSession(t, g.user)
	settleFiles(t, ada, g.has)
	g.grow(t)
	if *inChromium {
		browser.Play(t, func() *cloud.Cloud { return c.Cloud }, "grown")
	}

	// A twin (C35) has the handler of its original, whose list is read in all ways.
	twins := map[string]bool{}
	for _, r := range routes.All() {
		twins[r.Path+"/"] = r.TwinOf != ""
	}
	lists, queries := 0, asked(c)
	for _, o := range allOperations(t) {
		who := g.reader(o)
		if who == nil {
			continue
		}
		path := strings.Replace(o.path, "/{trigger}/hook/", "/"+g.hook+"/hook/", 1)
		address := g.has.fill(t, strings.TrimSuffix(path, "/")) + "/" + queries["GET "+o.path]
		answer := who.ask(t, o.method, address, o.body())
		if answer.status != http.StatusOK {
			t.Errorf("%s %s: %d %s", o.method, address, answer.status, answer.body)
		}
		if o.isList() && answer.status == http.StatusOK && !twins[o.path] {
			lists++
			t.Run(o.method+o.path, func(t *testing.T) { g.list(t, *who, o, address) })
		}
	}
	if lists < len(fewest) {
		t.Errorf("read %d lists of %d", lists, len(fewest))
	}
}

// grown is an application with many objects of every kind.
type grown struct {
	cloud       stage
	owner, page caller
	console     caller // with a console token
	user        caller // with the session of an end user
	has         owned
	hook        string // the id of a trigger that was called
}

// side calls do n times, with a few concurrent workers.
func side(n int, do func(i int)) {
	const workers = 6
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for i := worker; i < n; i += workers {
				do(i)
			}
		})
	}
	all.Wait()
}

// grow creates many objects of every kind of which settle creates one.
func (g *grown) grow(t *testing.T) {
	t.Helper()
	must := func(who caller, method, path, body string, operands ...any) reply {
		t.Helper()
		answer := who.ask(t, method, path, fmt.Sprintf(body, operands...))
		if answer.status >= http.StatusMultipleChoices {
			t.Fatalf("%s %s: %d %s", method, path, answer.status, answer.body)
		}
		return answer
	}
	application := fmt.Sprint(g.cloud.Credentials.Miniapp)
	token := find(t, must(g.page, "POST", "/console/api/token/", `{"application_id":%s}`, application), "token")
	g.console = caller{g.cloud.URL, http.Header{}}.with("Authorization", "Console "+token)
	g.has["application/{application}"] = application
	g.has["docs/{file}"] = "docs.css"

	const functions, one = "/oserve/v1.3/cloud-function/", "/oserve/v1.3/cloud-function/owned/"
	side(few(manyFunctions), func(i int) {
		must(g.console, "POST", functions, `{"name":"function%d","function_code":"exports.main = async () => %d"}`, i, i)
	})
	for i := range maxVersions - 1 { // settle has changed it once
		must(g.owner, "PATCH", one, `{"remark":"%d"}`, i)
	}
	for i := range maxVariables - 1 { // settle has created one
		must(g.owner, "PUT", one+"variable/", `{"key":"KEY%d","value":"%d"}`, i, i)
	}
	side(few(manyTables), func(i int) {
		must(g.owner, "POST", "/oserve/v1.8/table/", `{"name":"table%d","schema":{"fields":[{"name":"text","type":"string"}]}}`, i)
	})
	must(g.owner, "POST", "/oserve/v1.8/table/", `{"name":"sources","schema":{"fields":[{"name":"n","type":"integer"}]}}`)
	side(few(manyGroups), func(i int) {
		must(g.owner, "POST", "/oserve/v1/user-group/", `{"name":"group%d"}`, i)
		must(g.owner, "POST", "/oserve/v1/user-supergroup/", `{"name":"group%d"}`, i)
	})
	side(few(manyUsers), func(i int) {
		must(g.owner.as(httpapi.RunToken), "POST", "/dserve/v1/user/profile/", `{"_username":"user%d"}`, i)
	})
	side(few(manyTriggers), func(i int) { // half of them belong to tables
		kind := trigger.Types[max(0, i%(2*len(trigger.Types))-len(trigger.Types))]
		condition := strings.ReplaceAll(conditions[kind], "%d", strconv.Itoa(i%few(manyTables)))
		if condition == "" {
			t.Errorf("say in grown_test.go what the condition of a %s trigger is", kind)
		}
		must(g.owner, "POST", "/oserve/v3/trigger/", `{"name":"trigger%d","type":%q,"condition":%s,"actions":[
			{"type":"cloud_function","settings":{"function":"function%d"}}]}`, i, kind, condition, i%few(manyFunctions))
	})
	must(g.owner, "POST", "/oserve/v2.4/table/owned/record/", "%s", rowsOf(1000, "text", `"%d"`))
	must(g.owner, "POST", "/oserve/v2.4/table/owned/record/", "%s", rowsOf(manyRows-1000, "text", `"%d"`))
	// An end user sees only the operations that this user has started; an update of more than a page of rows is one.
	const rows = "/hserve/v2.4/table/owned/record/"
	g.has["bulk-operation/{id}"] = find(t, must(g.user, "PUT", rows, `{"text":"changed"}`), "operation_id")
	side(20, func(i int) { // settleFiles has made one of each
		uploadPhoto(t, g.user, fmt.Sprintf("photo%d.png", i))
		must(g.owner, "POST", "/oserve/v2.2/file-category/", `{"name":"category%d"}`, i)
	})
	for range manySessions - 1 { // g.user is one
		g.owner.loggedInAs(t, "ada")
	}
	g.run(t, must)
	g.pay(t)
	for i := range 21 {
		suppress(t, g.cloud, fmt.Sprintf("gone%d@example.com", i), "bounced")
		must(g.owner, "PUT", fmt.Sprintf("/oserve/v3/login-setting/oauth-provider%d/", i), `{"app_id":"shop"}`)
	}
	must(g.console, "POST", "/oserve/v3/mail-setting/reopening/", "{}") // only administrators may
	g.administer(t, must)
	side(few(manyLetters), func(i int) {
		sendTo(t, g.cloud, "EventDeadLetterQueue", g.payment("lost", i))
	})
	if err := g.cloud.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// rowsOf returns the body that creates n rows with one field.
func rowsOf(n int, field, value string) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{%q:`+value+`}`, field, i)
	}
	return "[" + strings.Join(rows, ",") + "]"
}

// run creates rows, each of which runs a function, and calls a hook.
func (g *grown) run(t *testing.T, must func(who caller, method, path, body string, operands ...any) reply) {
	t.Helper()
	const runs = `"actions":[{"type":"cloud_function","settings":{"function":"owned"}}]}`
	g.has["trigger/{trigger}"] = find(t, must(g.owner, "POST", "/oserve/v3/trigger/",
		`{"name":"sources","type":"table","condition":{"table":"sources","event":"create"},%s`, runs), "id")
	must(g.owner, "POST", "/oserve/v2.4/table/sources/record/", "%s", rowsOf(few(manyRuns), "n", "%d"))
	hook := must(g.owner, "POST", "/oserve/v3/trigger/", `{"name":"called","type":"incoming_webhook",%s`, runs)
	g.hook = find(t, hook, "id")
	path := strings.TrimPrefix(find(t, hook, "hook_url"), g.cloud.URL)
	side(manyCalls, func(i int) { must(caller{g.cloud.URL, http.Header{}}, "POST", path, `{"n":%d}`, i) })
}

// payment returns a payment event for the bus.
func (g *grown) payment(number string, i int) string {
	return fmt.Sprintf(`{"id":"%[1]s%[2]d","source":"minicloud","time":"2026-11-22T12:00:00Z","detail-type":"payment","detail":{
		"miniapp":%[3]d,"gateway_type":"tpay","status":"pending","trade_no":"%[1]s%[2]d","transaction_no":"%[1]s%[2]d",
		"created_by":%[4]d,"total_cost":%[2]d.5}}`, number, i, g.cloud.Credentials.Miniapp, g.user.user())
}

// pay creates orders.
func (g *grown) pay(t *testing.T) {
	t.Helper()
	side(few(manyOrders), func(i int) {
		if answer := g.owner.ask(t, "POST", "/_local/events", g.payment("paid", i)); answer.status != http.StatusOK {
			t.Fatalf("a payment on the bus: %d %s", answer.status, answer.body)
		}
	})
}

// administer adds administrators and promotes functions, one at a time.
func (g *grown) administer(t *testing.T, must func(who caller, method, path, body string, operands ...any) reply) {
	t.Helper()
	account := ""
	for i := range manyAccounts {
		account = find(t, must(g.page, "POST", "/console/api/account/",
			`{"email":"a%d@example.com","name":"a%d","password":"long enough","role":"viewer","applications":[%d]}`,
			i, i, g.cloud.Credentials.Miniapp), "id")
	}
	g.has["account/{account}"] = account
	for i := range manyPromoted {
		must(g.page, "POST", g.has.fill(t, "/console/api/application/{application}")+"/promote/",
			`{"from":"production","to":%q,"items":[{"kind":"function","name":"function%d"}]}`,
			g.cloud.Credentials.Environments["test"], i)
	}
}

// isList reports whether the operation returns pages.
func (o operation) isList() bool {
	return slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.Name == "cursor" })
}

// body returns the request body for reading a list.
func (o operation) body() string {
	if o.method == http.MethodPost {
		return `{"return_total_count":true}`
	}
	return ""
}

// most returns the maximum page length.
func (o operation) most() int {
	for _, p := range o.parameters {
		if p.Name == "limit" {
			return p.Schema.Maximum
		}
	}
	return 0
}

// reader returns the caller for a reading operation, preferably the console's page; nil if it is public or does not
// read.
func (g *grown) reader(o operation) *caller {
	run := g.owner.as(httpapi.RunToken)
	switch {
	case o.method != http.MethodGet && (o.method != http.MethodPost || !o.isList()):
		return nil
	case o.run:
		return &run
	case o.public:
		return nil
	case o.own:
		return &g.page
	case o.client:
		return &g.user
	}
	return &g.console
}

// envelope is a page of a list.
type envelope struct {
	Meta struct {
		Next  *string
		Total *int `json:"total_count"`
	}
	Objects []json.RawMessage
}

// list reads a list in all ways of paging.
func (g *grown) list(t *testing.T, who caller, o operation, address string) {
	read := func(address string) envelope {
		t.Helper()
		answer := who.ask(t, o.method, address, o.body())
		var got envelope
		if err := json.Unmarshal([]byte(answer.body), &got); err != nil || answer.status != http.StatusOK {
			t.Fatalf("%s: %d %.300s", address, answer.status, answer.body)
		}
		return got
	}
	with := func(query string) string {
		if strings.Contains(address, "?") {
			return address + "&" + query
		}
		return address + "?" + query
	}
	follow := func(limit int) (all []string) {
		t.Helper()
		for next := with(fmt.Sprintf("limit=%d", limit)); next != ""; {
			got := read(next)
			if len(got.Objects) == 0 && len(all) > 0 || len(got.Objects) > limit {
				t.Errorf("%s: %d objects", next, len(got.Objects))
			}
			for _, object := range got.Objects {
				all = append(all, unsigned(object))
			}
			if next = ""; got.Meta.Next != nil {
				next = *got.Meta.Next
			}
		}
		return all
	}

	all := follow(o.most())
	least, known := fewest[o.path]
	if !known {
		least = 21
	}
	least = few(least)
	if len(all) < least {
		t.Errorf("%d objects, want %d: grown_test.go is to make more", len(all), least)
	}
	if seen := slices.Compact(slices.Sorted(slices.Values(all))); len(seen) != len(all) {
		t.Errorf("%d of %d objects came twice", len(all)-len(seen), len(all))
	}
	counting := "limit=1&return_total_count=1"
	if o.method == http.MethodPost { // a POST has it in the body
		counting = "limit=1"
	}
	if total := read(with(counting)).Meta.Total; total != nil && *total != len(all) {
		t.Errorf("total_count is %d of %d", *total, len(all))
	}

	limit := len(all)/8 + 1
	if followed := follow(limit); !slices.Equal(followed, all) {
		t.Errorf("%d objects in pages of %d, %d in the largest", len(followed), limit, len(all))
	}
	first, second := read(address), read(with("offset=20"))
	if first.Meta.Next == nil && len(all) > 20 {
		t.Fatal("the first page has no next")
	}
	if first.Meta.Next != nil && !slices.EqualFunc(read(*first.Meta.Next).Objects, second.Objects,
		func(a, b json.RawMessage) bool { return unsigned(a) == unsigned(b) }) {
		t.Error("the second page is another one by offset than by next")
	}
	for _, p := range o.parameters {
		for _, value := range p.Schema.Enum {
			if p.In == "query" && value != "" {
				read(with(fmt.Sprintf("limit=%d&%s=%v", o.most(), p.Name, value)))
			}
		}
	}
}

// unsigned returns an object without its signed URLs, which differ in every response.
func unsigned(object json.RawMessage) string { return signature.ReplaceAllString(string(object), "") }
