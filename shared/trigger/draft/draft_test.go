package draft_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/message/messaging"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
)

var (
	scope = tenant.Scope{App: 7, Env: tenant.Production}
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

func column(name string, t value.Type) table.Column {
	return table.Column{Column: value.Column{Name: name, Type: t}, Key: name}
}

func required(c table.Column) table.Column { c.Required = true; return c }

func arrayOf(name string, items value.Type) table.Column {
	c := column(name, value.Array)
	c.Items = items
	return c
}

// world is a fake draft.Names: an environment with some tables and one thing of each kind.
type world struct{ failing bool }

var tables = []table.Table{
	{ID: 12, Name: "books", Columns: []table.Column{
		required(column("title", value.String)), column("pages", value.Integer), column("price", value.Number),
		column("sold", value.Boolean),
		column("out", value.Date), arrayOf("tags", value.String), column("extra", value.Object), column("cover", value.File),
		column("author", value.Pointer), column("place", value.Geojson),
	}},
	{ID: 13, Name: "audit", Columns: []table.Column{column("note", value.String), column("count", value.Integer)}},
	{
		ID: table.UserProfiles, Name: table.UserProfilesName,
		Columns: []table.Column{column("nickname", value.String), column("level", value.Integer)},
	},
}

func (w world) Table(_ context.Context, _ tenant.Scope, ref string) (table.Table, error) {
	if w.failing {
		return table.Table{}, errors.New("the store is down")
	}
	i := slices.IndexFunc(tables, func(t table.Table) bool { return t.Name == ref || t.ID.String() == ref })
	if i < 0 {
		return table.Table{}, errs.NotFound("table %q not found", ref)
	}
	return tables[i], nil
}

// Newest returns rows of audit, which have only notes. The table books has no rows.
func (w world) Newest(_ context.Context, _ tenant.Scope, in table.Table) ([]table.Row, error) {
	if in.Name != "audit" {
		return nil, nil
	}
	return []table.Row{{Fields: map[string]any{}}, {Fields: map[string]any{"note": "x"}}}, nil
}

func (w world) HasFunction(_ context.Context, _ tenant.Scope, name string) (bool, error) {
	return name == "hello", nil
}

func (w world) HasGroup(_ context.Context, _ tenant.Scope, id int64) (bool, error) {
	return id == 5, nil
}

func (w world) SMS(context.Context, tenant.Scope) (messaging.SMS, error) {
	return messaging.SMS{
		Signatures: []messaging.Signature{{Name: "shop"}}, Templates: []messaging.Template{{Name: "welcome"}},
	}, nil
}

func checker(w world) *draft.Checker { return &draft.Checker{Names: w} }

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := value.Decode("body", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.(map[string]any)
}

func check(t *testing.T, d draft.Draft) draft.Report {
	t.Helper()
	d.Now, d.By = noon, 70
	report, err := checker(world{}).Check(t.Context(), scope, d)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// right has a valid action of each type.
var right = map[trigger.ActionType]string{
	trigger.Email: `{"type":"email","frequency":{"mode":"repeatable"},"flow":{},
		"settings":{"to":["ada@example.com"],"subject":"s","body":"b","format":"html"}}`,
	trigger.TemplateMessage: `{"type":"template_message","frequency":{"mode":"once"},"flow":{"key":"k","ordered":true},
		"settings":{"vendor":"chat","recipient":{"kind":"group","group":5},"template_id":"tpl","keywords":{"keyword1":"x"},
		"page":"pages/index","form_id_source":"form","pace":{"count":2000,"minutes":5}}}`,
	trigger.Webhook: `{"type":"webhook","frequency":{"mode":"intermittent","interval_seconds":60},
		"flow":{"debounce_seconds":5,"batch":{"size":2,"seconds":1},"throttle":{"count":1,"period_seconds":60}},
		"settings":{"url":"https://example.com:8443/x?y=1","key_overlap_days":7,"rate_per_second":100}}`,
	trigger.TableOperation: `{"type":"table_operation","frequency":{"mode":"repeatable"},"flow":{},
		"settings":{"table":13,"operation":"update","where":{"count":{"$gt":1}},"assign":[{"field":"count","operator":"inc_by","value":2}]}}`,
	trigger.CloudFunction: `{"type":"cloud_function","frequency":{"mode":"repeatable"},"flow":{"batch":{"size":1000,"seconds":3600}},
		"settings":{"function":"hello"}}`,
	trigger.SMS: `{"type":"sms","frequency":{"mode":"repeatable"},"flow":{},
		"settings":{"recipient":{"kind":"phone","phone":"+8613800000000"},"signature":"shop","template":"welcome","keywords":{"code":"1"}}}`,
}

var conditions = map[trigger.Type]string{
	trigger.TypeTable: `{"table":"books","event":"update","match":"any","rules":[{"field":"before.price","operator":"range","value":[null,9.5]},
		{"field":"out","operator":">","value":{"ago_seconds":60}},{"field":"title","operator":"changed"},{"field":"sold","operator":"isempty","value":false}]}`,
	trigger.TypeChatPay: `{"result":"success"}`, trigger.TypeAltPay: `{}`, trigger.TypeTPay: `{"result":"success"}`,
	trigger.TypeTimer:           `{"cron":"0 * * * *","missed":"all"}`,
	trigger.TypeFileOperation:   `{"operation":"image_check","result":"fail"}`,
	trigger.TypeIncomingWebhook: `{}`,
	trigger.TypeChatMessage:     `{"app_id":"wx1","match":"any","rules":[{"field":"MsgType","value":"text"}]}`,
}

// TestDraftRoundTrips saves every type with every allowed action: it reads back as it was sent, and is stored and
// loaded without loss.
func TestDraftRoundTrips(t *testing.T) {
	for _, kind := range trigger.Types {
		var actions []string
		for _, action := range trigger.ActionTypes {
			if trigger.Allowed(kind, action) {
				actions = append(actions, right[action])
			}
		}
		sent := `{"name":"n","description":"d","enabled":false,"type":"` + string(kind) + `","timezone":"Europe/Paris","trace":true,
			"condition":` + conditions[kind] + `,"actions":[` + strings.Join(actions, ",") + `]}`
		report := check(t, draft.Draft{Given: decoded(t, sent), ID: 99})
		if !report.Valid || len(report.Warnings) > 0 {
			t.Errorf("%s: %v %v", kind, report.Errors, report.Warnings)
			continue
		}

		text, err := json.Marshal(report.Trigger.View(noon, "https://x"))
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		_ = json.Unmarshal(text, &got)
		_ = json.Unmarshal([]byte(sent), &want)
		for _, action := range got["actions"].([]any) {
			if action.(map[string]any)["id"] != 0.0 { // assigned by the service
				t.Errorf("%s: action id %v", kind, action)
			}
			delete(action.(map[string]any), "id")
		}
		want["id"], want["broken"], want["created_at"], want["updated_at"], want["created_by"] = 99.0, nil, 1795262400.0, 1795262400.0, 70.0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: read otherwise than it was sent (-sent +read):\n%s", kind, diff)
		}

		stored, err := json.Marshal(report.Trigger)
		var loaded trigger.Trigger
		if err == nil {
			err = json.Unmarshal(stored, &loaded)
		}
		if diff := cmp.Diff(report.Trigger, loaded); err != nil || diff != "" {
			t.Errorf("%s: stored and loaded: %v %s", kind, err, diff)
		}
	}
}

func TestFillsDefaults(t *testing.T) {
	report := check(t, draft.Draft{Given: decoded(t, `{"name":"n","type":"timer","condition":{"cron":"0 * * * *"},
		"actions":[{"type":"email","settings":{"to":["ada@example.com"],"subject":"s","body":"b"}}]}`)})
	got := report.Trigger
	if !report.Valid || !got.Enabled || got.Timezone != "Asia/Shanghai" ||
		got.Condition.(*trigger.TimerCondition).Missed != trigger.MissedOnce {
		t.Errorf("%+v", got)
	}
	if !got.Traces(noon.Add(23*time.Hour)) || got.Traces(noon.Add(24*time.Hour)) {
		t.Error("a new trigger keeps its evaluations for a day")
	}
	if action := got.Actions[0]; action.Frequency.Mode != trigger.Repeatable ||
		action.Settings.(*trigger.EmailSettings).Format != "text" {
		t.Errorf("%+v", action)
	}
	if len(report.Next) != 5 || report.Next[0].Format(time.RFC3339) != "2026-11-21T21:00:00+08:00" {
		t.Errorf("next %v", report.Next)
	}
}

// TestAcceptsTriggerAsRead sends a trigger back as it was read: read-only members are ignored.
func TestAcceptsTriggerAsRead(t *testing.T) {
	first := check(
		t,
		draft.Draft{
			ID: 99, Given: decoded(t, `{"name":"n","type":"incoming_webhook","actions":[`+right[trigger.Webhook]+`]}`),
		},
	)
	old := first.Trigger
	old.HookID, old.Actions[0].ID = "a1B2c3D4e5", 500
	text, _ := json.Marshal(old.View(noon, "https://x"))
	again := check(t, draft.Draft{Old: &old, Given: decoded(t, string(text))})
	if diff := cmp.Diff(old, again.Trigger); !again.Valid || diff != "" {
		t.Errorf("%v %s", again.Errors, diff)
	}
	if !strings.Contains(string(text), `"hook_url":"https://x/oserve/v1/incoming-webhook/a1B2c3D4e5/"`) {
		t.Errorf("%s", text)
	}
}

func TestChangesTrigger(t *testing.T) {
	made := check(t, draft.Draft{ID: 99, Given: decoded(t, `{"name":"n","type":"table","condition":`+conditions[trigger.TypeTable]+`,
		"actions":[`+right[trigger.Email]+`,`+right[trigger.Webhook]+`]}`)})
	old := made.Trigger
	old.Actions[0].ID, old.Actions[1].ID = 1, 2

	next := check(t, draft.Draft{Old: &old, Given: decoded(t, `{"enabled":false,
		"actions":[{"id":2,"frequency":{"mode":"once"}},`+right[trigger.CloudFunction]+`]}`)})
	got := next.Trigger
	if !next.Valid || got.Enabled || got.Name != "n" || len(got.Actions) != 2 || got.Condition != old.Condition {
		t.Fatalf("%v %+v", next.Errors, got)
	}
	if a := got.Actions[0]; a.ID != 2 || a.Frequency.Mode != trigger.Once || a.Flow.Batch == nil || a.Settings == nil {
		t.Errorf("kept action %+v", a)
	}
	if a := got.Actions[1]; a.ID != 0 || a.Type != trigger.CloudFunction {
		t.Errorf("new action %+v", a)
	}
	if old.Actions[0].Type != trigger.Email || old.Actions[1].Frequency.Mode != trigger.Intermittent {
		t.Error("the old trigger was changed")
	}

	for _, row := range []struct{ body, problem string }{
		{`{"type":"timer"}`, `type: cannot change: it is "table"`},
		{`{"id":98}`, `id: cannot change: it is 99`},
		{`{"name":""}`, `name: must have 1 to 64 characters`},
		{`{"actions":[]}`, `actions: must be a list of 1 to 10`},
		{`{"actions":[{"id":7}]}`, `actions[0].id: there is no action 7 in this trigger`},
		{`{"actions":[{"id":2},{"id":2}]}`, `actions[1].id: is given twice`},
		{`{"actions":[{"id":1,"type":"sms","flow":{},"settings":{}}]}`, `actions[0].type: cannot change: it is "email"`},
	} {
		report := check(t, draft.Draft{Old: &old, Given: decoded(t, row.body)})
		if len(report.Errors) != 1 || !strings.HasPrefix(report.Errors[0].String(), row.problem) {
			t.Errorf("%s: %v, want %s", row.body, report.Errors, row.problem)
		}
	}
}

// TestFollowsRenamedTable renames the table of a trigger: the trigger keeps the table's id. A name that the caller
// writes again means the table that has the name today.
func TestFollowsRenamedTable(t *testing.T) {
	old := check(t, draft.Draft{ID: 99, Given: decoded(t, `{"name":"n","type":"table","condition":{"table":"audit","event":"create"},
		"actions":[`+right[trigger.Email]+`]}`)}).Trigger
	tables[1].Name = "journal"
	defer func() { tables[1].Name = "audit" }()
	for _, body := range []string{
		`{}`, `{"condition":{"table":"audit","event":"delete"}}`, `{"condition":{"table":"journal","event":"create"}}`,
	} {
		report := check(t, draft.Draft{Old: &old, Given: decoded(t, body)})
		ref := report.Trigger.Condition.(*trigger.TableCondition).Table
		if !report.Valid || report.Trigger.TableID(ref) != 13 {
			t.Errorf("%s: %v, %v", body, report.Errors, report.Trigger.Tables)
		}
	}
}

func TestLookupErrorsAreNotInvalid(t *testing.T) {
	_, err := checker(world{failing: true}).Check(t.Context(), scope, draft.Draft{Given: decoded(t, `{"name":"n","type":"table",
		"condition":{"table":"books","event":"create"},"actions":[`+right[trigger.Email]+`]}`), Now: noon})
	if err == nil || errs.Is(err, errs.KindInvalid) {
		t.Errorf("the caller is blamed for a store that is down: %v", err)
	}
}

func TestWarnsOfLoops(t *testing.T) {
	report := check(t, draft.Draft{ID: 99, Given: decoded(t, `{"name":"echo","type":"table","condition":{"table":"audit","event":"create"},
		"actions":[{"type":"table_operation","settings":{"table":13,"operation":"create","assign":[{"field":"note","value":"x"}]}}]}`)})
	if !report.Valid || len(report.Warnings) != 1 || report.Warnings[0].Path != "actions" ||
		!strings.Contains(report.Warnings[0].Message, `"echo" (99) → "echo" (99)`) {
		t.Errorf("%v %v", report.Errors, report.Warnings)
	}
}
