import { Play, X } from "lucide-preact";
import { useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { bytes, duration, moment, toDate } from "~/format";
import { link, place } from "~/place";
import { runAgain } from "~/runner/state";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Status } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { Do } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { hasEnded } from "./job-list";
import { cancelRun } from "./upcoming";
import { inputOf, resultOf, useLog } from "./use-log";

type Job = components["schemas"]["Job"];

const t = texts({
  runAs: ["Run as", "代用户运行"],
  again: ["Run again…", "再次运行…"],
  attempts: ["{n:attempt|attempts}", "{n} 次尝试"],
  callback: ["Callback", "回调"],
  cancel: ["Cancel run", "取消运行"],
  created: ["Requested", "创建"],
  empty: ["This run printed nothing.", "没有日志。"],
  error: ["Error", "错误"],
  following: ["The log appears when the run ends. This page updates automatically.", "运行结束后显示日志，本页会自动更新。"],
  functions: ["Functions", "云函数"],
  input: ["Input", "输入"],
  memory: ["Memory", "内存"],
  inputGone: ["The input is no longer available", "日志中已没有其输入"],
  runAt: ["Scheduled for", "将运行于"],
  serviceType: ["Service type", "服务方式"],
  started: ["Started", "开始"],
  title: ["Run {id}", "运行 {id}"],
  took: ["Duration", "耗时"],
});

/** The page of a run: its result and its log. */
export function JobPage() {
  const { name = "", job = "" } = useRoute().params;
  const path = { path: { name, job: Number(job) } };
  const { failure, run } = useAction();
  const found = useLoad(() => ask(api.GET("/oserve/v1.3/cloud-function/{name}/job/{job}/", { params: path })), [name, job, place.value]);
  const log = useLog(name, Number(job), () => void found.reload());
  const input = inputOf(log.text.value);

  async function cancel() {
    await run(async () => {
      if (await cancelRun(name, Number(job))) await found.reload();
    });
  }

  const actions = (
    <>
      {found.data?.status === "waiting" && (
        <Do disabled={!mayChange.value} onClick={cancel}>
          <X size={16} /> {t("cancel")}
        </Do>
      )}
      <button
        disabled={input === undefined || !found.data}
        title={input === undefined ? t("inputGone") : undefined}
        onClick={() => runAgain(name, input!, found.data!.source)}
      >
        <Play size={16} /> {t("again")}
      </button>
    </>
  );

  return (
    <Page
      title={t("title", { id: job })}
      crumbs={[
        { label: t("functions"), href: link("functions") },
        { label: name, href: link("functions", name) },
      ]}
      actions={actions}
    >
      <ErrorNote error={failure.value} />
      <Load from={found}>{(it) => <Facts of={it} />}</Load>
      <div class="given">
        <Part title={t("input")} json={input} />
        <Part title={common("result")} json={resultOf(log.text.value)} />
      </div>
      <h2>{common("log")}</h2>
      <ErrorNote error={log.failure.value} />
      {log.following.value ? (
        <p class="quiet" role="status">
          {t("following")}
        </p>
      ) : (
        log.text.value === "" && found.data && hasEnded(found.data.status) && <p class="quiet">{t("empty")}</p>
      )}
      {log.text.value && (
        <pre class="log" tabIndex={0}>
          {log.text.value}
        </pre>
      )}
    </Page>
  );
}

/** The input or the result of a run; nothing if the log does not have it. */
function Part({ title, json }: { title: string; json: string | undefined }) {
  if (json === undefined) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <pre class="json" tabIndex={0}>
        {json}
      </pre>
    </section>
  );
}

function Facts({ of }: { of: Job }) {
  return (
    <dl class="facts">
      <Fact label={common("status")}><Status value={of.status} /></Fact>
      <Fact label={common("source")}>{of.source}</Fact>
      <Fact label={t("serviceType")}>{of.service_type}</Fact>
      <Fact label={t("created")}><Ago at={of.created_at} /></Fact>
      {of.run_at && <Fact label={t("runAt")}>{moment(toDate(of.run_at)!)}</Fact>}
      {of.started_at && <Fact label={t("started")}>{moment(toDate(of.started_at)!)}</Fact>}
      {of.finished_at && (
        <>
          <Fact label={t("took")}>{duration(of.execution_time)}</Fact>
          <Fact label={t("memory")}>{bytes(of.mem_usage)}</Fact>
        </>
      )}
      {of.error.message && <Fact label={t("error")}>{`${of.error.type}: ${of.error.message}`}</Fact>}
      {of.callback && (
        <Fact label={t("callback")}>
          <Status value={of.callback.status} /> {of.callback.url} · {t("attempts", { n: of.callback.attempts })} {of.callback.error}
        </Fact>
      )}
      {of.acted && (
        <Fact label={t("runAs")}>
          <span class="clip">{of.acted.by}</span> → <a href={link("users", of.acted.user_id)}>{of.acted.user_id}</a>
        </Fact>
      )}
      {of.trace_id && <Fact label={common("trace")}><a href={link("trace", of.trace_id)}>{of.trace_id}</a></Fact>}
    </dl>
  );
}
