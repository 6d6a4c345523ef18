import { ArrowRight, CircleAlert } from "lucide-preact";

import type { components } from "~/api/schema";
import { ago } from "~/format";
import { link } from "~/place";
import { texts } from "~/text";
import { messengerWords, type Vendor } from "~/vendor";

type Insight = components["schemas"]["Insight"];
type Kind = Insight["kind"];

const cause = texts({
  payments_refused: ["{payments:payment|payments} could not be applied to an order. Latest: {payment}, {error}", "有 {payments} 笔支付未更改任何订单。{payment}：{error}"],
  trigger_broken: ["{trigger} can't fire: {error}", "触发器 {trigger} 无法触发：{error}"],
  actions_fail: ["{failed} of {runs:action|actions} of {trigger} failed: {error}", "{trigger} 的 {runs} 个动作中有 {failed} 个失败：{error}"],
  receiver_fails: ["Webhook deliveries from {trigger} have failed since {since}.", "{trigger} 的 Webhook 接收方自 {since} 起持续失败。"],
  mail_not_set: ["{trigger} sends email, but no sender address is set.", "{trigger} 需要发送邮件，但尚未设置发件人。"],
  sms_not_set: ["{trigger} sends SMS, but SMS is not enabled.", "{trigger} 需要发送短信，但短信尚未启用。"],
  messages_not_set: ["{trigger} sends template messages through {vendor}, but its app ID and secret are not set.", "{trigger} 需要通过 {vendor} 发送模板消息，但尚未设置该平台的凭据。"],
  function_fails: ["{failed} of {runs:run|runs} of {function} failed: {error}", "{function} 的 {runs} 次运行中有 {failed} 次失败：{error}"],
  function_times_out: ["{runs:run|runs} of {function} timed out.", "{function} 有 {timeouts} 次运行超时被终止。"],
  no_slots: ["{runs:run|runs} of {function} did not start because all slots were in use.", "{function} 有 {runs} 次运行因并发已满未能执行。"],
  runs_rejected: ["Rejected {runs:run|runs} of {function}: {error}", "{function} 有 {runs} 次运行被拒绝：{error}"],
  function_near_limit: ["{function} takes {p95_ms} ms (95th percentile). The limit for a run is {limit_ms} ms.", "{function} 耗时 {p95_ms} ms，接近 {limit_ms} ms 的上限。"],
} satisfies Record<Kind, readonly [string, string]>);

const repair = texts({
  payments_refused: ["View the notification and redrive it", "查看支付平台的通知并重新投递"],
  trigger_broken: ["Fix the trigger", "修复触发器"],
  actions_fail: ["View and replay the failed actions", "查看原因并重放"],
  receiver_fails: ["View the responses", "查看其响应"],
  mail_not_set: ["Set the sender", "设置发件人"],
  sms_not_set: ["Set up SMS", "设置短信"],
  messages_not_set: ["Set the app ID and secret", "设置 App ID 与密钥"],
  function_fails: ["View the failed runs", "查看失败的运行"],
  function_times_out: ["View the runs. Run long work in the background.", "查看；耗时任务可改为后台运行"],
  no_slots: ["View the runs. Spread them out or run them in the background.", "查看时间；请错峰或改为后台运行"],
  runs_rejected: ["View the runs", "查看这些运行"],
  function_near_limit: ["View the runs. Make the function faster or run it in the background.", "查看运行；请优化或改为后台运行"],
} satisfies Record<Kind, readonly [string, string]>);

const t = texts({ title: ["Needs attention", "需要处理"] });

const QUERIES: Partial<Record<Kind, string>> = {
  actions_fail: "?tab=log&success=0",
  receiver_fails: "?tab=log", // an action that waits for a retry has not failed yet
  function_fails: "?tab=jobs&status=execution_failed",
  function_times_out: "?tab=jobs&status=deadline_exceeded",
  no_slots: "?tab=jobs&status=schedule_failed",
  runs_rejected: "?tab=jobs&status=execution_rejected",
  function_near_limit: "?tab=jobs",
};

const FOLDERS: Record<string, string> = { function: "functions", trigger: "triggers", setting: "settings" };

/** Problems with their reasons, each with a link to its repair. */
export function Insights({ insights }: { insights: Insight[] }) {
  if (insights.length === 0) return null;
  return (
    <section aria-label={t("title")}>
      <ul class="insights">
        {insights.map((insight) => (
          <li key={insight.kind + insight.link} class="note warn">
            <CircleAlert size={16} /> <bdi>{cause(insight.kind, wordsOf(insight))}</bdi>
            <a href={addressOf(insight)}>
              {repair(insight.kind)} <ArrowRight size={14} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function wordsOf({ parameters }: Insight): Record<string, string> {
  const { since, vendor } = parameters;
  return {
    ...parameters,
    ...(since && { since: ago(new Date(Number(since) * 1000)) }),
    ...(vendor && { vendor: messengerWords(vendor as Vendor) }),
  };
}

/** "function/<name>" leads to the page of that function, to the part of it that tells more; a queue of letters to its list. */
function addressOf({ kind, link: to, parameters: { vendor } }: Insight): string {
  const at = to.indexOf("/");
  if (to.startsWith("dead-letter/")) return link("dead-letters") + "?kind=" + to.slice(at + 1);
  return link(FOLDERS[to.slice(0, at)] ?? "", to.slice(at + 1)) + (vendor ? "?tab=" + vendor : (QUERIES[kind] ?? ""));
}
