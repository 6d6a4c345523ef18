import { texts } from "~/text";
import { NumberField, SelectField, Switch, TemplateField } from "./controls";
import { type Form, useForm, useMember } from "./form";

const t = texts({
  batch: ["Batch size (events)", "批量：最多"],
  batchHint: ["Runs once for the whole batch and receives its events as a list.", "个事件合并为一个列表"],
  batchSeconds: ["Max. wait for a batch (seconds)", "或等待秒数"],
  debounce: ["Debounce (seconds)", "防抖（秒）"],
  debounceHint: ["Runs once, this long after the last event.", "最后一个事件之后等待该时间再执行。"],
  interval: ["Min. interval (seconds)", "最小间隔（秒）"],
  intermittent: ["with a minimum interval", "限制间隔"],
  key: ["Group events by", "分组键"],
  keyHint: ["A template. Leave empty to treat all events of the trigger as one group. Type {{ to insert a variable.", "模板；留空则整个触发器共用。输入 {{ 可选择变量。"],
  mode: ["Frequency", "执行频率"],
  once: ["only once", "仅一次"],
  ordered: ["Run in order", "按顺序执行"],
  period: ["Period (seconds)", "每多少秒"],
  repeatable: ["every time", "每次"],
  throttle: ["Max. runs per period", "限流：最多"],
});

type ActionType = Form["choices"]["batched"][number];

/** The frequency and the flow control of an action. */
export function Flow({ path, type }: { path: string; type: ActionType }) {
  const { choices } = useForm();
  const { value: frequency, set } = useMember<{ mode: string }>(path + ".frequency");
  // A stored trigger says "repeatable"; a new one leaves the mode out, which means the same.
  const stored = frequency?.mode === "repeatable";
  const modes = [...(stored ? (["repeatable"] as const) : []), ...(["intermittent", "once"] as const)].map((value) => ({ value, label: t(value) }));
  return (
    <>
      <div class="pair">
        <SelectField path={path + ".frequency.mode"} label={t("mode")} absent={stored ? undefined : t("repeatable")} options={modes} onChoose={(mode) => set({ mode })} />
        {frequency?.mode === "intermittent" && <NumberField path={path + ".frequency.interval_seconds"} label={t("interval")} />}
      </div>
      <NumberField path={path + ".flow.debounce_seconds"} label={t("debounce")} hint={t("debounceHint")} />
      <div class="pair">
        <NumberField path={path + ".flow.throttle.count"} label={t("throttle")} />
        <NumberField path={path + ".flow.throttle.period_seconds"} label={t("period")} />
      </div>
      {choices.batched.includes(type) && (
        <div class="pair">
          <NumberField path={path + ".flow.batch.size"} label={t("batch")} hint={t("batchHint")} />
          <NumberField path={path + ".flow.batch.seconds"} label={t("batchSeconds")} />
        </div>
      )}
      <TemplateField ofKey path={path + ".flow.key"} label={t("key")} hint={t("keyHint")} />
      <Switch path={path + ".flow.ordered"} label={t("ordered")} />
    </>
  );
}
