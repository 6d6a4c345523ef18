import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";

type Entry = components["schemas"]["TriggerLog"];

const t = texts({
  latest: ["Recent trigger actions", "触发器最近的动作"],
  none: ["No actions yet. They appear here when a trigger fires.", "触发器尚无动作。"],
});

const LATEST = 20;

/** The newest traces in which a trigger acted, each once. */
export function Latest() {
  const entries = useLoad(() => ask(api.GET("/oserve/v3/trigger-log/", { params: { query: { limit: LATEST } } })), [place.value]);
  return (
    <>
      <h2>{t("latest")}</h2>
      <Load from={entries}>
        {({ objects }) => (objects.length === 0 ? <p class="quiet">{t("none")}</p> : <Traces entries={firstOfEach(objects)} />)}
      </Load>
    </>
  );
}

/** The first entry of each trace, or a failed one if there is any. */
function firstOfEach(entries: readonly Entry[]): Entry[] {
  const chosen = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.trace_id === null) continue;
    const known = chosen.get(entry.trace_id);
    if (!known || (known.success !== false && entry.success === false)) chosen.set(entry.trace_id, entry);
  }
  return [...chosen.values()];
}

function Traces({ entries }: { entries: Entry[] }) {
  const hrefOf = (entry: Entry) => link("trace", entry.trace_id ?? "");
  return (
    <List
      label={t("latest")}
      rows={entries}
      rowKey={(entry) => entry.id}
      href={hrefOf}
      columns={[
        {
          label: common("time"),
          cell: (entry) => (
            <a href={hrefOf(entry)}>
              <Ago at={entry.created_at} />
            </a>
          ),
        },
        { label: common("trigger"), cell: (entry) => <span class="clip">{entry.trigger_name}</span> },
        { label: common("status"), cell: (entry) => <Status value={entry.status} /> },
        { label: common("error"), cell: (entry) => <span class="clip">{entry.error?.message}</span> },
      ]}
    />
  );
}
