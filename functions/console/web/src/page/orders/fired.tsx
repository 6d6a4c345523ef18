import { api, ask } from "~/api/client";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";
import { actionWords } from "../triggers/words";

const t = texts({
  action: ["Action", "动作"],
  none: ["No trigger fired for this order.", "没有触发任何动作。"],
  title: ["Triggered actions", "触发的动作"],
  trace: ["View trace", "完整追踪"],
});

/** The actions of triggers after a payment, by the trade number. */
export function Fired({ tradeNo }: { tradeNo: string }) {
  const query = { subject_id: tradeNo, limit: 50 };
  const entries = useLoad(() => ask(api.GET("/oserve/v3/trigger-log/", { params: { query } })), [tradeNo, place.value]);
  return (
    <>
      <h2>{t("title")}</h2>
      <LoadedList
        label={t("title")}
        from={entries}
        none={t("none")}
        rowKey={(entry) => entry.id}
        href={(entry) => link("triggers", entry.trigger)}
        columns={[
          { label: common("time"), by: (entry) => entry.created_at, cell: (entry) => <Ago at={entry.created_at} /> },
          { label: common("trigger"), cell: (entry) => <a class="clip" href={link("triggers", entry.trigger)}>{entry.trigger_name}</a> },
          { label: t("action"), cell: (entry) => (entry.action_type ? actionWords(entry.action_type) : "–") },
          { label: common("status"), cell: (entry) => <Status value={entry.status} /> },
          { label: common("error"), cell: (entry) => <span class="clip">{entry.error?.message}</span> },
          { label: "", cell: (entry) => entry.trace_id && <a href={link("trace", entry.trace_id)}>{t("trace")}</a> },
        ]}
      />
    </>
  );
}
