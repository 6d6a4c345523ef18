import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { moment } from "~/format";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Status } from "~/ui/badge";
import { Copyable } from "~/ui/copy";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { Load, useLoad } from "~/ui/load";
import { rowLink } from "../tables/where";
import { Rules } from "../triggers/why";
import type { TraceNode } from "./waterfall";

type Entry = components["schemas"]["TriggerLog"];
type Evaluation = components["schemas"]["Evaluation"];

const t = texts({
  attempt: ["Attempt {n}", "第 {n} 次尝试"],
  started: ["Started", "开始"],
  conditions: ["Conditions", "条件"],
  entry: ["View log entry", "日志条目"],
  nothing: ["This run printed nothing.", "没有输出。"],
  notRecorded: ["The condition values were not recorded. Turn on tracing for this trigger to record them.", "未保存条件的判断过程：请开启触发器的追踪。"],
  noRules: ["No conditions: every event fires this trigger.", "没有条件：总是触发。"],
  open: ["Open", "打开"],
  row: ["Row in table", "数据表中的行"],
});

/** The details of a row of the waterfall, loaded when the row is opened. */
export function Detail({ node, above }: { node: TraceNode; above: readonly TraceNode[] }) {
  const trigger = above.find(({ kind }) => kind === "trigger");
  const event = above.find(({ kind }) => kind === "event");
  const action = node.kind === "attempt" ? above.find(({ kind }) => kind === "action") : node;
  const own = node.kind === "trigger" ? node : trigger;

  return (
    <>
      <dl class="facts">
        <Fact label={t("started")}>{moment(new Date(node.at))}</Fact>
        <Fact label={common("id")}><Copyable text={node.id} label={common("id")} /></Fact>
      </dl>
      {node.kind === "event" && <EventDetail node={node} />}
      {node.kind === "trigger" && <Conditions trigger={Number(node.id)} event={event?.id ?? ""} />}
      {(node.kind === "action" || node.kind === "attempt") && own && action && (
        <EntryDetail trigger={Number(own.id)} entry={action.id} only={node.kind === "attempt" ? Number(node.id.split("#")[1]) : undefined} />
      )}
      {node.kind === "job" && <JobDetail name={node.name} job={Number(node.id)} />}
    </>
  );
}

/** The row an event is about lies in the table of the trigger that waited for it. */
function EventDetail({ node }: { node: TraceNode }) {
  const waiting = node.children?.find(({ kind }) => kind === "trigger");
  const trigger = Number(waiting?.id);
  const found = useLoad(async () => (waiting ? ask(api.GET("/oserve/v3/trigger/{trigger}/", { params: { path: { trigger } } })) : undefined), [trigger, place.value]);
  const row = node.name.split(" ")[1] ?? "";
  return (
    <Load from={found}>
      {(it) => {
        if (it?.type !== "table") return null;
        return (
          <p>
            <a href={rowLink(it.condition.table, row)}>
              {t("row")} {it.condition.table}
            </a>
          </p>
        );
      }}
    </Load>
  );
}

function Conditions({ trigger, event }: { trigger: number; event: string }) {
  const found = useLoad(() => ask(api.GET("/oserve/v3/trigger/{trigger}/evaluation/", { params: { path: { trigger }, query: { limit: 50 } } })), [trigger]);
  return (
    <>
      <p>
        <a href={link("triggers", trigger)}>{t("open")}</a>
      </p>
      <h2>{t("conditions")}</h2>
      <Load from={found}>{({ objects }) => <RulesOf of={objects.find(({ event_id }) => event_id === event)} />}</Load>
    </>
  );
}

function RulesOf({ of }: { of: Evaluation | undefined }) {
  if (!of) return <p class="quiet">{t("notRecorded")}</p>;
  if (!of.rules?.length) return <p class="quiet">{t("noRules")}</p>;
  return <Rules rules={of.rules} />;
}

function EntryDetail({ trigger, entry, only }: { trigger: number; entry: string; only?: number }) {
  const found = useLoad(() => ask(api.GET("/oserve/v3/trigger-log/{entry}/", { params: { path: { entry } } })), [entry, place.value]);
  return <Load from={found}>{(it) => <EntryFacts entry={it} trigger={trigger} only={only} />}</Load>;
}

function EntryFacts({ entry, trigger, only }: { entry: Entry; trigger: number; only?: number }) {
  const attempts = entry.attempts.map((attempt, i) => ({ ...attempt, n: i + 1 })).filter(({ n }) => only === undefined || n === only);
  return (
    <>
      <p class="row">
        <Status value={entry.status} /> <a href={link("triggers", trigger) + "?tab=log"}>{t("entry")}</a>
      </p>
      <ErrorNote error={entry.error?.message} />
      {attempts.map((attempt) => (
        <div key={attempt.n}>
          <h2>{t("attempt", { n: attempt.n })}</h2>
          {(attempt.status_code || attempt.error) && (
            <p>
              {attempt.status_code} {attempt.error}
            </p>
          )}
          {attempt.response && (
            <pre class="log" tabIndex={0}>
              {attempt.response}
            </pre>
          )}
        </div>
      ))}
    </>
  );
}

function JobDetail({ name, job }: { name: string; job: number }) {
  const path = { path: { name, job } };
  const log = useLoad(
    async () => (name ? ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/{job}/log/", { params: path, parseAs: "text" })) : ""),
    [name, job, place.value],
  );
  return (
    <>
      {name && (
        <p>
          <a href={link("functions", name, "runs", job)}>{t("open")}</a>
        </p>
      )}
      <h2>{common("log")}</h2>
      <Load from={log}>
        {(text) =>
          text === "" ? (
            <p class="quiet">{t("nothing")}</p>
          ) : (
            <pre class="log" tabIndex={0}>
              {text}
            </pre>
          )
        }
      </Load>
    </>
  );
}
