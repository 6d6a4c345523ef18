import { useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import { bytes, duration } from "~/format";
import { link, place } from "~/place";
import { texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { JobBadge } from "./jobs";

const t = texts({
  functions: ["Functions", "云函数"],
  title: ["Run {id}", "运行 {id}"],
  status: ["Status", "状态"],
  source: ["Source", "来源"],
  created: ["Asked for", "创建"],
  took: ["Took", "耗时"],
  memory: ["Memory", "内存"],
  error: ["Error", "错误"],
  log: ["Log", "日志"],
  trace: ["What led to it", "追踪"],
});

/** One run: how it ended and what it said. */
export function JobPage() {
  const { name = "", job = "" } = useRoute().params;
  const path = { path: { name, job: Number(job) } };
  const found = useLoad(() => ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/{job}/", { params: path })), [name, job, place.value]);
  const log = useLoad(
    () => ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/{job}/log/", { params: path, parseAs: "text" })),
    [name, job, place.value],
  );
  const crumbs = [
    { label: t("functions"), href: link("functions") },
    { label: name, href: link("functions", name) },
  ];

  return (
    <Page title={t("title", { id: job })} crumbs={crumbs}>
      <Load from={found}>
        {(it) => (
          <dl class="facts">
            <dt>{t("status")}</dt>
            <dd>
              <JobBadge status={it.status} />
            </dd>
            <dt>{t("source")}</dt>
            <dd>{it.source}</dd>
            <dt>{t("created")}</dt>
            <dd>
              <Ago at={it.created_at} />
            </dd>
            <dt>{t("took")}</dt>
            <dd>{duration(it.execution_time)}</dd>
            <dt>{t("memory")}</dt>
            <dd>{bytes(it.mem_usage)}</dd>
            {it.error.message && (
              <>
                <dt>{t("error")}</dt>
                <dd>
                  {it.error.type}: {it.error.message}
                </dd>
              </>
            )}
            {it.trace_id && (
              <>
                <dt>{t("trace")}</dt>
                <dd>
                  <a href={link("trace", it.trace_id)}>{it.trace_id}</a>
                </dd>
              </>
            )}
          </dl>
        )}
      </Load>
      <h2>{t("log")}</h2>
      <Load from={log}>{(text) => <pre class="log" tabIndex={0}>{text}</pre>}</Load>
    </Page>
  );
}
