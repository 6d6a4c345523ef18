import type { components } from "~/api/schema";
import { type Text, texts } from "~/text";
import { Copyable } from "~/ui/copy";
import { eventWords } from "../words";
import { SelectField, TextField } from "./controls";
import { useForm, useMember } from "./form";
import type { Draft } from "./lens";
import { MessageRules, Rules } from "./rules";
import { Timer } from "./timer";

const t = texts({
  any: ["any result", "任何结果"],
  appID: ["App ID of the mini-program", "小程序 AppID"],
  call: ["Every call to its URL fires this trigger.", "每次调用其地址都会触发。"],
  callLater: ["The URL is created when you save the trigger, and shown on its page.", "保存后生成地址，并显示在详情页。"],
  delete: ["is deleted", "删除"],
  every: ["successful payments", "所有支付成功的订单"],
  fail: ["failed", "失败"],
  file: ["When a file", "当文件"],
  image_check: ["is checked", "图片检测"],
  paid: ["Fires for", "范围"],
  result: ["Result", "结果"],
  row: ["When a row", "当数据"],
  success: ["succeeded", "成功"],
  table: ["Table", "数据表"],
  upload: ["is uploaded", "上传"],
});

type TriggerType = components["schemas"]["TriggerType"];

/** The events of each trigger type. */
export const teach = texts({
  table: ["A row of a table is created, changed or deleted.", "数据表的行被新增、更新或删除。"],
  chat_pay: ["An order is paid through WeChat Pay.", "订单通过微信支付成功。"],
  alt_pay: ["An order is paid through Alipay.", "订单通过支付宝支付成功。"],
  tpay: ["An order is paid through QQ Wallet.", "订单通过 QQ 支付成功。"],
  timer: ["Runs on a schedule, in a time zone.", "按定时规则和时区触发。"],
  file_operation: ["A file is uploaded, deleted or checked.", "文件被上传、删除或检测。"],
  incoming_webhook: ["Another system calls the trigger's URL.", "外部系统调用您的地址。"],
  chat_message: ["A user sends a customer service message.", "用户发送客服消息。"],
} satisfies Record<TriggerType, Text>);

/** The initial condition of each trigger type, and its editor. */
export const CONDITIONS: Record<TriggerType, { first: Draft; Condition: () => preact.JSX.Element }> = {
  table: { first: { event: "create", match: "all", rules: [] }, Condition: RowCondition },
  chat_pay: { first: { result: "success" }, Condition: PaymentCondition },
  alt_pay: { first: { result: "success" }, Condition: PaymentCondition },
  tpay: { first: { result: "success" }, Condition: PaymentCondition },
  timer: { first: { cron: "0 3 * * *", missed: "once" }, Condition: Timer },
  file_operation: { first: { operation: "upload", result: "success" }, Condition: FileCondition },
  incoming_webhook: { first: {}, Condition: HookCondition },
  chat_message: { first: { match: "all", rules: [] }, Condition: MessageCondition },
};

/** The second step: which events of its type fire it. */
export function StepIf() {
  const { draft } = useForm();
  const { Condition } = CONDITIONS[draft.value.type as TriggerType];
  return <Condition />;
}

function PaymentCondition() {
  return <SelectField path="condition.result" label={t("paid")} absent={t("any")} options={[{ value: "success", label: t("every") }]} />;
}

function MessageCondition() {
  return (
    <>
      <TextField path="condition.app_id" label={t("appID")} />
      <MessageRules />
    </>
  );
}

function RowCondition() {
  const { tables } = useForm();
  const events = (["create", "update", "delete"] as const).map((value) => ({ value, label: eventWords(value) }));
  return (
    <>
      <div class="pair">
        <TableField path="condition.table" label={t("table")} tables={tables} />
        <SelectField path="condition.event" label={t("row")} options={events} />
      </div>
      <Rules />
    </>
  );
}

/** A table by its name or id, as the draft had it. */
export function TableField({ path, label, tables }: { path: string; label: string; tables: { id: number; name: string }[] }) {
  const { value } = useMember<string | number>(path);
  const byID = typeof value === "number";
  const options = tables.map((table) => ({ value: byID ? table.id : table.name, label: table.name }));
  return <SelectField<string | number> path={path} label={label} options={options} />;
}

function FileCondition() {
  const operations = (["upload", "delete", "image_check"] as const).map((value) => ({ value, label: t(value) }));
  const results = (["success", "fail"] as const).map((value) => ({ value, label: t(value) }));
  return (
    <div class="pair">
      <SelectField path="condition.operation" label={t("file")} options={operations} />
      <SelectField path="condition.result" label={t("result")} options={results} />
    </div>
  );
}

function HookCondition() {
  const { draft } = useForm();
  const address = draft.value.hook_url as string | undefined;
  return (
    <>
      <p>{t("call")}</p>
      {address ? <Copyable text={address} label={t("call")} /> : <p class="quiet">{t("callLater")}</p>}
    </>
  );
}
