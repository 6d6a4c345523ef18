package api

import (
	"encoding/json"
	"fmt"

	"minicloud/shared/job"
)

// sampleTexts are example event.data of triggers, for debug runs without data
// (contract, Actions, Cloud function). Other sources have {}.
var sampleTexts = map[job.Source]string{
	job.SourceFlexSchema: `{"id":"5f3e5f3e5f3e5f3e5f3e5f3e","created_at":1732190400,"updated_at":1732190400,"created_by":1001,` +
		`"_read_perm":["user:*"],"_write_perm":["user:1001"],"_version":1}`,
	job.SourceChatPay: sampleOrder("chatpay"),
	job.SourceAltPay:  sampleOrder("altpay"),
	job.SourceTPay:    sampleOrder("tpay"),
	job.SourceFileOperation: `{"id":"5f3e5f3e5f3e5f3e5f3e5f3f","name":"sample.png","status":"success","categories":[],"size":1024,` +
		`"media_type":"image","mime_type":"image/png","reference":"","cdn_path":"sample.png","path":"https://files.example.com/sample.png",` +
		`"created_at":1732190400,"updated_at":1732190400,"created_by":1001}`,
	job.SourceIncomingWebhook: `{"_id":"5f3e5f3e5f3e5f3e5f3e5f41","meta":{"headers":{"CONTENT_LENGTH":"18","CONTENT_TYPE":"application/json",` +
		`"HOST":"example.com"},"remote_address":"192.0.2.1","request_method":"POST"},"payload":{"sample":"value"}}`,
	job.SourceChatMessage: `{"_AppId":"wx0123456789abcdef","ToUserName":"gh_0123456789ab","FromUserName":"oDemo0123456789",` +
		`"CreateTime":1732190400,"MsgType":"text","Content":"sample","MsgId":"7000000000000000001"}`,
}

// sampleOrder is a paid order.
func sampleOrder(gateway string) string {
	return fmt.Sprintf(`{"id":2001,"miniapp":1,"gateway_type":%q,"currency_type":"CNY","trade_no":"4200001234202411210000000001",`+
		`"transaction_no":"mcl0000000000000000000000000001","status":"success","refund_status":null,"merchandise_schema_id":3001,`+
		`"merchandise_record_id":"5f3e5f3e5f3e5f3e5f3e5f3e","merchandise_description":"sample","merchandise_snapshot":{},`+
		`"total_cost":0.01,"ip_address":"192.0.2.1","paid_at":1732190400,"created_by":1001,"created_at":1732190390,`+
		`"updated_at":1732190400}`, gateway)
}

// sampleData returns realistic event.data of a trigger.
func sampleData(s job.Source) json.RawMessage {
	if text, ok := sampleTexts[s]; ok {
		return json.RawMessage(text)
	}
	return json.RawMessage("{}")
}
