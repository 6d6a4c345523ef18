import type { components } from "~/api/schema";

type Source = components["schemas"]["JobSource"];

/** What event.data looks like for each source, to begin with. */
export const presets: Partial<Record<Source, unknown>> = {
  open_api: { name: "Ada" },
  flex_schema: { id: "5f0c7e3f", name: "oak", height: 20.5, created_at: 1795302412, _read_perm: ["user:*"], _write_perm: ["user:*"] },
  timer: {},
  chat_pay_success: { id: 1, trade_no: "4200001", transaction_no: "tr-1", total_cost: 12.5, status: "success", gateway_type: "chat_tenpay" },
  file_operation: { id: "5f0c7e3f", name: "photo.png", mime_type: "image/png", size: 12345, path: "1/photo.png" },
  incoming_webhook: { _id: "hook-1", meta: { headers: { "content-type": "application/json" }, remote_address: "203.0.113.7", request_method: "POST" }, payload: { n: 1 } },
  chat_message: { MsgType: "text", Content: "hello", FromUserName: "openid", _AppId: "wx1" },
};
