import type { components } from "~/api/schema";
import { type Text, texts } from "~/text";

type TriggerType = components["schemas"]["TriggerType"];
type ActionType = components["schemas"]["ActionType"];

const TYPES = {
  table: ["Row change", "数据变化"],
  chat_pay: ["WeChat payment", "微信支付"],
  alt_pay: ["Alipay payment", "支付宝支付"],
  tpay: ["QQ payment", "QQ 支付"],
  timer: ["Schedule", "定时"],
  file_operation: ["File", "文件操作"],
  incoming_webhook: ["Incoming webhook", "外部调用"],
  chat_message: ["Chat message", "客服消息"],
} satisfies Record<TriggerType, Text>;

/** The names of trigger types. */
export const typeWords = texts(TYPES);

/** Every type, in the order of the specification. */
export const triggerTypes = Object.keys(TYPES) as TriggerType[];

/** The names of actions. */
export const actionWords = texts({
  email: ["email", "邮件"],
  template_message: ["template message", "模板消息"],
  webhook: ["webhook", "Webhook"],
  table_operation: ["table operation", "数据表操作"],
  cloud_function: ["function", "云函数"],
  sms: ["SMS", "短信"],
} satisfies Record<ActionType, Text>);

type Schemas = components["schemas"];

/** The events of a row. */
export const eventWords = texts({
  create: ["is created", "新增"],
  update: ["is changed", "更新"],
  delete: ["is deleted", "删除"],
} satisfies Record<Schemas["RowEvent"], Text>);

/** How a rule asks. */
export const operatorWords = texts({
  "=": ["is", "等于"],
  "!=": ["is not", "不等于"],
  ">": ["is more than", "大于"],
  ">=": ["is at least", "大于或等于"],
  "<": ["is less than", "小于"],
  "<=": ["is at most", "小于或等于"],
  isempty: ["is empty", "为空"],
  range: ["is in the range", "在区间内"],
  regex: ["matches", "匹配正则"],
  contains: ["contains", "包含"],
  has_key: ["has the key", "含有键"],
  changed: ["changed", "有变化"],
} satisfies Record<Schemas["Operator"], Text>);
