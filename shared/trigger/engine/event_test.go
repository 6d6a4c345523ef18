package engine_test

import (
	stdcmp "cmp"
	"encoding/json"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/job"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/hook"
	"minicloud/shared/trigger/run"
)

func asJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	var out map[string]any
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same2(t *testing.T, what string, got any, want string) {
	t.Helper()
	var expected map[string]any
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, asJSON(t, got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestSourcesMatchJobSources(t *testing.T) {
	for kind, source := range map[trigger.Type]job.Source{
		trigger.TypeTable: job.SourceFlexSchema, trigger.TypeChatPay: job.SourceChatPay,
		trigger.TypeAltPay: job.SourceAltPay,
		trigger.TypeTPay:   job.SourceTPay, trigger.TypeTimer: job.SourceTimer,
		trigger.TypeFileOperation:   job.SourceFileOperation,
		trigger.TypeIncomingWebhook: job.SourceIncomingWebhook, trigger.TypeChatMessage: job.SourceChatMessage,
	} {
		if kind.Definition().Source != string(source) {
			t.Errorf("%s: %s, want %s", kind, kind.Definition().Source, source)
		}
	}
}

var shelf = table.Table{ID: 12, Name: "books", Columns: []table.Column{
	column("title", value.String), column("out", value.Date), arrayOf("days", value.Date), column("place", value.Geojson),
	arrayOf("spots", value.Geojson), column("author", value.Pointer), column("cover", value.File),
	column("note", value.String),
}}

func TestMakesRowEvents(t *testing.T) {
	point := map[string]any{"type": "Point", "coordinates": []any{1.0, 2.0}}
	row := table.Row{
		ID: "0153c04a2d4042022c6dc14f", UpdatedAt: 1795268460, CreatedBy: 77, Revision: 2, Origin: table.Origin{Depth: 3},
		Perm: table.RowPerm{Read: []string{"user:*"}, Write: []string{"user:77"}},
		Fields: map[string]any{
			"title": "Emma", "out": "1815-12-23T08:00:00+08:00", "days": []any{"2026-11-21T12:00:00Z"}, "place": point,
			"spots":  []any{point},
			"author": map[string]any{"_table": "authors", "id": "ab"}, "cover": map[string]any{"id": "5b", "name": "e.png"},
		},
	}

	older := row
	older.Revision, older.Fields = 1, map[string]any{"title": "Emm"}

	created, _ := trigger.RowEvent(scope, "e", noon, shelf, nil, &row)
	updated, _ := trigger.RowEvent(scope, "e", noon, shelf, &older, &row)
	deleted, _ := trigger.RowEvent(scope, "e", noon, shelf, &row, nil)
	const record = `{"id":"0153c04a2d4042022c6dc14f","created_at":1795268441,"updated_at":1795268460,"created_by":77,
		"_read_perm":["user:*"],"_write_perm":["user:77"],"_version":2,"title":"Emma","out":"1815-12-23T08:00:00+08:00",
		"days":["2026-11-21T12:00:00Z"],"place":"{\"coordinates\":[1,2],\"type\":\"Point\"}","spots":["{\"coordinates\":[1,2],\"type\":\"Point\"}"],
		"author":{"_table":"authors","id":"ab"},"cover":{"id":"5b","name":"e.png"},"note":null}`
	for _, e := range []trigger.Event{created, updated, deleted} {
		got := asJSON(t, e.Payload)
		got["created_at"] = 1795268441.0 // the time in the row id
		same2(t, string(e.Kind), got, record)
		if e.Depth != 3 || e.Subject != string(row.ID) || e.Key != "12#0153c04a2d4042022c6dc14f" || e.TableName != "books" {
			t.Errorf("%+v", e)
		}
	}

	if created.Kind != "on_create" || updated.Kind != "on_update" || deleted.Kind != "on_delete" {
		t.Errorf("kinds %s %s %s", created.Kind, updated.Kind, deleted.Kind)
	}
	if created.Before != nil || deleted.After != nil || updated.Before["title"] != "Emm" ||
		updated.Before["place"] != nil {
		t.Errorf("sides %v %v %v", created.Before, deleted.After, updated.Before)
	}

	stored, err := json.Marshal(updated) // the table may be removed before the webhook is sent
	var loaded trigger.Event
	if err == nil {
		err = json.Unmarshal(stored, &loaded)
	}
	if err != nil {
		t.Fatal(err)
	}
	claims := loaded.Claims()
	if claims["out"] != time.Date(1815, 12, 23, 0, 0, 0, 0, time.UTC).Unix() ||
		claims["days"].([]any)[0] != noon.Unix() || claims["title"] != "Emma" {
		t.Errorf("claims %v", claims)
	}

	if loaded.Payload["out"] != "1815-12-23T08:00:00+08:00" {
		t.Error("the claims changed the payload")
	}

	quiet := row
	quiet.Origin.Quiet = true
	if _, ok := trigger.RowEvent(scope, "e", noon, shelf, nil, &quiet); ok {
		t.Error("a quiet write is an event")
	}
}

func TestMakesPaymentEvents(t *testing.T) {
	order := map[string]any{
		"id": json.Number("2001"), "miniapp": 7.0, "gateway_type": "chatpay_js", "currency_type": "CNY", "trade_no": "T1",
		"transaction_no": "X1",
		"status":         "success", "merchandise_schema_id": 12.0, "merchandise_record_id": "ab",
		"merchandise_description": "a book",
		"merchandise_snapshot":    map[string]any{"a": 1.0}, "total_cost": 9.5, "ip_address": "192.0.2.1", "paid_at": 5.0,
		"created_by": 77.0,
		"created_at": 1.0, "updated_at": 5.0, "gateway_extra_info": map[string]any{}, "env": "x",
	}

	e, ok := trigger.PaymentEvent(scope, "e", noon, order)
	if !ok || e.Type != trigger.TypeChatPay || e.Kind != "on_payment" || e.Subject != "T1" {
		t.Fatalf("%+v", e)
	}
	same2(t, "payload", e.Payload, `{"id":2001,"miniapp":7,"gateway_type":"chatpay_js","currency_type":"CNY","trade_no":"T1","transaction_no":"X1",
		"status":"success","refund_status":null,"merchandise_schema_id":12,"merchandise_record_id":"ab","merchandise_description":"a book",
		"merchandise_snapshot":{"a":1},"total_cost":9.5,"ip_address":"192.0.2.1","paid_at":5,"created_by":77,"created_at":1,"updated_at":5}`)
	same2(t, "claims", e.Claims(), `{"trade_no":"T1","transaction_no":"X1","merchandise_description":"a book","merchandise_snapshot":{"a":1},
		"merchandise_schema_id":12,"merchandise_record_id":"ab","status":"success","refund_status":null,"ip_address":"192.0.2.1",
		"created_by_id":77,"paid_at":5}`)

	for gateway, want := range map[string]trigger.Type{
		"chatpay": "chat_pay", "chatpay_wap": "chat_pay", "chatpay_native": "chat_pay", "chatpay_app": "chat_pay",
		"altpay": "alt_pay", "altpay_wap": "alt_pay", "altpay_page": "alt_pay", "altpay_app": "alt_pay",
		"tpay": "tpay", "tpay_native": "tpay", "cash": "",
	} {
		if got, ok := trigger.TypeOfGateway(gateway); got != want || ok != (want != "") {
			t.Errorf("%s: %s", gateway, got)
		}
	}

	order["status"] = "pending"
	if _, ok := trigger.PaymentEvent(scope, "e", noon, order); ok {
		t.Error("an order that waits is an event")
	}
}

// TestMakesFileEvents checks file events against the contract's table.
func TestMakesFileEvents(t *testing.T) {
	file := map[string]any{
		"id": "f1", "name": "a.png", "status": "success", "categories": []any{}, "size": 9.0, "media_type": "image",
		"mime_type": "image/png",
		"reference": "", "cdn_path": "a.png", "path": "https://x/a.png", "created_at": 1.0, "updated_at": 2.0,
		"created_by": 77.0,
	}

	for _, row := range []struct {
		operation, result, status string
		null                      bool
	}{
		{"upload", "success", "success", false},
		{"upload", "fail", "pending", true},
		{"image_check", "success", "success", false},
		{"image_check", "fail", "success", false},
		{"delete", "success", "running", false},
	} {
		e, err := trigger.FileEvent(
			scope, "e", noon, map[string]any{"operation": row.operation, "result": row.result, "file": file},
		)
		if err != nil || e.Payload["status"] != row.status || e.Kind != "on_file" || len(e.Payload) != 13 {
			t.Errorf("%s %s: %v %v", row.operation, row.result, e.Payload, err)
		}
		for _, name := range []string{"mime_type", "media_type", "size"} {
			if (e.Payload[name] == nil) != row.null {
				t.Errorf("%s %s: %s is %v", row.operation, row.result, name, e.Payload[name])
			}
		}
		for _, operation := range []trigger.FileOperation{"upload", "delete", "image_check"} {
			for _, result := range []string{"success", "fail"} {
				m, _ := engine.NewMatcher(
					trigger.Trigger{
						Type: trigger.TypeFileOperation, Condition: &trigger.FileCondition{Operation: operation, Result: result},
					},
					nil,
				)
				if want := row.operation == string(operation) && row.result == result; m.Holds(e) != want || m.Trigger.IndexKey() != e.IndexKey() {
					t.Errorf("%s %s held for %s %s", operation, result, row.operation, row.result)
				}
			}
		}
	}

	for _, detail := range []map[string]any{
		{"operation": "delete", "result": "fail", "file": file}, {"operation": "rename", "result": "success", "file": file},
		{"operation": "upload", "result": "success"}, {"operation": "upload", "result": "success", "file": map[string]any{}},
	} {
		if _, err := trigger.FileEvent(scope, "e", noon, detail); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%v: %v", detail, err)
		}
	}
}

func TestMakesHookEvents(t *testing.T) {
	headers := map[string]string{
		"Host": "x.example.com", "X-Service-Order-No": "5", "x_service_b": "6", "Authorization": "secret",
		"Content-Length": "2",
	}
	names := []string{"Host", "X-Service-Order-No", "x_service_b", "Authorization", "Content-Length"}
	call := trigger.HookCall{
		ID: "c1", Hook: "a1B2c3D4e5", Method: "PUT", RemoteAddress: "192.0.2.9", At: noon,
		Headers: hook.Headers(names, func(name string) string { return headers[name] }),
		Payload: map[string]any{"n": json.Number("5")},
	}
	e := trigger.HookEvent(scope, call)
	same2(t, "payload", e.Payload, `{"_id":"c1","meta":{"headers":{"HOST":"x.example.com","CONTENT_LENGTH":"2","CONTENT_TYPE":"","USER_AGENT":"",
		"X_SERVICE_ORDER_NO":"5","X_SERVICE_B":"6"},"remote_address":"192.0.2.9","request_method":"PUT"},"payload":{"n":5}}`)
	call.Payload = nil
	same2(t, "no body", trigger.HookEvent(scope, call).Payload["payload"], `{}`)

	mine := trigger.Trigger{Type: trigger.TypeIncomingWebhook, HookID: "a1B2c3D4e5", Condition: &trigger.HookCondition{}}
	other := mine
	other.HookID = "zzzzzzzzzz"
	if mine.IndexKey() != e.IndexKey() || other.IndexKey() == e.IndexKey() {
		t.Errorf("%s %s %s", e.IndexKey(), mine.IndexKey(), other.IndexKey())
	}
}

func TestMakesChatMessageEvents(t *testing.T) {
	e := trigger.MessageEvent(scope, "bus1", noon, map[string]any{
		"miniapp": 7.0, "env": "production", "_AppId": "wx1", "MsgType": "text", "MsgId": json.Number("7000000000000001"),
		"FromUserName": "ada", "Urgent": true,
	})
	same2(
		t, "payload", e.Payload,
		`{"_AppId":"wx1","MsgType":"text","MsgId":7000000000000001,"FromUserName":"ada","Urgent":true}`,
	)
	if e.Subject != "7000000000000001" || e.Key != "chat#ada" || e.Kind != "on_chat_message" {
		t.Errorf("%+v", e)
	}
	rule := func(field, text string) trigger.Rule { return trigger.Rule{Field: field, Value: text} }

	for _, row := range []struct {
		c    trigger.MessageCondition
		held bool
	}{
		{trigger.MessageCondition{}, true},
		{trigger.MessageCondition{AppID: "wx1"}, true},
		{trigger.MessageCondition{AppID: "wx2"}, false},
		{
			trigger.MessageCondition{
				Match: "all",
				Rules: []trigger.Rule{rule("MsgType", "text"), rule("Urgent", "true"), rule("MsgId", "7000000000000001")},
			},
			true,
		},
		{
			trigger.MessageCondition{Match: "all", Rules: []trigger.Rule{rule("MsgType", "text"), rule("Event", "scan")}},
			false,
		},
		{
			trigger.MessageCondition{Match: "any", Rules: []trigger.Rule{rule("MsgType", "text"), rule("Event", "scan")}}, true,
		},
		{trigger.MessageCondition{AppID: "wx2", Match: "any", Rules: []trigger.Rule{rule("MsgType", "text")}}, false},
		{trigger.MessageCondition{AppID: "wx1", Match: "any", Rules: []trigger.Rule{rule("MsgType", "image")}}, false},
		{trigger.MessageCondition{AppID: "wx1", Match: "any"}, true},
	} {
		m, err := engine.NewMatcher(trigger.Trigger{Type: trigger.TypeChatMessage, Condition: &row.c}, nil)
		if err != nil || m.Holds(e) != row.held || m.Evaluate(e).Held != row.held {
			t.Errorf("%+v: %+v, want %v", row.c, m.Evaluate(e), row.held)
		}
	}
}

func TestTimerEventIsOfItsMinute(t *testing.T) {
	e := trigger.TimerEvent(scope, 5, noon.Add(59*time.Second).In(time.FixedZone("", 8*3600)))
	if again := trigger.TimerEvent(scope, 5, noon); again.ID != e.ID || e.ID != "timer#5#2026-11-21T12:00Z" {
		t.Errorf("%s, %s", e.ID, again.ID)
	}
	if next := trigger.TimerEvent(scope, 5, noon.Add(time.Minute)); next.ID == e.ID {
		t.Error("two minutes have one event")
	}
	if len(e.Payload) != 0 || e.Payload == nil {
		t.Errorf("event.data of a timer is empty: %v", e.Payload)
	}
}

func TestPaymentConditionsHold(t *testing.T) {
	e, _ := trigger.PaymentEvent(
		scope, "e", noon, map[string]any{"gateway_type": "tpay", "status": "success", "trade_no": "T"},
	)
	for _, c := range []trigger.PaymentCondition{{}, {Result: "success"}} {
		m, _ := engine.NewMatcher(trigger.Trigger{Type: trigger.TypeTPay, Condition: &c}, nil)
		if !m.Holds(e) || m.Trigger.IndexKey() != e.IndexKey() {
			t.Errorf("%+v does not hold", c)
		}
	}
	m, _ := engine.NewMatcher(trigger.Trigger{Type: trigger.TypeChatPay, Condition: &trigger.PaymentCondition{}}, nil)
	if m.Trigger.IndexKey() == e.IndexKey() {
		t.Error("a chat payment trigger hears tpay")
	}
}

func TestRunIDsAreDistinct(t *testing.T) {
	id := run.IDOf(scope, 1, "e", 2)
	if id != run.IDOf(scope, 1, "e", 2) ||
		!regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("%s", id)
	}
	other := tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	for _, different := range []string{
		run.IDOf(other, 1, "e", 2), run.IDOf(scope, 2, "e", 2), run.IDOf(scope, 1, "f", 2),
		run.IDOf(scope, 1, "e", 3),
	} {
		if different == id {
			t.Error("two runs have one id")
		}
	}
}

// TestSamplesMatchTheirTrigger checks that a sample without a payload matches every trigger without rules.
func TestSamplesMatchTheirTrigger(t *testing.T) {
	for _, saved := range []trigger.Trigger{
		{Type: trigger.TypeTable, Condition: &trigger.TableCondition{Table: "12", Event: "create"}},
		{
			Type: trigger.TypeTable,
			Condition: &trigger.TableCondition{
				Table: "12", Event: "update", Rules: []trigger.Rule{{Field: "title", Operator: "changed"}},
			},
		},
		{Type: trigger.TypeTable, Condition: &trigger.TableCondition{Table: "12", Event: "delete"}},
		{Type: trigger.TypeChatPay, Condition: &trigger.PaymentCondition{Result: "success"}},
		{Type: trigger.TypeAltPay, Condition: &trigger.PaymentCondition{}},
		{Type: trigger.TypeTPay, Condition: &trigger.PaymentCondition{}},
		{Type: trigger.TypeTimer, ID: 4, Condition: &trigger.TimerCondition{}},
		{Type: trigger.TypeFileOperation, Condition: &trigger.FileCondition{Operation: "upload", Result: "fail"}},
		{Type: trigger.TypeIncomingWebhook, HookID: "h", Condition: &trigger.HookCondition{}},
		{Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{}},
	} {
		saved.Tables = map[string]table.ID{"12": 12}
		e := trigger.SampleEvent(scope, "test#1", noon, saved, &shelf, nil)
		m, err := engine.NewMatcher(saved, &shelf)
		if err != nil || m.Trigger.IndexKey() != e.IndexKey() || !m.Holds(e) || e.ID != "test#1" || e.Subject == "" || e.Payload == nil {
			t.Errorf("%s: %v %+v", saved.Type, err, e)
		}
		if saved.Type != trigger.TypeTable {
			continue
		}
		event := saved.Condition.(*trigger.TableCondition).Event
		if e.Key != "12#"+e.Subject || e.TableName != "books" || !slices.Contains(e.Dates, "out") ||
			(e.Before == nil) != (event == trigger.Create) || (e.After == nil) != (event == trigger.Delete) {
			t.Errorf("%s: %+v", event, e)
		}
	}
}

func TestSamplesTakeGivenValues(t *testing.T) {
	update := trigger.Trigger{
		Type: trigger.TypeTable, Tables: map[string]table.ID{"12": 12},
		Condition: &trigger.TableCondition{Table: "12", Event: "update"},
	}
	e := trigger.SampleEvent(
		scope, "e", noon, update, &shelf,
		map[string]any{"before": map[string]any{"title": "a"}, "after": map[string]any{"title": "b", "id": "r1"}},
	)
	if e.Before["title"] != "a" || e.After["title"] != "b" || e.Payload["note"] != nil || e.Subject != "r1" {
		t.Errorf("%+v", e)
	}
	if e = trigger.SampleEvent(scope, "e", noon, update, nil, nil); e.TableName != "" || e.Table != 12 {
		t.Errorf("of a table that is gone: %+v", e)
	}
	upload := trigger.Trigger{
		Type: trigger.TypeFileOperation, Condition: &trigger.FileCondition{Operation: trigger.FileDelete, Result: "fail"},
	}

	for given, want := range map[any]string{"f1": "f1", "": "5f3e5f3e5f3e5f3e5f3e5f3e", 7.0: "5f3e5f3e5f3e5f3e5f3e5f3e"} {
		if e = trigger.SampleEvent(scope, "e", noon, upload, nil, map[string]any{"id": given}); e.Subject != want {
			t.Errorf("file %v: %+v", given, e)
		}
	}

	e = trigger.SampleEvent(scope, "e", noon, update, &shelf, map[string]any{"title": "b"})
	if e.After["title"] != "b" || e.Before["title"] != "b" {
		t.Errorf("%+v", e)
	}
	hook := trigger.Trigger{Type: trigger.TypeIncomingWebhook, HookID: "h", Condition: &trigger.HookCondition{}}
	e = trigger.SampleEvent(scope, "e", noon, hook, nil, map[string]any{"user": "u"})
	same2(t, "body", e.Payload["payload"], `{"user":"u"}`)
	e = trigger.SampleEvent(
		scope, "e", noon, hook, nil,
		map[string]any{"meta": map[string]any{"request_method": "GET"}, "payload": map[string]any{"x": 1.0}},
	)
	same2(t, "payload", e.Payload["payload"], `{"x":1}`)
	if e.Payload["meta"].(map[string]any)["request_method"] != "GET" {
		t.Errorf("%v", e.Payload)
	}
	pay := trigger.Trigger{Type: trigger.TypeAltPay, Condition: &trigger.PaymentCondition{}}
	e = trigger.SampleEvent(
		scope, "e", noon, pay, nil, map[string]any{"total_cost": 5.0, "status": "pending", "gateway_type": "chatpay"},
	)
	if e.Type != trigger.TypeAltPay || e.Payload["total_cost"] != 5.0 || e.Payload["status"] != "success" {
		t.Errorf("%v", e.Payload)
	}
}

func TestRefusesUnknownEvents(t *testing.T) {
	if _, ok := trigger.PaymentEvent(scope, "e", noon, map[string]any{"gateway_type": "cash", "status": "success"}); ok {
		t.Error("an order of a gateway that nobody knows is an event")
	}
	_, err := trigger.FileEvent(scope, "e", noon, map[string]any{
		"operation": "upload", "result": "success", "file": map[string]any{"id": ""},
	})
	if !errs.Is(err, errs.KindInvalid) {
		t.Errorf("a file without an id: %v", err)
	}
	e := trigger.MessageEvent(scope, "e", noon, map[string]any{"MsgId": "", "id": "m"})
	if e.Subject != "m" {
		t.Errorf("an empty id is one: %+v", e)
	}
}

// TestMatcherMakesRunsWithFlow checks that runs get the flow controls and the key of their action, and continue the
// trace of the event.
func TestMatcherMakesRunsWithFlow(t *testing.T) {
	throttled := trigger.Action{ID: 2, Flow: trigger.Flow{Throttle: &trigger.Throttle{Count: 1, PeriodSeconds: 9}}}
	ordered := trigger.Action{ID: 3, Flow: trigger.Flow{Ordered: true, Key: "{{ Content }}"}}
	plain := trigger.Action{ID: 4, Flow: trigger.Flow{Key: "{{"}}
	m, err := engine.NewMatcher(trigger.Trigger{
		ID: 1, Type: trigger.TypeChatMessage, Timezone: trigger.DefaultTimezone, Condition: &trigger.MessageCondition{},
		Actions: []trigger.Action{throttled, ordered, plain},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := trigger.MessageEvent(scope, "e", noon, map[string]any{"Content": "hi"})

	for _, c := range []struct {
		action trigger.Action
		want   *run.Flow
		trace  string
	}{
		{throttled, &run.Flow{Flow: throttled.Flow}, ""},
		{ordered, &run.Flow{Flow: ordered.Flow, Key: "=hi"}, "before"},
		{plain, nil, "before"},
	} {
		e.Trace = c.trace
		r := m.NewRun(c.action, e)
		if diff := cmp.Diff(c.want, r.Flow); diff != "" || r.Event.Trace != stdcmp.Or(c.trace, "e") {
			t.Errorf("action %d, trace %q: %s", c.action.ID, r.Event.Trace, diff)
		}
	}

	r := run.Run{CreatedAt: noon, Status: run.Pending, Flow: &run.Flow{Flow: throttled.Flow}}
	for i, begins := range []time.Time{{}, noon.Add(9 * time.Second)} {
		step := run.FlowState{Window: map[bool]*run.FlowWindow{true: {
			Begin: noon.UnixMilli(), End: noon.Add(9 * time.Second).UnixMilli(), Runs: 1,
		}}[i == 1]}.Enter(r, noon)
		if f := step.Run.Flow; f.Gate != run.GateThrottle || f.Place != 0 || !step.Run.NextAttempt.Equal(begins) {
			t.Errorf("%d: %+v, %v", i, f, step.Run.NextAttempt)
		}
	}
}
