import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge, Status } from "~/ui/badge";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { List } from "~/ui/list";
import { useRunning } from "~/ui/use-running";
import { Progress } from "./progress";
import { actionWords, eventWords, typeWords } from "./words";

type Trigger = components["schemas"]["Trigger"];
type Entry = components["schemas"]["NewestEntry"];
type Table = { id: number; name: string };

const t = texts({
  actions: ["Actions", "动作"],
  broken: ["broken", "失效"],
  choose: ["Select", "选择"],
  chosen: ["{n} selected", "已选 {n} 个"],
  delete: ["Delete", "删除"],
  deleteText: ["They stop firing immediately. This can't be undone. Log entries stay until they expire.", "它们将不再触发；日志保留到期。"],
  deleteTitle: ["Delete {n:trigger|triggers}?", "删除 {n} 个触发器？"],
  disable: ["Disable", "停用"],
  disabled: ["disabled", "已停用"],
  enable: ["Enable", "启用"],
  enabled: ["enabled", "已启用"],
  last: ["Last fired", "最近触发"],
  row: ["Row of", "数据表"],
  type: ["Type", "触发类型"],
});

/** The list of triggers, each with its last log entry, and the actions on selected ones. */
export function TriggerList({
  triggers,
  newest,
  tables,
  onChanged,
}: {
  triggers: Trigger[];
  newest: Entry[];
  /** The tables that the triggers watch. */
  tables: Table[];
  onChanged: () => Promise<void>;
}) {
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const hrefOf = (trigger: Trigger) => link("triggers", trigger.id);
  const lastOf = new Map(newest.map((entry) => [entry.trigger, entry]));

  function choose(id: number, on: boolean) {
    const next = new Set(chosen.value);
    if (on) next.add(id);
    else next.delete(id);
    chosen.value = next;
  }

  return (
    <>
      <List
        label={common("triggers")}
        rows={triggers}
        rowKey={(trigger) => trigger.id}
        href={hrefOf}
        columns={[
          {
            label: t("choose"),
            cell: (trigger) => (
              <input
                type="checkbox"
                aria-label={`${t("choose")}: ${trigger.name}`}
                checked={chosen.value.has(trigger.id)}
                onChange={(event) => choose(trigger.id, event.currentTarget.checked)}
              />
            ),
          },
          {
            label: common("name"), by: (trigger) => trigger.name,
            cell: (trigger) => (
              <a class="clip" href={hrefOf(trigger)}>
                {trigger.name}
              </a>
            ),
          },
          { label: common("status"), by: (trigger) => Number(trigger.enabled), cell: (trigger) => <TriggerBadge trigger={trigger} /> },
          { label: t("type"), by: (trigger) => typeWords(trigger.type), cell: (trigger) => <WaitsFor trigger={trigger} tables={tables} /> },
          { label: t("actions"), cell: (trigger) => trigger.actions.map((action) => actionWords(action.type)).join(", ") },
          { label: t("last"), by: (trigger) => lastOf.get(trigger.id)?.created_at, cell: (trigger) => <LastFired entry={lastOf.get(trigger.id)} /> },
        ]}
      />
      <Bulk triggers={triggers.filter(({ id }) => chosen.value.has(id))} onDone={onChanged} />
    </>
  );
}

/** The event of a trigger; for row changes also the table. */
function WaitsFor({ trigger, tables }: { trigger: Trigger; tables: Table[] }) {
  if (trigger.type !== "table") return typeWords(trigger.type);
  const { table, event } = trigger.condition;
  const name = tables.find(({ id, name }) => table === id || table === name)?.name ?? String(table);
  return (
    <>
      {t("row")}{" "}
      <a class="clip" href={link("tables", table)}>
        {name}
      </a>{" "}
      {eventWords(event)}
    </>
  );
}

/** The newest entry of its log. */
function LastFired({ entry }: { entry: Entry | undefined }) {
  if (!entry) return <span class="quiet">–</span>;
  return (
    <>
      <Ago at={entry.created_at} /> <Status value={entry.status} />
    </>
  );
}

/** Whether a trigger fires. */
export function TriggerBadge({ trigger }: { trigger: Trigger }) {
  if (trigger.broken) return <Badge tone="bad">{t("broken")}</Badge>;
  return <Badge tone={trigger.enabled ? "good" : "quiet"}>{trigger.enabled ? t("enabled") : t("disabled")}</Badge>;
}

type Failed = { name: string; error: unknown };

/** Runs an action on each selected trigger, one after the other, and shows the progress. */
function Bulk({ triggers, onDone }: { triggers: Trigger[]; onDone: () => Promise<void> }) {
  const done = useSignal(0);
  const total = useSignal(0);
  const failed = useSignal<Failed[]>([]);
  const busy = total.value > done.value;
  useRunning(busy);

  async function each(act: (trigger: number) => Promise<unknown>) {
    [done.value, total.value, failed.value] = [0, triggers.length, []];
    for (const { id, name } of triggers) {
      try {
        await act(id);
      } catch (error) {
        failed.value = [...failed.value, { name, error }];
      }
      done.value++;
    }
    await onDone();
  }

  const enable = (enabled: boolean) =>
    each((trigger) => ask(api.PUT("/oserve/v3/trigger/{trigger}/", { params: { path: { trigger } }, body: { enabled } })));

  async function remove() {
    const title = t("deleteTitle", { n: triggers.length });
    if (!(await confirm({ title, text: t("deleteText"), action: t("delete"), name: String(triggers.length) }))) return;
    await each((trigger) => ask(api.DELETE("/oserve/v3/trigger/{trigger}/", { params: { path: { trigger } } })));
  }

  if (triggers.length === 0 && total.value === 0) return null;
  const off = !mayChange.value || busy || triggers.length === 0;
  return (
    <div class="staged-bar">
      <div class="row">
        <span>{t("chosen", { n: triggers.length })}</span>
        <button disabled={off} onClick={() => enable(true)}>
          {t("enable")}
        </button>
        <button disabled={off} onClick={() => enable(false)}>
          {t("disable")}
        </button>
        <button disabled={off} onClick={remove}>
          {t("delete")}
        </button>
      </div>
      {total.value > 0 && <Progress done={done.value} total={total.value} failed={failed.value.length} />}
      {failed.value.map(({ name, error }) => (
        <ErrorNote key={name} error={`${name}: ${error instanceof Error ? error.message : String(error)}`} />
      ))}
    </div>
  );
}
