package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
)

// TestNamesMistakesInRules checks one rule per row, and its only problem.
func TestNamesMistakesInRules(t *testing.T) {
	for _, row := range []struct{ rule, problem string }{
		{`5`, `condition.rules[0]: must be an object`},
		{`{"operator":"=","value":1}`, `condition.rules[0].field: is required`},
		{`{"field":"title","value":"x"}`, `condition.rules[0].operator: is required`},
		{
			`{"field":"isbn","operator":"=","value":1}`, `condition.rules[0].field: there is no column "isbn" in table "books"`,
		},
		{`{"field":"before.isbn","operator":"=","value":1}`, `condition.rules[0].field: there is no column "before.isbn"`},
		{
			`{"field":"title","operator":">","value":"x"}`,
			`condition.rules[0].operator: ">" is no operator of a string column: it takes regex, =, !=, isempty, changed`,
		},
		{
			`{"field":"pages","operator":"almost","value":1}`,
			`condition.rules[0].operator: "almost" is no operator of an integer column: it takes =`,
		},
		{
			`{"field":"extra","operator":"=","value":1}`,
			`condition.rules[0].operator: "=" is no operator of an object column: it takes has_key`,
		},
		{
			`{"field":"author","operator":"isempty","value":true}`,
			`condition.rules[0].operator: "isempty" is no operator of a pointer column: it takes =, !=, changed`,
		},
		{`{"field":"cover","operator":"=","value":"x"}`, `condition.rules[0].operator: "=" is no operator of a file column`},
		{`{"field":"title","operator":"="}`, `condition.rules[0].value: is required`},
		{`{"field":"title","operator":"=","value":1}`, `condition.rules[0].value: must be a string`},
		{`{"field":"title","operator":"regex","value":"("}`, `condition.rules[0].value: is not a valid RE2 pattern`},
		{`{"field":"title","operator":"regex","value":"(?=a)"}`, `condition.rules[0].value: is not a valid RE2 pattern`},
		{`{"field":"title","operator":"regex","value":"(a{100}){9}"}`, `condition.rules[0].value: repeats too much`},
		{
			`{"field":"title","operator":"regex","value":"` + strings.Repeat("a", 513) + `"}`,
			`condition.rules[0].value: is longer than 512`,
		},
		{`{"field":"pages","operator":"=","value":1.5}`, `condition.rules[0].value: must be an integer`},
		{
			`{"field":"pages","operator":"range","value":[1]}`,
			`condition.rules[0].value: must be [from, to], either may be null`,
		},
		{
			`{"field":"pages","operator":"range","value":[1,"x"]}`,
			`condition.rules[0].value: must be [from, to]: to must be an integer`,
		},
		{
			`{"field":"out","operator":">","value":"2026-11-21T12:00:00"}`,
			`condition.rules[0].value: must be an ISO 8601 date with an offset`,
		},
		{
			`{"field":"out","operator":">","value":{"ago_seconds":"1"}}`,
			`condition.rules[0].value: must be an ISO 8601 date with an offset or {"ago_seconds": n}`,
		},
		{
			`{"field":"out","operator":"range","value":[{"ago":1},null]}`,
			`condition.rules[0].value: must be [from, to]: from must be`,
		},
		{
			`{"field":"tags","operator":"contains","value":["a"]}`,
			`condition.rules[0].value: must be a string, as one item of the array`,
		},
		{`{"field":"title","operator":"isempty","value":"yes"}`, `condition.rules[0].value: must be true or false`},
		{`{"field":"title","operator":"changed","value":true}`, `condition.rules[0].value: changed takes no value`},
		{`{"field":"before.title","operator":"changed"}`, `condition.rules[0].field: changed looks at both sides`},
		{`{"field":"author","operator":"=","value":{"id":"x"}}`, `condition.rules[0].value: must be the id of a row`},
		{
			`{"field":"title","operator":"=","value":"x","not":true}`,
			`condition.rules[0].not: there is no such member: it can be field, operator, value`,
		},
	} {
		body := `{"name":"n","type":"table","condition":{"table":"books","event":"update","rules":[` + row.rule +
			`]},"actions":[` + right[trigger.Email] + `]}`
		only(t, body, row.problem)
	}
}

func only(t *testing.T, body, problem string) {
	t.Helper()
	report := check(t, draft.Draft{Given: decoded(t, body)})
	if report.Valid || len(report.Errors) != 1 || !strings.HasPrefix(report.Errors[0].String(), problem) {
		t.Errorf("%s:\n  got  %v\n  want %s", body, report.Errors, problem)
	}
}

// TestNamesMistakesInConditions checks one type and condition per row, and its only problem.
func TestNamesMistakesInConditions(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"field":"a","value":"b"},`, 51), ",")
	for _, row := range []struct{ kind, condition, problem string }{
		{"table", `null`, `condition: must be an object`},
		{"table", `{"event":"create"}`, `condition.table: is required`},
		{"table", `{"table":"films","event":"create"}`, `condition.table: there is no table "films"`},
		{"table", `{"table":99,"event":"create"}`, `condition.table: there is no table "99"`},
		{"table", `{"table":true,"event":"create"}`, `condition.table: must be the id or the name of a table`},
		{"table", `{"table":12,"event":"upsert"}`, `condition.event: must be "create", "update" or "delete"`},
		{"table", `{"table":12,"event":"create","match":"most"}`, `condition.match: must be "all" or "any"`},
		{"table", `{"table":12,"event":"create","rules":{}}`, `condition.rules: must be a list of 0 to 50`},
		{
			"table", `{"table":12,"event":"create","rules":[{"field":"title","operator":"changed"}]}`,
			`condition.rules[0].operator: changed is for updates only`,
		},
		{
			"table", `{"table":12,"event":"create","rules":[{"field":"before.title","operator":"=","value":"x"}]}`,
			`condition.rules[0].field: a row that is created has nothing before`,
		},
		{
			"table", `{"table":12,"event":"delete","rules":[{"field":"after.title","operator":"=","value":"x"}]}`,
			`condition.rules[0].field: a row that is deleted has nothing after`,
		},
		{"chat_pay", `{"result":"fail"}`, `condition.result: must be "success"`},
		{"alt_pay", `{"amount":1}`, `condition.amount: there is no such member: it can be result`},
		{"timer", `{}`, `condition.cron: is required`},
		{"timer", `{"cron":"* * *"}`, `condition.cron: a rule has five fields`},
		{"timer", `{"cron":"0 0 30 2 *"}`, `condition.cron: `},
		{"timer", `{"cron":"0 25 * * *"}`, `condition.cron: `},
		{"timer", `{"cron":"0 * * * *","missed":"twice"}`, `condition.missed: must be "once", "skip" or "all"`},
		{
			"file_operation", `{"operation":"rename","result":"success"}`,
			`condition.operation: must be "upload", "delete" or "image_check"`,
		},
		{"file_operation", `{"operation":"upload"}`, `condition.result: must be "success" or "fail"`},
		{"incoming_webhook", `{"url":"x"}`, `condition.url: there is no such member: none is expected here`},
		{"chat_message", `{"rules":[{"field":"MsgType","value":1}]}`, `condition.rules[0].value: must be a text`},
		{"chat_message", `{"rules":[` + many + `]}`, `condition.rules: must be a list of 0 to 50`},
	} {
		only(
			t,
			fmt.Sprintf(
				`{"name":"n","type":"%s","condition":%s,"actions":[%s]}`, row.kind, row.condition, right[trigger.Email],
			),
			row.problem,
		)
	}
}

// TestNamesMistakesInActions checks a trigger with one action per row, and its only problem.
func TestNamesMistakesInActions(t *testing.T) {
	const mail = `"settings":{"to":["a@example.com"],"subject":"s","body":"b"}`
	operation := func(settings string) string {
		return `{"type":"table_operation","settings":{"table":"books",` + settings + `}}`
	}
	assign := func(assign string) string {
		return operation(`"operation":"update","where":{"pages":1},"assign":[` + assign + `]`)
	}
	recipient := func(r string) string {
		return `{"type":"sms","settings":{"recipient":` + r + `,"signature":"shop","template":"welcome"}}`
	}
	webhook := func(url string) string { return `{"type":"webhook","settings":{"url":"` + url + `"}}` }

	for _, row := range []struct{ action, problem string }{
		{`{"settings":{}}`, `actions[0].type: must be "email", "template_message"`},
		{`{"type":"fax"}`, `actions[0].type: must be "email"`},
		{`{"type":"email"}`, `actions[0].settings: must be an object`},
		{
			`{"type":"email",` + mail + `,"when":1}`,
			`actions[0].when: there is no such member: it can be flow, frequency, id, settings, type`,
		},
		{
			`{"type":"email","frequency":{"mode":"daily"},` + mail + `}`,
			`actions[0].frequency.mode: must be "repeatable", "intermittent" or "once"`,
		},
		{
			`{"type":"email","frequency":{"mode":"intermittent"},` + mail + `}`,
			`actions[0].frequency.interval_seconds: must be an integer from 60 to 2592000`,
		},
		{
			`{"type":"email","frequency":{"mode":"intermittent","interval_seconds":59},` + mail + `}`,
			`actions[0].frequency.interval_seconds: must`,
		},
		{
			`{"type":"email","frequency":{"mode":"once","interval_seconds":60},` + mail + `}`,
			`actions[0].frequency.interval_seconds: is for the mode "intermittent" only`,
		},
		{
			`{"type":"email","flow":{"debounce_seconds":604801},` + mail + `}`,
			`actions[0].flow.debounce_seconds: must be an integer from 1 to 604800`,
		},
		{
			`{"type":"email","flow":{"batch":{"size":2,"seconds":1}},` + mail + `}`,
			`actions[0].flow.batch: is only for actions of type "webhook" or "cloud_function"`,
		},
		{
			`{"type":"cloud_function","flow":{"batch":{"size":1,"seconds":1}},"settings":{"function":"hello"}}`,
			`actions[0].flow.batch.size: must be an integer from 2 to 1000`,
		},
		{
			`{"type":"email","flow":{"throttle":{"count":1}},` + mail + `}`,
			`actions[0].flow.throttle.period_seconds: must be an integer`,
		},
		{`{"type":"email","flow":{"key":"{{ x"},` + mail + `}`, `actions[0].flow.key: template: character 1: "{{" without "}}"`},
		{
			`{"type":"email","settings":{"to":[],"subject":"s","body":"b"}}`,
			`actions[0].settings.to: must be a list of 1 to 50`,
		},
		{
			`{"type":"email","settings":{"to":["a@example.com","ada"],"subject":"s","body":"b"}}`,
			`actions[0].settings.to[1]: must be a mail address or a template of one`,
		},
		{
			`{"type":"email","settings":{"to":["a@example.com"],"subject":"a\nBcc: x","body":"b"}}`,
			`actions[0].settings.subject: must be one line`,
		},
		{
			`{"type":"email","settings":{"to":["{{ title }}"],"subject":"s","body":"{{ title"}}`,
			`actions[0].settings.body: template: character 1: "{{" without "}}"`,
		},
		{webhook(`ftp://example.com`), `actions[0].settings.url: must be an http or https address`},
		{webhook(`https://example.com:22/`), `actions[0].settings.url: must have no port or one of`},
		{webhook(`https://a:b@example.com/`), `actions[0].settings.url: must not hold a name or a password`},
		{
			`{"type":"webhook","settings":{"url":"https://example.com","key":"x"}}`,
			`actions[0].settings.key: there is no such member`,
		},
		{
			`{"type":"webhook","settings":{"url":"https://example.com","rate_per_second":101}}`,
			`actions[0].settings.rate_per_second: must be an integer from 1 to 100`,
		},
		{
			`{"type":"cloud_function","settings":{"function":"nope"}}`,
			`actions[0].settings.function: there is no function "nope"`,
		},
		{
			`{"type":"template_message","settings":{"vendor":"chat","recipient":{"kind":"triggering_user"},"template_id":"tpl","page":"/x"}}`,
			`actions[0].settings.page: must not begin with a slash`,
		},
		{
			`{"type":"template_message","settings":{"vendor":"tpay","recipient":{"kind":"triggering_user"},"template_id":"tpl","form_id_source":"payment"}}`,
			`actions[0].settings.form_id_source: tpay takes no form ids of payments`,
		},
		{
			`{"type":"template_message","settings":{"vendor":"chat","recipient":{"kind":"phone","phone":"1"},"template_id":"tpl"}}`,
			`actions[0].settings.recipient.kind: must be "triggering_user", "users" or "group"`,
		},
		{recipient(`{"kind":"group","group":6}`), `actions[0].settings.recipient.group: there is no group "6"`},
		{
			recipient(`{"kind":"users","where":{"rank":1}}`),
			`actions[0].settings.recipient.where: field "rank" does not exist`,
		},
		{recipient(`{"kind":"phone","phone":"ada"}`), `actions[0].settings.recipient.phone: must be a phone number`},
		{
			operation(`"operation":"update","where":{},"assign":[{"field":"title","value":"x"}]`),
			`actions[0].settings.where: must have a condition`,
		},
		{operation(`"operation":"delete"`), `actions[0].settings.where: must be an object of conditions`},
		{
			operation(`"operation":"delete","where":{"pages":{"$gt":"{{ pages }}","$lt":"x"}}`),
			`actions[0].settings.where: operand of $lt: field "pages" must be an integer`,
		},
		{
			operation(`"operation":"create","where":{"pages":1},"assign":[{"field":"title","value":"x"}]`),
			`actions[0].settings.where: is for update and delete`,
		},
		{
			operation(`"operation":"delete","where":{"pages":1},"assign":[{"field":"title","value":"x"}]`),
			`actions[0].settings.assign: is for create and update`,
		},
		{operation(`"operation":"update","where":{"pages":1}`), `actions[0].settings.assign: must be a list of 1 to 200`},
		{assign(`{"field":"isbn","value":1}`), `actions[0].settings.assign[0].field: field "isbn" does not exist`},
		{
			assign(`{"field":"created_at","value":1}`),
			`actions[0].settings.assign[0].field: field "created_at" is the platform's`,
		},
		{
			assign(`{"field":"pages","value":1},{"field":"pages","operator":"inc_by","value":1}`),
			`actions[0].settings.assign[1].field: "pages" is assigned twice`,
		},
		{
			assign(`{"field":"title","operator":"inc_by","value":1}`),
			`actions[0].settings.assign[0].operator: "inc_by" is none of a column of type string: it takes =`,
		},
		{assign(`{"field":"pages","value":"many"}`), `actions[0].settings.assign[0].value: must be an integer`},
		{
			assign(`{"field":"tags","operator":"append","value":[1]}`),
			`actions[0].settings.assign[0].value: must be an array: item 0 must be a string`,
		},
		{assign(`{"field":"title","value":null}`), `actions[0].settings.assign[0].value: is required`},
		{
			assign(`{"field":"author","value":{"id":"x"}}`),
			`actions[0].settings.assign[0].value: must be an object with "_table" and "id"`,
		},
		{
			assign(`{"field":"extra","value":"{{ extra }}"}`),
			`actions[0].settings.assign[0].value: variable "extra" is an object`,
		},
		{
			`{"type":"table_operation","settings":{"table":"_userprofile","operation":"create"}}`,
			`actions[0].settings.table: the rows of _userprofile are written through the user endpoints`,
		},
		{
			`{"type":"table_operation","settings":{"table":"films","operation":"create"}}`,
			`actions[0].settings.table: there is no table "films"`,
		},
	} {
		only(
			t, `{"name":"n","type":"table","condition":{"table":"books","event":"update"},"actions":[`+row.action+`]}`,
			row.problem,
		)
	}
}

func TestNamesMistakesInTrigger(t *testing.T) {
	timer := `"type":"timer","condition":{"cron":"0 * * * *"}`
	for _, row := range []struct{ body, problem string }{
		{`{` + timer + `,"actions":[` + right[trigger.Email] + `]}`, `name: is required`},
		{
			`{"name":"` + strings.Repeat("ß", 65) + `",` + timer + `,"actions":[` + right[trigger.Email] + `]}`,
			`name: must have at most 64 characters`,
		},
		{`{"name":"n","type":"comet","actions":[` + right[trigger.Email] + `]}`, `type: must be "table"`},
		{
			`{"name":"n","timezone":"Mars/Olympus",` + timer + `,"actions":[` + right[trigger.Email] + `]}`,
			`timezone: must be an IANA name`,
		},
		{
			`{"name":"n","enabled":"yes",` + timer + `,"actions":[` + right[trigger.Email] + `]}`,
			`enabled: must be true or false`,
		},
		{`{"name":"n",` + timer + `}`, `actions: must be a list of 1 to 10`},
		{
			`{"name":"n",` + timer + `,"actions":[` + strings.TrimSuffix(
				strings.Repeat(right[trigger.Email]+",", 11), ",",
			) + `]}`,
			`actions: must be a list of 1 to 10`,
		},
		{
			`{"name":"n",` + timer + `,"actions":[` + right[trigger.Webhook] + `]}`,
			`actions[0].type: a timer trigger cannot have a webhook action`,
		},
		{
			`{"name":"n",` + timer + `,"actions":[` + right[trigger.TableOperation] + `]}`,
			`actions[0].type: a timer trigger cannot have a table_operation action`,
		},
	} {
		only(t, row.body, row.problem)
	}
}

// TestNamesAllMistakes checks that one report has all mistakes.
func TestNamesAllMistakes(t *testing.T) {
	report := check(t, draft.Draft{Given: decoded(t, `{"type":"table","trace":1,"condition":{"table":"books","event":"create","rules":[
		{"field":"title","operator":"=","value":"x"},{"field":"isbn","operator":"=","value":1},{"field":"pages","operator":"~","value":1}]},
		"actions":[`+right[trigger.Email]+`,{"type":"email","settings":{"to":["a@example.com","{{x}}","b","c@example.com","d"]}}]}`)})
	want := []string{
		"name", "trace", "condition.rules[1].field", "condition.rules[2].operator", "actions[1].settings.subject",
		"actions[1].settings.body",
		"actions[1].settings.to[2]", "actions[1].settings.to[4]",
	}

	var got []string
	for _, problem := range report.Errors {
		got = append(got, problem.Path)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if err := report.Errors.Err(); err == nil || !strings.Contains(err.Error(), "; actions[1].settings.to[4]: must be") {
		t.Errorf("%v", err)
	}
}

// TestIgnoresUnknownMembers checks that unknown members of the trigger itself cause a warning (D4). Unknown members of
// nested objects are mistakes.
func TestIgnoresUnknownMembers(t *testing.T) {
	text := `{"name":"n","color":"red","type":"timer","condition":{"cron":"0 0 * * *"%s},"actions":[` + right[trigger.Email] + `]}`
	report := check(t, draft.Draft{Given: decoded(t, fmt.Sprintf(text, ""))})
	if !report.Valid || len(report.Warnings) != 1 || report.Warnings[0].Path != "color" {
		t.Errorf("%v %v", report.Errors, report.Warnings)
	}
	if report := check(t, draft.Draft{Given: decoded(t, fmt.Sprintf(text, `,"color":"red"`))}); report.Valid {
		t.Error("a member of the condition is ignored")
	}
}

func TestWarnsOfLikelyMistakes(t *testing.T) {
	email := func(body string) string {
		return `{"type":"email","settings":{"to":["a@example.com"],"subject":"s","body":"` + body + `"}}`
	}
	table := `"type":"table","condition":{"table":"books","event":"create"}`

	for _, row := range []struct{ start, action, warning string }{
		{
			table,
			email(
				"{{ title }} {{ after.price }} {{ payload.id }} {{ extra.a.b }} {{ author.id }} {{ created_by.level }} {{ _version }}",
			),
			"",
		},
		{table, email("{{ isbn }}"), `actions[0].settings.body: variable "isbn" does not exist: it renders empty`},
		{table, email("{{ before.title }}"), `actions[0].settings.body: variable "before.title" does not exist`},
		{table, email("{{ title.first }}"), `actions[0].settings.body: variable "title.first" does not exist`},
		{table, email("{{ author.name }}"), `actions[0].settings.body: variable "author.name" does not exist`},
		{table, email("{{ created_by.rank }}"), `actions[0].settings.body: variable "created_by.rank" does not exist`},
		{table, `{"type":"table_operation","settings":{"table":13,"operation":"update","where":{"$or":[{"count":"{{ pages }}"},{"note":{"$in":["{{ isbn }}"]}}]},
			"assign":[{"field":"note","value":"{{ extra }}"}]}}`, `actions[0].settings.where.$or[1].note.$in[0]: variable "isbn" does not exist`},
		{table, `{"type":"table_operation","settings":{"table":12,"operation":"create","assign":[{"field":"pages","value":1}]}}`,
			`actions[0].settings.assign: column "title" is required and gets no value`},
		{
			`"type":"timer","condition":{"cron":"0 * * * *"}`, email("{{ id }}"),
			`actions[0].settings.body: variable "id" renders empty: there are none here in triggers of type timer`,
		},
		{`"type":"timer","condition":{"cron":"0 * * * *"}`, `{"type":"sms","settings":{"recipient":{"kind":"triggering_user"},"signature":"shop","template":"welcome"}}`,
			`actions[0].settings.recipient.kind: triggers of type timer have no triggering user`},
		{
			`"type":"chat_pay"`,
			email("{{ trade_no }} {{ merchandise_snapshot.a }} {{ payload.ip_address }} {{ created_by.nickname }}"), "",
		},
		{`"type":"chat_pay"`, email("{{ ip_address }}"), `actions[0].settings.body: variable "ip_address" does not exist`},
		{
			`"type":"file_operation","condition":{"operation":"upload","result":"success"}`,
			email("{{ created_by.hello }} {{ payload.name }}"), "",
		},
		{
			`"type":"table","condition":{"table":"audit","event":"update","rules":[{"field":"note","operator":"=","value":"x"},
				{"field":"after.note","operator":"isempty","value":true},{"field":"created_at","operator":">","value":1}]}`,
			email("b"), "",
		},
		{
			`"type":"table","condition":{"table":"audit","event":"update","rules":[{"field":"note","operator":"=","value":"x"},
				{"field":"before.count","operator":">","value":1},{"field":"count","operator":"changed"}]}`,
			email("b"), `condition.rules[1].field: none of the newest 2 rows of table "audit" has a value for "count"`,
		},
		{
			`"type":"file_operation","condition":{"operation":"delete","result":"fail"}`, email("b"),
			`condition.result: a deletion that fails is no event`,
		},
		{
			`"type":"incoming_webhook"`, email("{{ payload.x }}"),
			`actions[0].settings.body: variable "payload.x" renders empty`,
		},
		{
			`"type":"incoming_webhook"`,
			`{"type":"cloud_function","flow":{"key":"{{ payload.x }}","ordered":true},"settings":{"function":"hello"}}`, "",
		},
		{
			`"type":"incoming_webhook"`,
			`{"type":"cloud_function","flow":{"key":"{{ payload.x }}"},"settings":{"function":"hello"}}`,
			`actions[0].flow.key: does nothing without debounce_seconds, batch, throttle or ordered`,
		},
		{
			`"type":"chat_pay"`,
			`{"type":"cloud_function","flow":{"key":"{{ created_by.nickname }}","ordered":true},` +
				`"settings":{"function":"hello"}}`,
			`actions[0].flow.key: variable "created_by.nickname" renders empty here`,
		},
		{`"type":"chat_message"`, email("{{ anything }}"), ""},
	} {
		report := check(t, draft.Draft{Given: decoded(t, `{"name":"n",`+row.start+`,"actions":[`+row.action+`]}`)})
		fits := len(report.Warnings) == 0
		if row.warning != "" {
			fits = len(report.Warnings) > 0 && strings.HasPrefix(report.Warnings[0].String(), row.warning)
		}
		if !report.Valid || !fits {
			t.Errorf("%s:\n  errors %v\n  warnings %v\n  want %s", row.action, report.Errors, report.Warnings, row.warning)
		}
	}
}

func TestListsVariables(t *testing.T) {
	has := func(body string, wanted ...string) {
		t.Helper()
		report := check(t, draft.Draft{Given: decoded(t, body)})
		all := "," + strings.Join(report.Variables, ",") + ","
		for _, name := range wanted {
			without, absent := strings.CutPrefix(name, "-")
			if strings.Contains(all, ","+without+",") == absent {
				t.Errorf("%s: %s in %s", body, name, all)
			}
		}
	}

	actions := `,"name":"n","actions":[` + right[trigger.Email] + `]}`
	has(
		`{"type":"table","condition":{"table":"books","event":"create"}`+actions, "title", "after.title", "payload.title",
		"created_by.level", "id", "-before.title",
	)
	has(`{"type":"table","condition":{"table":"books","event":"delete"}`+actions, "title", "before.title", "-after.title")
	has(`{"type":"tpay"`+actions, "trade_no", "-ip_address", "payload.ip_address", "created_by.nickname")
	has(`{"type":"timer","condition":{"cron":"0 * * * *"}`+actions, "-id", "-created_by.nickname")
}
