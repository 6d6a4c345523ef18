package trigger

import (
	"maps"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// sampleID is the id of sample rows and files.
const sampleID = "5f3e5f3e5f3e5f3e5f3e5f3e"

// sampleUser is who made them.
const sampleUser = 1001

// SampleEvent returns an event for a test-fire: what the caller gave as payload,
// realistic values where it gave nothing. in is the table of a table trigger.
//
//	table             a record, or {"before": record, "after": record}
//	payments          an order
//	file_operation    a file record
//	incoming_webhook  the body of a call, or a whole record with meta and payload
//	chat_message      a message
func SampleEvent(scope tenant.Scope, id string, at time.Time, t Trigger, in *table.Table, given map[string]any) Event {
	if given != nil { // nil asks for samples
		given = Plain(given).(map[string]any)
	}

	switch t.Type {
	case TypeTable:
		return sampleRow(scope, id, at, t, in, given)
	case TypeChatPay, TypeAltPay, TypeTPay:
		return samplePayment(scope, id, at, t.Type, given)
	case TypeFileOperation:
		return sampleFile(scope, id, at, t, given)
	case TypeIncomingWebhook:
		return sampleCall(scope, id, at, t, given)
	case TypeChatMessage:
		return MessageEvent(scope, id, at, overlaid(map[string]any{
			AppIDField: "wx0123456789abcdef", "ToUserName": "gh_0123456789ab", "FromUserName": "oDemo0123456789",
			"CreateTime": float64(at.Unix()), "MsgType": "text", "Content": "sample", "MsgId": "7000000000000000001",
		}, given))
	}

	e := TimerEvent(scope, t.ID, at)
	e.ID = id
	return e
}

// overlaid returns base with the given members.
func overlaid(base, given map[string]any) map[string]any {
	maps.Copy(base, given)
	return base
}

func sampleRow(scope tenant.Scope, id string, at time.Time, t Trigger, in *table.Table, given map[string]any) Event {
	c := t.Condition.(*TableCondition)
	e := Event{
		ID: id, Scope: scope, Type: TypeTable, Kind: KindOf[c.Event], At: at, Subject: sampleID, Table: t.TableID(c.Table),
	}
	if in == nil {
		in = &table.Table{ID: e.Table}
	}
	e.TableName, e.Dates = in.Name, dateColumns(*in)

	before, after := given, given
	if oldRow, ok := given["before"].(map[string]any); ok {
		before = oldRow
	}
	if newRow, ok := given["after"].(map[string]any); ok {
		after = newRow
	}
	if c.Event != Create {
		e.Before = sampleRecord(*in, at, 1, before)
	}
	if c.Event != Delete {
		e.After = sampleRecord(*in, at, 2, after)
	}

	e.Payload = e.After
	if e.Payload == nil {
		e.Payload = e.Before
	}
	if text, ok := e.Payload["id"].(string); ok {
		e.Subject = text
	}
	e.Key = e.Table.String() + "#" + e.Subject
	return e
}

// sampleRecord returns a row as payloads carry it: with the given values, or a
// sample in every column.
func sampleRecord(in table.Table, at time.Time, version int, given map[string]any) map[string]any {
	record := map[string]any{
		"id": sampleID, "created_at": float64(at.Unix()), "updated_at": float64(at.Unix()),
		"created_by": float64(sampleUser), "_read_perm": []any{"user:*"}, "_write_perm": []any{"user:*"},
		VersionField: float64(version),
	}
	for _, c := range in.Columns {
		v := given[c.Name]
		if given == nil {
			v = varied(c.Column, version)
		}
		record[c.Name] = c.Column.Payload(v)
	}

	for name := range record {
		if v, ok := given[name]; ok && v != nil && record[name] != nil {
			if _, own := in.Column(name); !own {
				record[name] = v
			}
		}
	}

	return record
}

// varied returns a sample that differs from one version to the next, so that
// rules on changes have something to see.
func varied(c value.Column, version int) any {
	sample := c.Sample()
	switch v := sample.(type) {
	case string:
		if c.Type == value.String && version > 1 {
			return v + " changed"
		}
	case float64:
		return v + float64(version-1)
	case bool:
		return version > 1
	}
	return sample
}

// sampleGateways are a gateway of each payment trigger.
var sampleGateways = map[Type]string{TypeChatPay: "chatpay", TypeAltPay: "altpay", TypeTPay: "tpay"}

func samplePayment(scope tenant.Scope, id string, at time.Time, t Type, given map[string]any) Event {
	now := float64(at.Unix())
	order := overlaid(map[string]any{
		"id": 2001.0, "miniapp": float64(scope.App), "gateway_type": sampleGateways[t], "currency_type": "CNY",
		"trade_no": "4200001234202411210000000001", "transaction_no": "sample0000000000000000000001", "refund_status": nil,
		"merchandise_schema_id": 3001.0, "merchandise_record_id": sampleID, "merchandise_description": "sample",
		"merchandise_snapshot": map[string]any{}, "total_cost": 0.01, "ip_address": "192.0.2.1", "paid_at": now,
		"created_by": float64(sampleUser), "created_at": now, "updated_at": now,
	}, given)
	order["status"] = ResultSuccess // what has not succeeded fires nothing
	e, ok := PaymentEvent(scope, id, at, order)
	if !ok || e.Type != t {
		order["gateway_type"] = sampleGateways[t]
		e, _ = PaymentEvent(scope, id, at, order)
	}
	return e
}

func sampleFile(scope tenant.Scope, id string, at time.Time, t Trigger, given map[string]any) Event {
	now := float64(at.Unix())
	file := overlaid(map[string]any{
		"id": sampleID, "name": "sample.png", "categories": []any{}, "size": 1024.0,
		"media_type": "image", "mime_type": "image/png",
		"reference": "", "cdn_path": "sample.png", "path": "https://files.example.com/sample.png",
		"created_at": now, "updated_at": now, "created_by": float64(sampleUser),
	}, given)
	if text, ok := file["id"].(string); !ok || text == "" {
		file["id"] = sampleID
	}

	c := t.Condition.(*FileCondition)
	detail := map[string]any{"operation": string(c.Operation), "result": c.Result, "file": file}
	e, err := FileEvent(scope, id, at, detail)
	if err != nil { // the trigger waits for what never happens
		detail["result"] = ResultSuccess
		e, _ = FileEvent(scope, id, at, detail)
	}

	return e
}

func sampleCall(scope tenant.Scope, id string, at time.Time, t Trigger, given map[string]any) Event {
	call := HookCall{
		ID: id, Hook: t.HookID, Method: "POST", RemoteAddress: "192.0.2.1", At: at,
		Headers: map[string]string{
			"CONTENT_LENGTH": "2", "CONTENT_TYPE": "application/json", "HOST": "example.com", "USER_AGENT": "sample",
		},
		Payload: given,
	}
	meta, whole := given["meta"].(map[string]any)
	e := HookEvent(scope, call)
	if whole {
		call.Payload = given["payload"]
		e = HookEvent(scope, call)
		maps.Copy(e.Payload["meta"].(map[string]any), meta)
	}

	e.ID = id
	return e
}
