import { useSignal } from "@preact/signals";
import { Clock, History, Play, X } from "lucide-preact";

import { actingClient, actingName } from "~/acting";
import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { Editor } from "~/editor/editor";
import { bytes, duration } from "~/format";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { useKeys } from "~/shell/keys";
import { common, texts } from "~/text";
import { Badge } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { Json } from "~/ui/json";
import { useLoad } from "~/ui/load";
import { Options } from "~/ui/options";
import { Earlier } from "./earlier";
import { InputSource } from "./input";
import { Later } from "./later";
import { parsePayload } from "./payload";
import { runnerFunction, runnerOpen, runnerPayload, runnerSource, unsavedFunction } from "./state";

type DebugResult = components["schemas"]["DebugResult"];

const t = texts({
  chooseTable: ["Select the table of the row", "请选择该行所属的数据表"],
  done: ["done", "成功"],
  earlier: ["Earlier input…", "以往输入…"],
  failed: ["failed", "失败"],
  hint: ["Press Ctrl+Enter to run. The log and the result appear here.", "Ctrl+Enter 运行，日志和结果显示在这里。"],
  later: ["Later…", "稍后…"],
  log: ["Log", "日志"],
  notSaved: ["The code could not be saved, so it was not run.", "代码未保存，因此未运行。"],
  payload: ["Input (JSON)", "输入（JSON）"],
  record: ["View run", "运行详情"],
  run: ["Run", "运行"],
  runAs: ["Run as {name}", "以 {name} 运行"],
  running: ["Running…", "运行中…"],
  saveAndRun: ["Save and run", "保存并运行"],
  saveAndRunAs: ["Save and run as {name}", "保存并以 {name} 运行"],
  started: ["Run {id} is waiting to start.", "运行 {id} 正在等待。"],
  version: ["version {n}", "版本 {n}"],
  title: ["Run a function", "运行云函数"],
});

/** Runs any function from any page, in debug mode: the log and the stack come with the result. */
export function Runner() {
  const result = useSignal<DebugResult | undefined>(undefined);
  const started = useSignal<number | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const version = useSignal("");
  const table = useSignal<number | undefined>(undefined);
  const dialog = useSignal<"earlier" | "later" | undefined>(undefined);
  const functions = useLoad(() => ask(api.GET("/oserve/v1.3/cloud-function/", { params: { query: { limit: 1000, keys: "-function_code" } } })), [place.value]);
  const listed = functions.data?.objects.map((f) => f.name) ?? [];
  const name = runnerFunction.value || (listed[0] ?? "");
  // A function that is not among the first thousand can still be run from its own page.
  const names = listed.includes(name) || name === "" ? listed : [name, ...listed];
  const ready = name !== "" && mayChange.value;

  // Only saved code runs, so unsaved code on the screen is saved first.
  const unsaved = unsavedFunction.value?.name === name ? unsavedFunction.value : undefined;

  async function run() {
    if (busy.value || !ready) return;
    busy.value = true;
    failure.value = undefined;
    try {
      if (unsaved && !(await unsaved.save())) throw new Error(t("notSaved"));
      const subject = runnerSource.value;
      if (subject === "flex_schema" && table.value === undefined) throw new Error(t("chooseTable"));
      const body = { data: parsePayload(runnerPayload.value), subject, schema_id: subject === "flex_schema" ? table.value : undefined };
      const client = await actingClient();
      const answer = client.POST("/oserve/v1.3/cloud-function/{name}/debug/", { params: { path: { name } }, body });
      result.value = await ask(answer);
      version.value = (await answer).response.headers.get("X-Service-Function-Version") ?? "";
      started.value = undefined;
    } catch (error) {
      failure.value = error;
    } finally {
      busy.value = false;
    }
  }

  useKeys([{ keys: "$mod+Enter", label: t("run"), run: () => void run() }]);

  function onStarted(job: number) {
    started.value = job;
    result.value = undefined;
  }

  return (
    <section class="runner" aria-label={t("title")}>
      <div class="row">
        <label class="choice">
          {common("function")}
          <select value={name} onChange={(event) => (runnerFunction.value = event.currentTarget.value)}>
            <Options of={names} />
          </select>
        </label>
        <InputSource table={table.value} onTable={(id) => (table.value = id)} onError={(error) => (failure.value = error)} />
        <button disabled={name === ""} onClick={() => (dialog.value = "earlier")}>
          <History size={16} /> {t("earlier")}
        </button>
        <span class="grow" />
        <button disabled={!ready} onClick={() => (dialog.value = "later")}>
          <Clock size={16} /> {t("later")}
        </button>
        <button class="wa-brand" disabled={busy.value || !ready} title={`${t("run")} (Ctrl+Enter)`} onClick={run}>
          <Play size={16} /> {busy.value ? t("running") : actingName.value === undefined ? t(unsaved ? "saveAndRun" : "run") : t(unsaved ? "saveAndRunAs" : "runAs", { name: actingName.value })}
        </button>
        <button class="icon" aria-label={common("close")} title={`${common("close")} (Ctrl+\`)`} onClick={() => (runnerOpen.value = false)}>
          <X size={16} />
        </button>
      </div>
      <div class="runner-body">
        <Editor
          label={t("payload")}
          language="json"
          value={runnerPayload.value}
          onChange={(value) => (runnerPayload.value = value)}
          onSave={run}
          onRun={run}
          autofocus
        />
        <div class="runner-result" aria-live="polite">
          <ErrorNote error={failure.value} />
          {started.value !== undefined && (
            <p>
              <a href={link("functions", name, "runs", started.value)}>{t("started", { id: started.value })}</a>
            </p>
          )}
          {result.value ? <Result of={result.value} name={name} version={version.value} /> : started.value === undefined && <p class="quiet">{t("hint")}</p>}
        </div>
      </div>
      <Earlier name={name} open={dialog.value === "earlier"} onClose={() => (dialog.value = undefined)} />
      <Later name={name} open={dialog.value === "later"} onClose={() => (dialog.value = undefined)} onStarted={onStarted} />
    </section>
  );
}

function Result({ of, name, version }: { of: DebugResult; name: string; version: string }) {
  const failed = of.code !== 0;
  return (
    <>
      <p class="row">
        <Badge tone={failed ? "bad" : "good"}>{failed ? t("failed") : t("done")}</Badge>
        <span class="quiet">
          {duration(of.execution_time)} · {bytes(of.mem_usage)}
          {version && ` · ${t("version", { n: version })}`}
        </span>
        <a href={link("functions", name, "runs", of.job_id)}>{t("record")}</a>
      </p>
      <h2>{common("result")}</h2>
      {failed ? <pre class="log">{of.error.stack || `${of.error.type}: ${of.error.message}`}</pre> : <Json value={of.data} />}
      <h2>{t("log")}</h2>
      <pre class="log" tabIndex={0}>
        {of.log}
      </pre>
    </>
  );
}
