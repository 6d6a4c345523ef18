import { useSignal } from "@preact/signals";
import { Play, Save, Trash2 } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { runnerFunction, runnerOpen } from "~/runner/state";
import { useKeys } from "~/shell/keys";
import { common, texts } from "~/text";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Tabs } from "~/ui/tabs";
import { toast } from "~/ui/toast";
import { useUnsaved } from "~/ui/unsaved";
import { Code } from "./code";
import { Jobs } from "./jobs";
import { Variables } from "./variables";
import { Versions } from "./versions";

const t = texts({
  functions: ["Functions", "云函数"],
  run: ["Run", "运行"],
  code: ["Code", "代码"],
  jobs: ["Runs", "运行记录"],
  versions: ["Versions", "版本"],
  variables: ["Variables", "环境变量"],
  saveVersion: ["Save as a new version", "保存为新版本"],
  unsaved: ["Not saved yet", "尚未保存"],
  saved: ["Saved as version {n}", "已保存为版本 {n}"],
  deleteTitle: ["Delete {name}?", "删除 {name}？"],
  deleteText: ["This also deletes its versions and variables. Triggers that call this function will fail.", "其版本和变量将一并删除，调用它的触发器会失败。"],
});

/** One function: its code, what it did, what it was, what it knows. */
export function FunctionPage() {
  const { name = "" } = useRoute().params;
  const { route } = useLocation();
  const code = useSignal<string | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const saving = useSignal(false);
  const path = { path: { name } };
  const found = useLoad(() => ask(api.GET("/oserve/v1.3/cloud-function/{name}/", { params: path })), [name, place.value]);
  const changed = code.value !== undefined && code.value !== found.data?.function_code;

  useEffect(() => {
    runnerFunction.value = name;
    code.value = undefined;
  }, [name, place.value?.app, place.value?.env]);

  useUnsaved(name, changed);

  async function save() {
    if (!changed || !mayChange.value || saving.value) return;
    saving.value = true;
    try {
      const saved = await ask(api.PATCH("/oserve/v1.3/cloud-function/{name}/", { params: path, body: { function_code: code.value! } }));
      failure.value = undefined;
      await found.reload();
      toast(t("saved", { n: saved.version }));
    } catch (error) {
      failure.value = error;
    } finally {
      saving.value = false;
    }
  }
  // The key outlives the moment it was bound in.
  const latest = useRef(save);
  latest.current = save;
  useKeys([{ keys: "$mod+s", label: t("saveVersion"), run: () => void latest.current() }]);

  async function remove() {
    const sure = await confirm({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete"), name });
    if (!sure) return;
    try {
      await ask(api.DELETE("/oserve/v1.3/cloud-function/{name}/", { params: path }));
      route(link("functions"));
    } catch (error) {
      failure.value = error;
    }
  }

  const actions = (
    <>
      {changed && <span class="quiet">{t("unsaved")}</span>}
      <button class="wa-brand" disabled={!changed || !mayChange.value} onClick={save} title={`${common("save")} (Ctrl+S)`}>
        <Save size={16} /> {common("save")}
      </button>
      <button onClick={() => (runnerOpen.value = true)} title={`${t("run")} (Ctrl+\`)`}>
        <Play size={16} /> {t("run")}
      </button>
      <button class="icon" disabled={!mayChange.value} title={common("delete")} aria-label={common("delete")} onClick={remove}>
        <Trash2 size={16} />
      </button>
    </>
  );

  return (
    <Page title={name} crumbs={[{ label: t("functions"), href: link("functions") }]} actions={actions}>
      <ErrorNote error={failure.value} />
      <Load from={found}>
        {(f) => (
          <Tabs
            label={name}
            tabs={[
              {
                key: "code",
                label: t("code"),
                panel: () => <Code value={code.value ?? f.function_code} onChange={(value) => (code.value = value)} onSave={save} />,
              },
              { key: "jobs", label: t("jobs"), panel: () => <Jobs name={name} /> },
              { key: "versions", label: t("versions"), panel: () => <Versions name={name} onRestored={found.reload} /> },
              { key: "variables", label: t("variables"), panel: () => <Variables name={name} /> },
            ]}
          />
        )}
      </Load>
    </Page>
  );
}
