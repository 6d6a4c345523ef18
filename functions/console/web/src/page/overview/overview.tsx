import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { count, duration, localTime, money } from "~/format";
import { link, place, PRODUCTION } from "~/place";
import { language, texts } from "~/text";
import { useFilter } from "~/ui/filter";
import { Load, useLoad } from "~/ui/load";
import { Options } from "~/ui/options";
import { Page } from "~/ui/page";
import { kindWords } from "../letters/words";
import { type Bars, Card } from "./card";
import { FirstSteps } from "./first-steps";
import { Ran } from "./functions";
import { Insights } from "./insights";

type Numbers = components["schemas"]["Overview"];

const t = texts({
  cost: ["Cost", "费用"],
  costText: ["estimated AWS cost", "AWS 估算"],
  day: ["Last 24 hours", "24 小时"],
  failedActions: ["Failed actions", "失败的动作"],
  done: ["{done} succeeded, {again} waiting for retry", "{done} 个成功，{again} 个待重试"],
  errors: ["Errors", "错误"],
  events: ["Events", "事件"],
  evaluated: ["Events evaluated", "已评估"],
  evaluatedText: ["{held} met their conditions. Tracing is on for {triggers} of {of} triggers.", "个事件，其中 {held} 个满足条件。{of} 个触发器中有 {triggers} 个保留追踪。"],
  eventsText: ["fired a trigger", "触发了触发器"],
  latency: ["Latency", "耗时"],
  latencyText: ["95th percentile; median {p50}", "95% 的运行快于此值；中位数 {p50}"],
  deadLetters: ["Dead letters", "死信"],
  otherDeadLetters: ["{n} outside this application", "其他应用 {n} 条"],
  deadLettersUnread: ["could not be read", "无法读取"],
  noDeadLetters: ["no dead letters", "没有被放弃的内容"],
  none: ["no runs yet", "尚无运行"],
  ofRuns: ["{percent} of runs", "占运行的 {percent}"],
  runs: ["Runs", "运行"],
  runsText: ["completed", "已结束"],
  sampled: ["Latency, events and actions are based on the most recent entries only.", "耗时、事件和动作取自最新记录：总量超出统计范围。"],
  slots: ["Running now", "正在运行"],
  slotsText: ["{used} of {limit} slots of {plan}", "{plan}：{used} / {limit} 个并发"],
  timeRange: ["Time range", "最近"],
  title: ["Overview", "概览"],
  waiting: ["Waiting", "等待中"],
  waitingText: ["runs, including scheduled ones", "含延时任务"],
  week: ["Last 7 days", "7 天"],
  hour: ["Last hour", "1 小时"],
  six: ["Last 6 hours", "6 小时"],
});

const SPANS = ["1", "6", "24", "168"] as const;
/** The names of the time ranges in the list of runs. */
const WITHIN = { "1": "1 h", "6": "6 h", "24": "24 h", "168": "7 d" } as const;
const SPAN_WORDS = { "1": "hour", "6": "six", "24": "day", "168": "week" } as const;

/** The first page of an environment: its activity, and the problems to solve. */
export function Overview() {
  const hours = useFilter<string>("hours", "24");
  const numbers = useLoad(() => {
    const { app, env } = place.value ?? { app: 0, env: PRODUCTION };
    const params = { path: { application: app }, query: { env, hours: Number(hours.value) } };
    return ask(api.GET("/console/api/application/{application}/overview/", { params }));
  }, [place.value, hours.value]);

  const span = (
    <label class="choice">
      {t("timeRange")}
      <select value={hours.value} onChange={(event) => (hours.value = event.currentTarget.value)}>
        <Options of={SPANS} words={(value) => t(SPAN_WORDS[value])} />
      </select>
    </label>
  );
  return (
    <Page title={t("title")} actions={span}>
      <Load from={numbers}>
        {(of) => (
          <>
            <Insights insights={of.insights} />
            {(of.runs === 0 || of.events === 0) && <FirstSteps ran={of.runs > 0} fired={of.events > 0} onDone={numbers.reload} />}
            <Cards of={of} />
            {of.sampled && <p class="hint">{t("sampled")}</p>}
            <Ran functions={of.functions} within={WITHIN[hours.value as keyof typeof WITHIN] ?? ""} />
          </>
        )}
      </Load>
    </Page>
  );
}

/** The bars of a small chart: one value of each hour. */
function barsOf(of: Numbers, value: (hour: Numbers["hours"][number]) => number, says: (n: number) => string, bad = false): Bars {
  return { from: of.hours.map((hour) => hour.from), values: of.hours.map(value), says, bad };
}

function Cards({ of }: { of: Numbers }) {
  const log = link("triggers") + "?tab=log&from=" + localTime(new Date(of.from * 1000));
  const percent = new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: 1 }).format(of.errors / Math.max(1, of.runs));
  const done = of.actions.succeeded ?? 0;
  const again = of.actions.waiting_retry ?? 0;
  const queues = of.dead_letters ?? []; // null: they could not be read
  const dead = queues.filter(({ letters }) => letters > 0);
  const others = queues.reduce((sum, queue) => sum + (queue.others ?? 0), 0);

  return (
    <div class="cards numbers">
      <Card label={t("runs")} value={count(of.runs)} href="#functions" bars={barsOf(of, (h) => h.runs, count)}>
        {t("runsText")}
      </Card>
      <Card label={t("errors")} value={count(of.errors)} href="#functions" bad={of.errors > 0} bars={barsOf(of, (h) => h.errors, count, true)}>
        {t("ofRuns", { percent })}
      </Card>
      <Card label={t("latency")} value={of.latency.runs ? duration(of.latency.p95_ms) : "–"} href="#functions" bars={barsOf(of, (h) => h.p95_ms, duration)}>
        {of.latency.runs ? t("latencyText", { p50: duration(of.latency.p50_ms) }) : t("none")}
      </Card>
      <Card label={t("events")} value={count(of.events)} href={log} bars={barsOf(of, (h) => h.events, count)}>
        {t("eventsText")}
      </Card>
      <Card label={t("evaluated")} value={count(of.evaluated.events)} href={link("triggers") + "?trace=1"} bars={barsOf(of, (h) => h.evaluated, count)}>
        {t("evaluatedText", { ...of.evaluated, held: count(of.evaluated.held) })}
      </Card>
      <Card
        label={t("failedActions")}
        value={count(of.actions.failed ?? 0)}
        href={log + "&success=0"}
        bad={(of.actions.failed ?? 0) > 0}
        bars={barsOf(of, (h) => h.failed_actions, count, true)}
      >
        {t("done", { done, again })}
      </Card>
      <Card label={t("deadLetters")} value={of.dead_letters ? count(dead.reduce((sum, { letters }) => sum + letters, 0)) : "–"} href={link("dead-letters")} bad={dead.length > 0}>
        {dead.length === 0 && <span>{t(of.dead_letters ? "noDeadLetters" : "deadLettersUnread")}</span>}
        {dead.map(({ kind, letters }) => (
          <a key={kind} href={link("dead-letters") + "?kind=" + kind}>{`${kindWords(kind)}: ${count(letters)}`}</a>
        ))}
        {others > 0 && <span>{t("otherDeadLetters", { n: count(others) })}</span>}
      </Card>
      <Card label={t("cost")} value={money(of.estimated_cost_usd)} href="#functions" bars={barsOf(of, (h) => h.estimated_cost_usd, money)}>
        {t("costText")}
      </Card>
      <Card label={t("waiting")} value={count(of.pending_jobs)} href="#functions">
        {t("waitingText")}
      </Card>
      <Card label={t("slots")} value={count(of.slots.reduce((sum, { used }) => sum + used, 0))} href="#functions">
        {of.slots.map(({ plan, used, limit }) => (
          <span key={plan}>{t("slotsText", { used, limit, plan })}</span>
        ))}
      </Card>
    </div>
  );
}
