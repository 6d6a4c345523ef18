import { useSignal } from "@preact/signals";
import { RefreshCw, RotateCcw } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { duration, unixSeconds } from "~/format";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { Choice, MomentChoice } from "~/ui/choice";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { useFilter } from "~/ui/filter";
import { Do } from "~/ui/form";
import { Json } from "~/ui/json";
import type { Column } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";
import { Search } from "~/ui/search";
import { toast } from "~/ui/toast";
import { Views } from "~/ui/views";
import { ReplayRange } from "./replay-range";
import { Subject } from "./subject";
import { actionWords } from "./words";

type Entry = components["schemas"]["TriggerLog"];
type Trigger = components["schemas"]["Trigger"];
type Foreseen = components["schemas"]["Foreseen"];

const t = texts({
  action: ["Action", "动作"],
  attempts: ["Attempts", "尝试"],
  entry: ["Log entry", "执行详情"],
  failed: ["failed", "失败"],
  from: ["From", "从"],
  log: ["Log", "日志"],
  inProgress: ["This action is still in progress. It can be replayed after it ends.", "仍在执行或等待重试；结束后才能重放。"],
  none: ["No log entries.", "暂无记录。"],
  range: ["Replay a time range…", "重放时间段…"],
  replay: ["Replay", "重放"],
  replayed: ["Replay started", "已重新执行"],
  settings: ["Open settings", "前往设置"],
  subject: ["Subject", "对象"],
  succeeded: ["succeeded", "成功"],
  to: ["To", "至"],
  trace: ["View trace", "完整追踪"],
  preview: ["Preview: {effect}", "重放将执行：{effect}"],
});

const PAGE = 50;

/** The filter of the log, kept in the address. Times are in the reader's time zone. */
function useWanted() {
  const wanted = {
    success: useFilter<"" | "0" | "1">("success"),
    action: useFilter("action"),
    subject: useFilter("subject"),
    from: useFilter("from"),
    to: useFilter("to"),
  };
  const query = {
    success: wanted.success.value || undefined,
    action: Number(wanted.action.value) || undefined,
    subject_id: wanted.subject.value || undefined,
    created_at__gte: unixSeconds(wanted.from.value),
    created_at__lte: unixSeconds(wanted.to.value),
  };
  return { ...wanted, query };
}

/** The log of a trigger, or of all triggers, newest first. */
export function Log({ trigger }: { trigger?: Trigger }) {
  const wanted = useWanted();
  const chosen = useSignal<Entry | undefined>(undefined);
  const replaying = useSignal(false);
  const entries = usePages(
    PAGE,
    (limit) => {
      const query = { limit, ...wanted.query };
      if (trigger === undefined) return ask(api.GET("/oserve/v3/trigger-log/", { params: { query } }));
      return ask(api.GET("/oserve/v3/trigger/{trigger}/log/", { params: { path: { trigger: trigger.id }, query } }));
    },
    [trigger?.id, place.value, JSON.stringify(wanted.query)],
  );

  return (
    <>
      <Filters trigger={trigger} wanted={wanted}>
        <Views list="trigger-log" />
        <button aria-label={common("reload")} title={common("reload")} onClick={entries.reload}>
          <RefreshCw size={14} />
        </button>
        {trigger && <button onClick={() => (replaying.value = true)}>{t("range")}</button>}
      </Filters>
      <LoadedList
        label={t("log")}
        from={entries}
        none={t("none")}
        rowKey={(entry) => entry.id}
        columns={columnsOf(trigger, (entry) => (chosen.value = entry))}
      />
      <Dialog wide title={t("entry")} open={chosen.value !== undefined} onClose={() => (chosen.value = undefined)}>
        {chosen.value && <Details entry={chosen.value} onReplayed={entries.reload} />}
      </Dialog>
      {trigger && (
        <ReplayRange
          trigger={trigger}
          open={replaying.value}
          onClose={() => {
            replaying.value = false;
            void entries.reload();
          }}
        />
      )}
    </>
  );
}

type FiltersProps = { trigger: Trigger | undefined; wanted: ReturnType<typeof useWanted>; children: preact.ComponentChildren };

/** The filters of the log. */
function Filters({ trigger, wanted, children }: FiltersProps) {
  return (
    <div class="row filters" role="search">
      <Choice
        label={common("result")}
        values={["1", "0"]}
        words={(value) => t(value === "1" ? "succeeded" : "failed")}
        filter={wanted.success}
      />
      {trigger && trigger.actions.length > 1 && (
        <Choice
          label={t("action")}
          values={trigger.actions.map(({ id }) => String(id))}
          words={(id) => actionWords(trigger.actions.find((action) => String(action.id) === id)!.type)}
          filter={wanted.action}
        />
      )}
      <Search label={t("subject")} filter={wanted.subject} />
      <MomentChoice label={t("from")} filter={wanted.from} />
      <MomentChoice label={t("to")} filter={wanted.to} />
      {children}
    </div>
  );
}

function columnsOf(of: Trigger | undefined, onChoose: (entry: Entry) => void): Column<Entry>[] {
  const trigger: Column<Entry> = {
    label: common("trigger"),
    cell: (entry) => <a class="clip" href={link("triggers", entry.trigger)}>{entry.trigger_name}</a>,
  };
  return [
    {
      label: common("time"), by: (entry) => entry.created_at,
      cell: (entry) => (
        <button class="link" onClick={() => onChoose(entry)}>
          <Ago at={entry.created_at} />
        </button>
      ),
    },
    ...(of ? [] : [trigger]),
    { label: t("action"), cell: (entry) => (entry.action_type ? actionWords(entry.action_type) : "–") },
    { label: common("status"), by: (entry) => entry.status, cell: (entry) => <Status value={entry.status} /> },
    { label: t("attempts"), by: (entry) => entry.attempts.length, numeric: true, cell: (entry) => entry.attempts.length },
    { label: t("subject"), by: (entry) => entry.subject_id, cell: (entry) => <Subject id={entry.subject_id} kind={entry.event.kind} trigger={of} /> },
    { label: common("error"), cell: (entry) => <span class="clip">{entry.error?.message}</span> },
  ];
}

/** The settings page of each action type that needs settings. */
const SETTINGS: Record<string, string> = { email: "mail", sms: "sms", template_message: "messages" };

function Details({ entry, onReplayed }: { entry: Entry; onReplayed: () => Promise<void> }) {
  return (
    <>
      <p class="row">
        <Status value={entry.status} /> <Ago at={entry.created_at} />
        {entry.trace_id && <a href={link("trace", entry.trace_id)}>{t("trace")}</a>}
      </p>
      <ErrorNote error={entry.error?.message} />
      {entry.error?.type === "not_configured" && (
        <p>
          <a href={link("settings", SETTINGS[entry.action_type ?? ""] ?? "")}>{t("settings")}</a>
        </p>
      )}
      <h3>{t("attempts")}</h3>
      <ol>
        {entry.attempts.map((attempt) => (
          <li key={attempt.at}>
            <Ago at={attempt.at} /> · {duration(attempt.duration_ms)} {attempt.status_code} {attempt.error}
            {attempt.response && <pre class="log">{attempt.response}</pre>}
          </li>
        ))}
      </ol>
      {entry.action !== null && entry.finished_at !== null && <Replay entry={entry} onReplayed={onReplayed} />}
      {entry.finished_at === null && <p class="quiet">{t("inProgress")}</p>}
    </>
  );
}

/** Shows the preview of a replay, then replays. */
function Replay({ entry, onReplayed }: { entry: Entry; onReplayed: () => Promise<void> }) {
  const { failure, run } = useAction();
  const params = { path: { entry: entry.id } };
  const foreseen = useLoad(
    () => ask(api.POST("/oserve/v3/trigger-log/{entry}/replay/", { params: { ...params, query: { dry_run: "1" } } })),
    [entry.id],
  );

  async function replay() {
    await run(async () => {
      await ask(api.POST("/oserve/v3/trigger-log/{entry}/replay/", { params }));
      toast(t("replayed"));
      await onReplayed();
    });
  }

  return (
    <>
      <h3>{t("replay")}</h3>
      <Load from={foreseen}>{(answer) => <ReplayEffect of={answer as Foreseen} />}</Load>
      <ErrorNote error={failure.value} />
      <Do class="wa-brand" disabled={!mayChange.value} onClick={replay}>
        <RotateCcw size={16} /> {t("replay")}
      </Do>
    </>
  );
}

function ReplayEffect({ of }: { of: Foreseen }) {
  return (
    <>
      <p>
        {t("preview", { effect: of.effect })} <span class="quiet">{of.why}</span>
      </p>
      {of.rendered !== null && <Json value={of.rendered} />}
    </>
  );
}
