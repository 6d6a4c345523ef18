import cronstrue from "cronstrue";
import "cronstrue/locales/zh_CN";

import { moment } from "~/format";
import { language, texts } from "~/text";
import { SelectField, TextField } from "./controls";
import { useForm, useMember } from "./form";

const t = texts({
  all: ["fire for each", "逐一补触发"],
  cron: ["Cron expression", "定时规则"],
  cronHint: ["minute hour day month weekday", "分 时 日 月 星期"],
  missed: ["Runs missed in an outage of less than an hour", "一小时内错过的触发"],
  next: ["Next runs", "接下来的触发时间"],
  often: ["Common schedules", "常用规则"],
  once: ["fire once", "补触发一次"],
  skip: ["skip", "跳过"],
  zone: ["Time zone", "时区"],
});

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const OFTEN = ["*/5 * * * *", "0 * * * *", "0 3 * * *", "0 9 * * 1-5", "0 9 * * 1", "0 0 1 * *"];

/** A rule as people say it, "" while it is none. */
function said(cron: string): string {
  try {
    return cronstrue.toString(cron, { locale: language.value === "zh" ? "zh_CN" : "en", use24HourTimeFormat: true });
  } catch {
    return "";
  }
}

/** When a timer fires: the rule, in words, and the next five times. */
export function Timer() {
  const { check } = useForm();
  const { value: cron = "", set } = useMember<string>("condition.cron");
  const { value: zone } = useMember<string>("timezone");
  const missed = (["once", "skip", "all"] as const).map((value) => ({ value, label: t(value) }));
  const zones = Intl.supportedValuesOf("timeZone").map((value) => ({ value, label: value }));
  return (
    <>
      <TextField path="condition.cron" label={t("cron")} hint={said(cron) || t("cronHint")} placeholder="0 3 * * *" />
      <div class="row often" role="group" aria-label={t("often")}>
        {OFTEN.map((rule) => (
          <button key={rule} type="button" aria-pressed={rule === cron} onClick={() => set(rule)}>
            {said(rule)}
          </button>
        ))}
      </div>
      <div class="pair">
        <SelectField path="timezone" label={t("zone")} options={zones} />
        <SelectField path="condition.missed" label={t("missed")} options={missed} />
      </div>
      {check.value && check.value.next.length > 0 && (
        <>
          <h2>{t("next")}</h2>
          <ol class="next">
            {check.value.next.map((at) => (
              <li key={at}>
                <time dateTime={at}>{at.slice(0, 16).replace("T", " ")}</time> <span class="quiet">{zone !== HERE && moment(new Date(at))}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}
