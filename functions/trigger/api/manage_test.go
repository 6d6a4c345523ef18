package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/message/messaging"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// TestTriggerFromCreateToDelete: create, read, change, list, delete.
func TestTriggerFromCreateToDelete(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	if w, ok := at(t, made, "warnings").([]any); !ok || len(w) != 0 {
		t.Errorf("warnings: %v", made)
	}
	key, _ := at(t, made, "actions", 0, "settings", "key").(string)
	if !regexp.MustCompile(`^[A-Za-z0-9]{32}$`).MatchString(key) {
		t.Errorf("key %q", key)
	}
	if made["created_by"] != 70.0 || made["enabled"] != true || made["trace"] != true ||
		made["timezone"] != "Asia/Shanghai" {
		t.Errorf("made %v", made)
	}

	here := path(t, made, "")
	if w := p.ask("GET", here, ""); w.Code != 200 || strings.Contains(w.Body.String(), "key\"") ||
		strings.Contains(w.Body.String(), key) {
		t.Errorf("read: %d %s", w.Code, w.Body)
	}
	stored, err := p.triggers.Trigger(t.Context(), shop, trigger.ID(made["id"].(float64)))
	if err != nil || strings.Contains(string(stored.Secrets.Keys[stored.Actions[0].ID].Current), key) {
		t.Errorf("stored with %v: %v", stored.Secrets, err)
	}

	// A response can be sent back as a body: an action keeps its id and key, a new action gets its own, and an
	// omitted action is removed.
	action := at(t, made, "actions", 0, "id")
	changed := p.must(
		200, "PUT", here,
		fmt.Sprintf(
			`{"name":"thick","actions":[{"id":%.0f},{"type":"webhook","settings":{"url":"https://example.com/"}}]}`, action,
		),
	)
	if at(t, changed, "name") != "thick" || at(t, changed, "actions", 0, "id") != action ||
		at(t, changed, "actions", 0, "settings", "key") != nil {
		t.Errorf("changed: %v", changed)
	}
	if other := at(t, changed, "actions", 1, "settings", "key"); other == nil || other == key {
		t.Errorf("the new webhook's key: %v", changed)
	}
	p.must(200, "PUT", here, fmt.Sprintf(`{"enabled":false,"actions":[{"id":%.0f}]}`, action))
	stored, _ = p.triggers.Trigger(t.Context(), shop, stored.ID)
	if len(stored.Secrets.Keys) != 1 || stored.Revision != 3 || stored.Enabled {
		t.Errorf("stored %+v", stored)
	}
	if found, err := p.triggers.Candidates(t.Context(), shop, stored.IndexKey()); err != nil || len(found) != 0 {
		t.Errorf("a disabled trigger is found by events: %v %v", found, err)
	}

	p.must(204, "DELETE", here, "")
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		p.must(404, method, here, "{}")
	}
	if list := p.must(200, "GET", triggers, ""); at(t, list, "meta", "total_count") != 0.0 {
		t.Errorf("list %v", list)
	}
}

func TestListFilters(t *testing.T) {
	p := newPlatform(t)
	p.must(201, "POST", triggers, bookAdd)
	p.must(201, "POST", triggers, `{"name":"call me","type":"incoming_webhook","actions":[`+hooked+`]}`)
	p.must(
		201, "POST", triggers,
		`{"name":"nightly","enabled":false,"type":"timer","condition":{"cron":"0 0 * * *"},"actions":[{"type":"email","settings":{"to":["a@example.com"],"subject":"s","body":"b"}}]}`,
	)
	for query, want := range map[string]string{
		"": "nightly call me long books", "type=timer": "nightly", "enabled=1": "call me long books",
		"enabled=false": "nightly",
		"table=books":   "long books", "table=" + p.book.ID.String(): "long books", "table=none": "",
		"name__contains=l":    "nightly call me long books",
		"name__contains=LONG": "long books", "trace=1": "nightly call me long books", "trace=0": "",
		"name__contains=long": "long books", "type=&enabled=&table=": "nightly call me long books", "limit=1": "nightly",
		"limit=1&offset=1": "call me", "type=table&enabled=0": "",
	} {
		found := p.must(200, "GET", triggers+"?"+query, "")
		var names []string
		for _, object := range at(t, found, "objects").([]any) {
			names = append(names, at(t, object, "name").(string))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"type=table2", "enabled=2", "limit=0"} {
		p.must(400, "GET", triggers+"?"+query, "")
	}

	first := p.must(200, "GET", triggers+"?limit=2", "")
	rest := p.must(200, "GET", at(t, first, "meta", "next").(string), "")
	if at(t, rest, "objects", 0, "name") != "long books" || at(t, rest, "meta", "next") != nil {
		t.Errorf("behind two: %v", rest)
	}
}

// TestMistakesNameTheirPath: errors of package draft reach the caller with their path, and nothing is stored.
func TestMistakesNameTheirPath(t *testing.T) {
	p := newPlatform(t)
	for body, want := range map[string]string{
		`{}`:     "name",
		`[]`:     "must be an object",
		`{"name`: "JSON",
		`{"name":"a","type":"table","condition":{"table":"none","event":"create"},"actions":[` + hooked +
			`]}`: "condition.table: ",
		`{"name":"a","type":"table","condition":{"table":"books","event":"create","rules":[{"field":"no","operator":"=","value":1}]},"actions":[` + hooked + `]}`: "condition.rules[0].field: ",
		`{"name":"a","type":"timer","condition":{"cron":"0 0 30 2 *"},"actions":[{"type":"cloud_function","settings":{"function":"nobody"}}]}`:                    "condition.cron: ",
		`{"name":"a","type":"timer","condition":{"cron":"0 0 * * *"},"actions":[` + hooked +
			`]}`: "a timer trigger cannot have a webhook action",
		`{"name":"a","type":"chat_pay","actions":[{"type":"cloud_function","settings":{"function":"nobody"}}]}`:                                                            `there is no function "nobody"`,
		`{"name":"a","type":"chat_pay","actions":[{"type":"sms","settings":{"recipient":{"kind":"group","group":12},"signature":"shop","template":"t"}}]}`:                 "SMS settings are missing",
		`{"name":"a","type":"chat_pay","actions":[{"type":"template_message","settings":{"vendor":"chat","template_id":"t","recipient":{"kind":"group","group":12}}}]}`:    "group",
		`{"name":"a","type":"chat_pay","actions":[{"type":"email","settings":{"to":["a@example.com"],"subject":"{{","body":"b"}}]}`:                                        "actions[0].settings.subject: ",
		`{"name":"a","type":"chat_pay","actions":[{"type":"email","flow":{"batch":{"size":5,"seconds":5}},"settings":{"to":["a@example.com"],"subject":"s","body":"b"}}]}`: "flow.batch",
	} {
		answer := p.must(400, "POST", triggers, body)
		if message, _ := answer["error_msg"].(string); !strings.Contains(message, want) {
			t.Errorf("%s\nsays %q, want %q", body, message, want)
		}
	}
	if list := p.must(200, "GET", triggers, ""); at(t, list, "meta", "total_count") != 0.0 {
		t.Errorf("stored: %v", list)
	}
}

// TestTriggersNameSMSSettings: an action may name only a signature and a template of the SMS setting.
func TestTriggersNameSMSSettings(t *testing.T) {
	p := newPlatform(t)
	enabled := true
	_, err := p.settings.PutSMS(t.Context(), shop, messaging.SMSPatch{
		Enabled: &enabled, Signatures: &[]messaging.Signature{{Name: "Shop", Status: "approved"}},
		Templates: &[]messaging.Template{{Name: "paid", Text: "{{ sum }} paid"}},
	})
	if err != nil {
		t.Fatal(err)
	}

	const sms = `{"name":"t","type":"timer","condition":{"cron":"0 0 * * *"},"actions":[{"type":"sms","settings":` +
		`{"recipient":{"kind":"phone","phone":"+8613800138000"},"signature":%q,"template":%q}}]}`
	for _, c := range []struct {
		signature, template string
		status              int
	}{{"Shop", "paid", 201}, {"Shop", "gone", 400}, {"Gone", "paid", 400}} {
		if w := p.ask("POST", triggers, fmt.Sprintf(sms, c.signature, c.template)); w.Code != c.status {
			t.Errorf("a trigger with %+v: %d %s", c, w.Code, w.Body)
		}
	}
}

func TestCheckStoresNothing(t *testing.T) {
	p := newPlatform(t)
	timer := p.must(
		200, "POST", "/oserve/v3/trigger-check/",
		`{"name":"n","type":"timer","condition":{"cron":"30 8 * * *"},"actions":[{"type":"email","settings":{"to":["a@example.com"],"subject":"{{ x }}","body":"b"}}]}`,
	)
	if at(t, timer, "valid") != true || at(t, timer, "next", 4) != "2026-11-26T08:30:00+08:00" ||
		at(t, timer, "warnings", 0, "path") != "actions[0].settings.subject" {
		t.Errorf("timer: %v", timer)
	}
	wrong := p.must(
		200, "POST", "/oserve/v3/trigger-check/",
		`{"name":"n","type":"table","condition":{"table":"books","event":"create","rules":[{"field":"pages","operator":"~"}]},"actions":[`+hooked+`]}`,
	)
	if at(t, wrong, "valid") != false || at(t, wrong, "errors", 0, "path") != "condition.rules[0].operator" ||
		len(at(t, wrong, "variables").([]any)) == 0 {
		t.Errorf("wrong: %v", wrong)
	}
	if list := p.must(200, "GET", triggers, ""); at(t, list, "meta", "total_count") != 0.0 {
		t.Errorf("stored: %v", list)
	}
}

// TestCheckOfAChange: a body with a trigger's id is checked as a change of that trigger.
func TestCheckOfAChange(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	read := p.must(200, "GET", path(t, made, ""), "")
	read["actions"] = append(read["actions"].([]any), map[string]any{"id": 77, "settings": map[string]any{}})
	body, _ := json.Marshal(read)

	checked := p.must(200, "POST", "/oserve/v3/trigger-check/", string(body))
	if got := at(t, checked, "errors").([]any); len(got) != 1 || at(t, checked, "errors", 0, "path") != "actions[1].id" {
		t.Errorf("errors: %v", got)
	}
	if keys := fmt.Sprint(at(t, checked, "key_variables")); !strings.Contains(keys, "title") ||
		strings.Contains(keys, "created_by.") {
		t.Errorf("variables of keys: %s", keys)
	}
}

// TestChoicesAndMap: the choices for new triggers, and the map of triggers that fire others.
func TestChoicesAndMap(t *testing.T) {
	p := newPlatform(t)
	choices := p.must(200, "GET", "/oserve/v3/trigger-choice/", "")
	if at(t, choices, "types", 4, "type") != "timer" ||
		fmt.Sprint(at(t, choices, "types", 4, "actions")) != "[email template_message cloud_function sms]" {
		t.Errorf("choices: %v", choices["types"])
	}

	p.must(201, "POST", triggers, `{"name":"again","type":"table","condition":{"table":"books","event":"create"},"actions":[
		{"type":"table_operation","settings":{"table":"books","operation":"create","assign":[{"field":"title","value":"x"}]}}]}`)
	found := p.must(200, "GET", "/oserve/v3/trigger-map/", "")
	if at(t, found, "edges", 0, "table") != "books" || at(t, found, "loops", 0, 0, "name") != "again" {
		t.Errorf("map: %v", found)
	}
}

// TestWarnsOfLoops: an action writes into the table of its own trigger.
func TestWarnsOfLoops(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, `{"name":"again","type":"table","condition":{"table":"books","event":"create"},"actions":[
		{"type":"table_operation","settings":{"table":"books","operation":"create","assign":[{"field":"title","operator":"=","value":"{{ title }} more"}]}}]}`)
	if message, _ := at(t, made, "warnings", 0, "message").(string); !strings.Contains(message, `"again"`) ||
		!strings.Contains(message, "→") {
		t.Errorf("warnings: %v", made)
	}
}

// TestBrokenTriggerNamesItsError: the column of its condition was removed.
func TestBrokenTriggerNamesItsError(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	if _, err := p.service.Tables.Modify(t.Context(), shop, p.book.ID, removal("pages")); err != nil {
		t.Fatal(err)
	}
	for _, got := range []any{
		p.must(200, "GET", path(t, made, ""), ""), at(t, p.must(200, "GET", triggers, ""), "objects", 0),
	} {
		if why, _ := at(t, got, "broken").(string); !strings.Contains(why, `column "pages"`) {
			t.Errorf("broken: %v", got)
		}
	}
}

// TestListOfManyTables: the tables of a page of triggers are read with one query.
func TestListOfManyTables(t *testing.T) {
	const many = 9
	p := newPlatform(t)
	listen := func(table string) {
		p.must(201, "POST", triggers, fmt.Sprintf(
			`{"name":%q,"type":"table","condition":{"table":%q,"event":"create"},"actions":[%s]}`, table, table, hooked))
	}
	listen("_userprofile")
	for i := range many {
		name := fmt.Sprintf("shelf%d", i)
		made, err := p.service.Tables.Create(t.Context(), shop, table.Definition{Name: &name})
		if err != nil {
			t.Fatal(err)
		}
		listen(name)
		if i == 7 {
			if err := p.service.Tables.DeleteTable(t.Context(), shop, made.ID); err != nil {
				t.Fatal(err)
			}
		}
	}

	p.recorder.Take()
	list := p.must(200, "GET", triggers+"?limit=1000", "")
	if asked := p.recorder.Take(); !slices.Equal(asked, []string{"Query", "Query"}) {
		t.Errorf("asked the database for %v", asked)
	}
	for i := range many + 1 {
		one := at(t, list, "objects", i)
		if broken := at(t, one, "broken"); (broken != nil) != (at(t, one, "name") == "shelf7") {
			t.Errorf("%v is broken: %v", at(t, one, "name"), broken)
		}
	}
}

// TestTableKnowsItsTriggers: a table counts its enabled triggers, and a trigger of a deleted table can still be
// changed and deleted.
func TestTableKnowsItsTriggers(t *testing.T) {
	p := newPlatform(t)
	listeners := func() (create, update int) {
		t.Helper()
		in, err := p.service.Tables.Table(t.Context(), shop, p.book.ID)
		if err != nil {
			t.Fatal(err)
		}
		return in.Listeners.Create, in.Listeners.Update
	}
	one, two := p.must(201, "POST", triggers, bookAdd), p.must(201, "POST", triggers, bookAdd)
	if create, update := listeners(); create != 2 || update != 0 {
		t.Errorf("two listen: %d %d", create, update)
	}
	p.must(200, "PUT", path(t, one, ""), `{"condition":{"table":"books","event":"update"}}`)
	if create, update := listeners(); create != 1 || update != 1 {
		t.Errorf("one of each: %d %d", create, update)
	}
	p.must(200, "PUT", path(t, two, ""), `{"enabled":false}`)
	if create, update := listeners(); create != 0 || update != 1 {
		t.Errorf("one is disabled: %d %d", create, update)
	}
	users := p.must(
		201, "POST", triggers,
		`{"name":"u","type":"table","condition":{"table":"_userprofile","event":"delete"},"actions":[`+hooked+`]}`,
	)
	p.must(204, "DELETE", path(t, users, ""), "")

	if err := p.service.Tables.DeleteTable(t.Context(), shop, p.book.ID); err != nil {
		t.Fatal(err)
	}
	if broken := p.must(200, "PUT", path(t, one, ""), `{"name":"orphan","enabled":false}`); broken["name"] != "orphan" {
		t.Errorf("changed: %v", broken)
	}
	if why := p.must(200, "GET", path(t, one, ""), "")["broken"]; why == nil {
		t.Error("a trigger of a removed table is not broken")
	}
	for _, made := range []map[string]any{one, two} {
		p.must(204, "DELETE", path(t, made, ""), "")
	}
	if list := p.must(200, "GET", triggers, ""); at(t, list, "meta", "total_count") != 0.0 {
		t.Errorf("left: %v", list)
	}
}

// TestTenantsAreIsolated: triggers are invisible to other applications and other environments.
func TestTenantsAreIsolated(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	for _, rest := range everyPath(made) {
		method, target, _ := strings.Cut(rest, " ")
		if w := p.ask(method, target, "{}", "Authorization: Bearer bank"); w.Code != http.StatusNotFound {
			t.Errorf("the bank, %s: %d %s", rest, w.Code, w.Body)
		}
		if w := p.ask(method, target, "{}", "Authorization: Service-r1 shop"); w.Code != http.StatusUnauthorized {
			t.Errorf("another scheme, %s: %d", rest, w.Code)
		}
	}
	if list := p.must(200, "GET", triggers, "", "Authorization: Bearer bank"); at(t, list, "meta", "total_count") != 0.0 {
		t.Errorf("the bank lists %v", list)
	}
	p.must(400, "POST", triggers, bookAdd, "Authorization: Bearer bank") // the table belongs to the shop
	p.must(200, "GET", path(t, made, ""), "")
}

// TestRepeatedKeysWriteOnce: also if the response was never stored; the repetition gets the same response.
func TestRepeatedKeysWriteOnce(t *testing.T) {
	p := newPlatform(t)
	twice := func(method, target, body string, status int) map[string]any {
		t.Helper()
		key := "Idempotency-Key: " + method + target
		first := p.ask(method, target, body, key)
		p.forgetAnswers()
		second := p.ask(method, target, body, key)
		if first.Code != status || second.Code != status || first.Body.String() != second.Body.String() ||
			second.Header().Get("Idempotency-Replayed") != "" {
			t.Fatalf("%s %s: %d %s\nagain %d %s", method, target, first.Code, first.Body, second.Code, second.Body)
		}
		return decoded(t, second)
	}

	made := twice("POST", triggers, bookAdd, 201)
	if list := p.must(200, "GET", triggers, ""); at(t, list, "meta", "total_count") != 1.0 {
		t.Errorf("made twice: %v", list)
	}
	if key, _ := at(t, made, "actions", 0, "settings", "key").(string); len(key) != 32 {
		t.Errorf("the repetition says %v", made)
	}
	p.now = p.now.Add(time.Second) // otherwise ids of two keys in one millisecond could be equal
	changed := twice("PUT", path(t, made, ""), `{"actions":[`+hooked+`,`+hooked+`]}`, 200)
	if key, _ := at(t, changed, "actions", 1, "settings", "key").(string); len(key) != 32 {
		t.Errorf("the repetition says %v", changed)
	}
	stored, err := p.triggers.Trigger(t.Context(), shop, trigger.ID(made["id"].(float64)))
	if err != nil || stored.Revision != 2 || len(stored.Actions) != 2 {
		t.Errorf("stored %+v %v", stored, err)
	}
}

// TestPlansEnabledTimers: a timer has its next minute in the due list while it is enabled.
func TestPlansEnabledTimers(t *testing.T) {
	p := newPlatform(t)
	made := p.must(
		201, "POST", triggers,
		`{"name":"n","type":"timer","timezone":"UTC","condition":{"cron":"30 12 * * *"},"actions":[{"type":"email","settings":{"to":["a@example.com"],"subject":"s","body":"b"}}]}`,
	)
	due := func() []engine.Due {
		t.Helper()
		all, err := p.triggers.Due(t.Context(), noon.Add(24*time.Hour), 10)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := due(); len(all) != 1 || !all[0].At.Equal(noon.Add(30*time.Minute)) || all[0].Revision != 1 {
		t.Errorf("due %v", all)
	}
	p.must(200, "PUT", path(t, made, ""), `{"condition":{"cron":"0 14 * * *"}}`)
	if all := due(); len(all) != 2 || !all[1].At.Equal(noon.Add(2*time.Hour)) || all[1].Revision != 2 {
		t.Errorf("due %v", all)
	}
	p.must(200, "PUT", path(t, made, ""), `{"enabled":false}`)
	if all := due(); len(all) != 2 {
		t.Errorf("a disabled timer is planned: %v", all)
	}
}

// TestWarnsOfColumnsWithoutValues: saving a trigger warns if the table has rows and none has a value in the column.
func TestWarnsOfColumnsWithoutValues(t *testing.T) {
	p := newPlatform(t)
	body := `{"name":"long","type":"table","condition":{"table":"books","event":"update","rules":[{"field":"pages","operator":">","value":1}]},
		"actions":[` + hooked + `]}`
	add := func(row map[string]any) {
		for _, made := range p.service.Tables.Insert(t.Context(), shop, p.book, []map[string]any{row}, table.Author{}) {
			if made.Err != nil {
				t.Fatal(made.Err)
			}
		}
	}
	warned := func(answer map[string]any) bool {
		w := at(t, answer, "warnings").([]any)
		return len(w) == 1 && at(t, answer, "warnings", 0, "path") == "condition.rules[0].field"
	}

	made := p.must(201, "POST", triggers, body)
	if warned(made) {
		t.Errorf("without rows: %v", made["warnings"])
	}
	add(map[string]any{"title": "a"})
	if made = p.must(201, "POST", triggers, body); !warned(made) {
		t.Errorf("with a row without it: %v", made["warnings"])
	}
	one := fmt.Sprintf("%s%.0f/", triggers, made["id"])
	if renamed := p.must(200, "PUT", one, `{"name":"longer"}`); warned(renamed) {
		t.Errorf("what does not change is not looked at: %v", renamed["warnings"])
	}
	if changed := p.must(200, "PUT", one, body); !warned(changed) {
		t.Errorf("changed: %v", changed["warnings"])
	}
	add(map[string]any{"pages": 5})
	if made = p.must(201, "POST", triggers, body); warned(made) {
		t.Errorf("with a row that has it: %v", made["warnings"])
	}
}
