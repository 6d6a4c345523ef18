import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { typeWords } from "../words";
import { Switch, TextField } from "./controls";
import { type Form, useForm } from "./form";
import type { Draft } from "./lens";

type TriggerType = Form["choices"]["types"][number]["type"];

const t = texts({
  description: ["Description", "描述"],
  fixed: ["The trigger type can't be changed later.", "触发类型创建后不可更改。"],
  trace: ["Keep evaluation history (otherwise kept for the first day only)", "始终保留触发评估记录（首日默认保留）"],
  type: ["Trigger type", "触发类型"],
});

const teach = texts({
  table: ["A row of a table is created, changed or deleted.", "数据表的行被新增、更新或删除。"],
  chat_pay: ["An order is paid through WeChat Pay.", "订单通过微信支付成功。"],
  alt_pay: ["An order is paid through Alipay.", "订单通过支付宝支付成功。"],
  tpay: ["An order is paid through QQ Wallet.", "订单通过 QQ 支付成功。"],
  timer: ["Runs on a schedule, in a time zone.", "按定时规则和时区触发。"],
  file_operation: ["A file is uploaded, deleted or checked.", "文件被上传、删除或检测。"],
  incoming_webhook: ["Another system calls the trigger's URL.", "外部系统调用您的地址。"],
  chat_message: ["A user sends a customer service message.", "用户发送客服消息。"],
} satisfies Record<TriggerType, readonly [string, string]>);

const FIRST_CONDITION: Record<TriggerType, Draft> = {
  table: { event: "create", match: "all", rules: [] },
  chat_pay: { result: "success" },
  alt_pay: { result: "success" },
  tpay: { result: "success" },
  timer: { cron: "0 3 * * *", missed: "once" },
  file_operation: { operation: "upload", result: "success" },
  incoming_webhook: {},
  chat_message: { match: "all", rules: [] },
};

/** The first step: a name, and what it waits for. */
export function StepWhen({ isNew }: { isNew: boolean }) {
  const { draft, choices } = useForm();

  /** Another type has another condition, and may not do all that the last one might. */
  function choose(type: TriggerType) {
    const { actions = [] } = draft.value as { actions?: { type: string }[] };
    const allowed: string[] = choices.types.find((choice) => choice.type === type)!.actions;
    draft.value = {
      ...draft.value,
      type,
      condition: FIRST_CONDITION[type],
      actions: actions.filter((action) => allowed.includes(action.type)),
    };
  }

  return (
    <>
      <TextField path="name" label={common("name")} autofocus={isNew} />
      <TextField path="description" label={t("description")} />
      <fieldset>
        <legend>{t("type")}</legend>
        <div class="cards type-choices">
          {choices.types.map(({ type }) => (
            <label key={type} class={"card type-choice" + (draft.value.type === type ? " chosen" : "")}>
              <span class="row">
                <input
                  type="radio"
                  name="type"
                  aria-label={typeWords(type)}
                  value={type}
                  disabled={!isNew || !mayChange.value}
                  checked={draft.value.type === type}
                  onChange={() => choose(type)}
                />
                <strong>{typeWords(type)}</strong>
              </span>
              <span class="hint">{teach(type)}</span>
            </label>
          ))}
        </div>
        {!isNew && <p class="hint">{t("fixed")}</p>}
      </fieldset>
      <Switch path="trace" label={t("trace")} />
    </>
  );
}
