import { useSignal } from "@preact/signals";
import { RotateCcw } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { duration } from "~/format";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { Choice } from "~/ui/choice";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { useFilter } from "~/ui/filter";
import { Json } from "~/ui/json";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { More } from "~/ui/more";
import { toast } from "~/ui/toast";
import { Views } from "~/ui/views";
import { actionWords } from "./words";

type Entry = components["schemas"]["TriggerLog"];
type Foreseen = components["schemas"]["Foreseen"];

const t = texts({
  action: ["Action", "动作"],
  attempts: ["Attempts", "尝试"],
  cause: ["Cause", "原因"],
  entry: ["What came of it", "执行详情"],
  failed: ["failed", "失败"],
  log: ["Log", "日志"],
  none: ["Nothing happened yet.", "暂无记录。"],
  outcome: ["Outcome", "结果"],
  replay: ["Do it again", "重放"],
  replayed: ["It is done again", "已重新执行"],
  status: ["Status", "状态"],
  subject: ["Subject", "对象"],
  succeeded: ["succeeded", "成功"],
  trace: ["The whole story", "完整追踪"],
  trigger: ["Trigger", "触发器"],
  when: ["When", "时间"],
  would: ["Doing it again would: {effect}", "重放将执行：{effect}"],
});

const PAGE = 50;

/** What the actions of one trigger did, or of all, newest first. */
export function Log({ trigger }: { trigger?: number }) {
  const success = useFilter<"" | "0" | "1">("success");
  const limit = useSignal(PAGE);
  const chosen = useSignal<Entry | undefined>(undefined);
  const query = { limit: limit.value, success: success.value || undefined };
  const entries = useLoad(
    () =>
      trigger === undefined
        ? ask(api.GET("/oserve/v3/trigger-log/", { params: { query } }))
        : ask(api.GET("/oserve/v3/trigger/{trigger}/log/", { params: { path: { trigger }, query } })),
    [trigger, place.value, ...Object.values(query)],
  );
  const outcomes = { succeeded: "1", failed: "0" } as const;
  const outcome = success.value === "" ? "" : success.value === "1" ? "succeeded" : "failed";

  return (
    <>
      <div class="row filters">
        <Choice
          label={t("outcome")}
          values={["succeeded", "failed"]}
          chosen={outcome}
          onChoose={(value) => (success.value = value === "" ? "" : outcomes[value])}
        />
        <Views list="trigger-log" />
        <button class="icon" title={common("reload")} aria-label={common("reload")} onClick={entries.reload}>
          <RotateCcw size={14} />
        </button>
      </div>
      <Load from={entries}>
        {({ objects, meta }) =>
          objects.length === 0 ? (
            <p class="quiet">{t("none")}</p>
          ) : (
            <>
              <Entries entries={objects} ofAll={trigger === undefined} onChoose={(entry) => (chosen.value = entry)} />
              <More meta={meta} onMore={() => (limit.value += PAGE)} />
            </>
          )
        }
      </Load>
      <Dialog wide title={t("entry")} open={chosen.value !== undefined} onClose={() => (chosen.value = undefined)}>
        {chosen.value && <Details entry={chosen.value} onReplayed={entries.reload} />}
      </Dialog>
    </>
  );
}

function Entries({ entries, ofAll, onChoose }: { entries: Entry[]; ofAll: boolean; onChoose: (entry: Entry) => void }) {
  const trigger = {
    label: t("trigger"),
    cell: (entry: Entry) => (
      <a class="clip" href={link("triggers", entry.trigger)}>
        {entry.trigger_name}
      </a>
    ),
  };
  return (
    <List
      label={t("log")}
      rows={entries}
      rowKey={(entry) => entry.id}
      columns={[
        {
          label: t("when"),
          cell: (entry) => (
            <button class="link" onClick={() => onChoose(entry)}>
              <Ago at={entry.created_at} />
            </button>
          ),
        },
        ...(ofAll ? [trigger] : []),
        { label: t("action"), cell: (entry) => (entry.action_type ? actionWords(entry.action_type) : "–") },
        { label: t("status"), cell: (entry) => <Status value={entry.status} /> },
        { label: t("attempts"), numeric: true, cell: (entry) => entry.attempts.length },
        { label: t("subject"), cell: (entry) => <code class="clip">{entry.subject_id}</code> },
        { label: t("cause"), cell: (entry) => <span class="clip">{entry.error?.message}</span> },
      ]}
    />
  );
}

function Details({ entry, onReplayed }: { entry: Entry; onReplayed: () => Promise<void> }) {
  return (
    <>
      <p class="row">
        <Status value={entry.status} /> <Ago at={entry.created_at} />
        {entry.trace_id && <a href={link("trace", entry.trace_id)}>{t("trace")}</a>}
      </p>
      <ErrorNote error={entry.error?.message} />
      <h3>{t("attempts")}</h3>
      <ol>
        {entry.attempts.map((attempt) => (
          <li key={attempt.at}>
            <Ago at={attempt.at} /> · {duration(attempt.duration_ms)} {attempt.status_code} {attempt.error}
            {attempt.response && <pre class="log">{attempt.response}</pre>}
          </li>
        ))}
      </ol>
      {entry.action !== null && <Replay entry={entry} onReplayed={onReplayed} />}
    </>
  );
}

/** First says what doing it again would do; then does it. */
function Replay({ entry, onReplayed }: { entry: Entry; onReplayed: () => Promise<void> }) {
  const failure = useSignal<unknown>(undefined);
  const params = { path: { entry: entry.id } };
  const foreseen = useLoad(
    () => ask(api.POST("/oserve/v3/trigger-log/{entry}/replay/", { params: { ...params, query: { dry_run: "1" } } })),
    [entry.id],
  );

  async function replay() {
    try {
      await ask(api.POST("/oserve/v3/trigger-log/{entry}/replay/", { params }));
      failure.value = undefined;
      toast(t("replayed"));
      await onReplayed();
    } catch (error) {
      failure.value = error;
    }
  }

  return (
    <>
      <h3>{t("replay")}</h3>
      <Load from={foreseen}>{(answer) => <Foresight of={answer as Foreseen} />}</Load>
      <ErrorNote error={failure.value} />
      <button class="wa-brand" disabled={!mayChange.value} onClick={replay}>
        <RotateCcw size={16} /> {t("replay")}
      </button>
    </>
  );
}

function Foresight({ of }: { of: Foreseen }) {
  return (
    <>
      <p>
        {t("would", { effect: of.effect })} <span class="quiet">{of.why}</span>
      </p>
      {of.rendered !== null && <Json value={of.rendered} />}
    </>
  );
}
