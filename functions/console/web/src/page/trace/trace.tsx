import { useLocation, useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { duration, moment } from "~/format";
import { link, place } from "~/place";
import { texts } from "~/text";
import { Badge } from "~/ui/badge";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { waterfall } from "./waterfall";

type TraceNode = components["schemas"]["TraceNode"];

const t = texts({
  failed: ["failed", "失败"],
  find: ["Show", "查看"],
  going: ["goes on", "进行中"],
  hint: [
    "Every answer of the API says its trace in X-Request-Id; log entries and runs link to theirs.",
    "API 的每个响应都在 X-Request-Id 中给出追踪 ID；日志和运行记录都有链接。",
  ],
  id: ["Trace id", "追踪 ID"],
  title: ["Trace", "追踪"],
  truncated: ["there was more than is shown", "仅显示部分"],
  what: ["What happened", "发生了什么"],
  took: ["Took", "耗时"],
  when: ["When", "时间"],
});

/** What one request or event led to, as a waterfall. */
export function TracePage() {
  const { trace = "" } = useRoute().params;
  const { route } = useLocation();

  function find(event: SubmitEvent) {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get("id")).trim();
    if (id) route(link("trace", id));
  }

  return (
    <Page title={t("title")}>
      <form class="row filters" role="search" onSubmit={find}>
        <input key={trace} name="id" type="search" class="search" aria-label={t("id")} placeholder={t("id")} defaultValue={trace} />
        <button>{t("find")}</button>
      </form>
      {trace ? <Tree trace={trace} /> : <p class="quiet">{t("hint")}</p>}
    </Page>
  );
}

function Tree({ trace }: { trace: string }) {
  const found = useLoad(() => ask(api.GET("/oserve/v3/trace/{trace}/", { params: { path: { trace } } })), [trace, place.value]);
  return <Load from={found}>{(root) => <Waterfall root={root} />}</Load>;
}

function Waterfall({ root }: { root: TraceNode }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("title")}>
      <table class="waterfall">
        <thead>
          <tr>
            <th scope="col">{t("what")}</th>
            <th scope="col" class="numeric">
              {t("took")}
            </th>
            <th scope="col" class="bars">
              {t("when")}
            </th>
          </tr>
        </thead>
        <tbody>
          {waterfall(root).map(({ node, depth, from, width }, i) => (
            <tr key={i}>
              <td>
                <Name node={node} depth={depth} />
              </td>
              <td class="numeric">{node.duration_ms === null ? t("going") : duration(node.duration_ms)}</td>
              <td class="bars" title={moment(new Date(node.at))}>
                <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
                  <rect x={from * 1000} y="3" width={Math.max(4, width * 1000)} height="10" rx="3" class={node.ok === false ? "bad" : ""} />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What depends on another stands further right; a chain of triggers ends after eight. */
function Name({ node, depth }: { node: TraceNode; depth: number }) {
  return (
    <span class={`deep-${Math.min(depth, 12)}`}>
      <Badge tone="quiet">{node.kind}</Badge> <span class="clip">{node.name}</span> {node.ok === false && <Badge tone="bad">{t("failed")}</Badge>}
      {node.truncated && <Badge tone="warn">{t("truncated")}</Badge>}
    </span>
  );
}
