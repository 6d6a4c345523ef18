import { useLocation, useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import { duration } from "~/format";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Latest } from "./latest";
import { Tree } from "./tree";
import { failureOf, type TraceNode } from "./waterfall";

const t = texts({
  started: ["started", "开始于"],
  failed: ["failed", "失败"],
  view: ["View trace", "查看"],
  inProgress: ["in progress", "进行中"],
  hint: [
    "Each API response has its trace ID in the X-Request-Id header. Log entries and runs link to their trace. Enter a trace ID to see everything that triggers did in response.",
    "API 的每个响应都在 X-Request-Id 中给出追踪 ID，日志和运行记录也有链接。此处显示触发器因此所做的一切。",
  ],
  id: ["Trace ID", "追踪 ID"],
  truncated: ["Only the oldest 200 actions are shown.", "仅显示最早的 200 个动作。"],
  succeeded: ["succeeded", "全部成功"],
});

/** The page of a trace: its nodes as a waterfall. */
export function TracePage() {
  const { trace = "" } = useRoute().params;
  const { route } = useLocation();

  function find(event: SubmitEvent) {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get("id")).trim();
    if (id) route(link("trace", id));
  }

  return (
    <Page title={trace || common("trace")} crumbs={trace ? [{ label: common("trace"), href: link("trace") }] : []}>
      <form class="row filters" role="search" onSubmit={find}>
        <input key={trace} name="id" type="search" class="search" aria-label={t("id")} placeholder={t("id")} defaultValue={trace} />
        <button>{t("view")}</button>
      </form>
      {trace ? <Story key={trace} trace={trace} /> : <p class="quiet">{t("hint")}</p>}
      {!trace && <Latest />}
    </Page>
  );
}

function Story({ trace }: { trace: string }) {
  const found = useLoad(() => ask(api.GET("/oserve/v3/trace/{trace}/", { params: { path: { trace } } })), [trace, place.value]);
  return (
    <Load from={found}>
      {(root) => (
        <>
          <Summary root={root} />
          <Tree root={root} />
        </>
      )}
    </Load>
  );
}

/** The result of the whole trace, and its first failure. */
function Summary({ root }: { root: TraceNode }) {
  const failure = failureOf(root);
  return (
    <>
      <p class="row">
        {root.ok === null && <Badge tone="busy">{t("inProgress")}</Badge>}
        {root.ok === true && <Badge tone="good">{t("succeeded")}</Badge>}
        {root.ok === false && <Badge tone="bad">{t("failed")}</Badge>}
        <span class="quiet">
          {t("started")} <Ago at={root.at} />
          {root.duration_ms !== null && ` · ${duration(root.duration_ms)}`}
        </span>
      </p>
      {failure.length > 0 && (
        <p class="note bad failure">
          {failure.map((name, i) => (
            <bdi key={i}>{name}</bdi>
          ))}
        </p>
      )}
      {root.truncated && <p class="note warn">{t("truncated")}</p>}
    </>
  );
}
