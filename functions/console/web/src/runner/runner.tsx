import { useSignal } from "@preact/signals";
import { Play, X } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { Editor } from "~/editor/editor";
import { bytes, duration } from "~/format";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Badge } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { Json } from "~/ui/json";
import { useLoad } from "~/ui/load";
import { presets } from "./presets";
import { runnerFunction, runnerOpen, runnerPayload } from "./state";

type DebugResult = components["schemas"]["DebugResult"];

const t = texts({
  title: ["Run a function", "运行云函数"],
  function: ["Function", "云函数"],
  like: ["Input like that of", "输入示例"],
  payload: ["Input (JSON)", "输入（JSON）"],
  run: ["Run", "运行"],
  running: ["Running…", "运行中…"],
  done: ["done", "成功"],
  failed: ["failed", "失败"],
  log: ["Log", "日志"],
  result: ["Result", "结果"],
  record: ["The run's page", "运行详情"],
  notJson: ["The input is not JSON: {why}", "输入不是 JSON：{why}"],
});

/** Runs any function from any page, in debug mode: the log and the stack come with the result. */
export function Runner() {
  const result = useSignal<DebugResult | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const functions = useLoad(() => ask(api.GET("/oserve/v1.3/cloud-function/", { params: { query: { limit: 100 } } })), [place.value]);
  const names = functions.data?.objects.map((f) => f.name) ?? [];
  const name = names.includes(runnerFunction.value) ? runnerFunction.value : (names[0] ?? "");

  async function run() {
    busy.value = true;
    failure.value = undefined;
    try {
      const data = parse(runnerPayload.value);
      result.value = await ask(
        api.POST("/oserve/v1.3/cloud-function/{name}/debug/", { params: { path: { name } }, body: { data, subject: "open_api" } }),
      );
    } catch (error) {
      failure.value = error;
    } finally {
      busy.value = false;
    }
  }

  return (
    <section class="runner" aria-label={t("title")}>
      <div class="row">
        <label class="choice">
          {t("function")}
          <select value={name} onChange={(event) => (runnerFunction.value = event.currentTarget.value)}>
            {names.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="choice">
          {t("like")}
          <select onChange={(event) => (runnerPayload.value = JSON.stringify(presets[event.currentTarget.value as keyof typeof presets], null, 2))}>
            {Object.keys(presets).map((source) => (
              <option key={source}>{source}</option>
            ))}
          </select>
        </label>
        <button class="wa-brand" disabled={busy.value || name === ""} onClick={run}>
          <Play size={16} /> {busy.value ? t("running") : t("run")}
        </button>
        <span class="grow" />
        <button class="icon" aria-label={common("close")} onClick={() => (runnerOpen.value = false)}>
          <X size={16} />
        </button>
      </div>
      <div class="runner-body">
        <Editor label={t("payload")} language="json" value={runnerPayload.value} onChange={(value) => (runnerPayload.value = value)} onSave={run} />
        <div class="runner-result" aria-live="polite">
          <ErrorNote error={failure.value} />
          {result.value && <Result of={result.value} name={name} />}
        </div>
      </div>
    </section>
  );
}

function Result({ of, name }: { of: DebugResult; name: string }) {
  const failed = of.code !== 0;
  return (
    <>
      <p class="row">
        <Badge tone={failed ? "bad" : "good"}>{failed ? t("failed") : t("done")}</Badge>
        <span class="quiet">
          {duration(of.execution_time)} · {bytes(of.mem_usage)}
        </span>
        <a href={link("functions", name, "runs", of.job_id)}>{t("record")}</a>
      </p>
      <h3>{t("result")}</h3>
      {failed ? <pre class="log">{of.error.stack ?? `${of.error.type}: ${of.error.message}`}</pre> : <Json value={of.data} />}
      <h3>{t("log")}</h3>
      <pre class="log" tabIndex={0}>
        {of.log}
      </pre>
    </>
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text || "{}");
  } catch (error) {
    throw new Error(t("notJson", { why: (error as Error).message }));
  }
}
