import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { actionWords } from "../triggers/words";

type Entry = components["schemas"]["TriggerLog"];

const t = texts({
  action: ["Action", "动作"],
  cause: ["Error", "原因"],
  none: ["No trigger fired for this order.", "没有触发任何动作。"],
  status: ["Status", "状态"],
  title: ["Triggered actions", "触发的动作"],
  trace: ["View trace", "完整追踪"],
  trigger: ["Trigger", "触发器"],
  when: ["Time", "时间"],
});

/** The actions of triggers after a payment, by the trade number. */
export function Fired({ tradeNo }: { tradeNo: string }) {
  const query = { subject_id: tradeNo, limit: 50 };
  const entries = useLoad(() => ask(api.GET("/oserve/v3/trigger-log/", { params: { query } })), [tradeNo, place.value]);
  return (
    <>
      <h2>{t("title")}</h2>
      <Load from={entries}>{({ objects }) => (objects.length === 0 ? <p class="quiet">{t("none")}</p> : <Entries entries={objects} />)}</Load>
    </>
  );
}

function Entries({ entries }: { entries: Entry[] }) {
  return (
    <List
      label={t("title")}
      rows={entries}
      rowKey={(entry) => entry.id}
      href={(entry) => link("triggers", entry.trigger)}
      columns={[
        { label: t("when"), by: (entry) => entry.created_at, cell: (entry) => <Ago at={entry.created_at} /> },
        {
          label: t("trigger"),
          cell: (entry) => (
            <a class="clip" href={link("triggers", entry.trigger)}>
              {entry.trigger_name}
            </a>
          ),
        },
        { label: t("action"), cell: (entry) => (entry.action_type ? actionWords(entry.action_type) : "–") },
        { label: t("status"), cell: (entry) => <Status value={entry.status} /> },
        { label: t("cause"), cell: (entry) => <span class="clip">{entry.error?.message}</span> },
        { label: "", cell: (entry) => entry.trace_id && <a href={link("trace", entry.trace_id)}>{t("trace")}</a> },
      ]}
    />
  );
}
