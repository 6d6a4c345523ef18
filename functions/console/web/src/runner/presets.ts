import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";

/** What a run may be started by. */
export type Source = components["schemas"]["JobSource"];
type Table = components["schemas"]["Table"];

const ORDER = {
  id: 2001,
  miniapp: 1,
  gateway_type: "chatpay",
  currency_type: "CNY",
  trade_no: "4200001234202411210000000001",
  transaction_no: "mcl0000000000000000000000000001",
  status: "success",
  refund_status: null,
  merchandise_schema_id: 3001,
  merchandise_record_id: "5f3e5f3e5f3e5f3e5f3e5f3e",
  merchandise_description: "sample",
  merchandise_snapshot: {},
  total_cost: 0.01,
  ip_address: "192.0.2.1",
  paid_at: 1732190400,
  created_by: 1001,
  created_at: 1732190390,
  updated_at: 1732190400,
};

const FILE = {
  id: "5f3e5f3e5f3e5f3e5f3e5f3f",
  name: "sample.png",
  status: "success",
  categories: [],
  size: 1024,
  media_type: "image",
  mime_type: "image/png",
  reference: "",
  cdn_path: "sample.png",
  path: "https://files.example.com/sample.png",
  created_at: 1732190400,
  updated_at: 1732190400,
  created_by: 1001,
};

const HOOK = {
  _id: "5f3e5f3e5f3e5f3e5f3e5f41",
  meta: { headers: { CONTENT_LENGTH: "18", CONTENT_TYPE: "application/json", HOST: "example.com" }, remote_address: "192.0.2.1", request_method: "POST" },
  payload: { sample: "value" },
};

const MESSAGE = {
  _AppId: "wx0000000000000000",
  ToUserName: "gh_000000000000",
  FromUserName: "oSample",
  CreateTime: 1732190400,
  MsgType: "text",
  Content: "hello",
  MsgId: 6000000000000000,
};

/** event.data as each source gives it; that of flex_schema is a row, see rowOf. */
export const presets: Record<Source, object> = {
  sdk: {},
  open_api: {},
  cloud_function: {},
  flex_schema: {},
  timer: {},
  chat_pay_success: ORDER,
  alt_pay_success: { ...ORDER, gateway_type: "altpay" },
  tpay_success: { ...ORDER, gateway_type: "tpay" },
  file_operation: FILE,
  incoming_webhook: HOOK,
  chat_message: MESSAGE,
};

/** The newest row of a table as its trigger would give it: geometries are JSON texts. {} where it has none: the platform then makes one up. */
export async function rowOf(table: Table): Promise<object> {
  const params = { path: { table: String(table.id) }, query: { limit: 1 } };
  const { objects } = await ask(api.GET("/oserve/v2.4/table/{table}/record/", { params }));
  const row: Record<string, unknown> = { ...objects[0] };
  for (const { name, type } of table.schema.fields) {
    if (type === "geojson" && row[name] !== null && row[name] !== undefined) row[name] = JSON.stringify(row[name]);
  }
  return row;
}
