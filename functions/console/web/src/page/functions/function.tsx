import { useSignal } from "@preact/signals";
import { Play, Save, Trash2 } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";

import { api, ApiError, ask, askTagged } from "~/api/client";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { runnerFunction, runnerOpen, unsavedFunction } from "~/runner/state";
import { useKeys } from "~/shell/keys";
import { common, texts } from "~/text";
import { type Clash, Conflict } from "~/ui/conflict";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Tabs } from "~/ui/tabs";
import { toast } from "~/ui/toast";
import { useDraft } from "~/ui/use-draft";
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
  saveVersion: ["Save new version", "保存为新版本"],
  unsaved: ["Unsaved changes", "尚未保存"],
  saved: ["Saved as version {n}", "已保存为版本 {n}"],
  deleteTitle: ["Delete {name}?", "删除 {name}？"],
  deleteText: ["This also deletes its versions and variables, and can't be undone. Triggers that call this function will fail.", "其版本和变量将一并删除，调用它的触发器会失败。"],
});

/** The unsaved code, and the version that it is based on. */
type Edited = { code: string; base: string; tag: string };

/** The page of a function: its code, runs, versions, and variables. */
export function FunctionPage() {
  const { name = "" } = useRoute().params;
  const { route } = useLocation();
  const draft = useDraft<Edited>("function/" + name);
  const clash = useSignal<Clash | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const saving = useSignal(false);
  const shown = useSignal(0);
  const path = { path: { name } };
  const read = () => askTagged(api.GET("/oserve/v1.3/cloud-function/{name}/", { params: path }));
  const found = useLoad(read, [name, place.value]);
  const edited = draft.kept.value;
  const changed = edited !== undefined && edited.code !== found.data?.data.function_code;

  useEffect(() => {
    runnerFunction.value = name;
    clash.value = undefined;
  }, [name, place.value?.app, place.value?.env]);

  function type(code: string) {
    const { data, tag } = found.data!;
    if (code === data.function_code) draft.drop();
    else draft.keep(name, { base: data.function_code, tag, ...draft.kept.peek(), code });
  }

  async function write(code: string, tag: string) {
    const body = { function_code: code };
    const saved = await askTagged(api.PATCH("/oserve/v1.3/cloud-function/{name}/", { params: path, body, headers: { "If-Match": tag } }));
    clash.value = undefined;
    const typed = draft.kept.peek()?.code ?? code;
    if (typed !== code) draft.keep(name, { code: typed, base: code, tag: saved.tag }); // typing went on
    await found.reload(); // before the draft goes: the editor shows one or the other
    if (draft.kept.peek()?.code === code) draft.drop();
    toast(t("saved", { n: saved.data.version }));
  }

  /** Whether everything that is typed is saved now. */
  async function save(): Promise<boolean> {
    const it = draft.kept.peek();
    if (!it || !changed) return true;
    if (!mayChange.value || saving.value) return false;
    saving.value = true;
    failure.value = undefined;
    try {
      await write(it.code, it.tag);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return await settle(it).catch((reason) => ((failure.value = reason), false));
      failure.value = error;
      return false;
    } finally {
      saving.value = false;
    }
  }

  /** Somebody was faster: where it was not the code that they changed, that is no reason to ask. */
  async function settle({ code, base }: Edited): Promise<boolean> {
    const { data, tag } = await read();
    if (data.function_code === base) {
      await write(code, tag);
      return true;
    }
    clash.value = { before: data.function_code, after: code, tag };
    return false;
  }

  /** Shows the saved code in a new editor, because its text was not typed. */
  async function takeTheirs() {
    clash.value = undefined;
    await found.reload();
    draft.drop();
    shown.value++;
  }

  async function saveMine(code: string) {
    const { before, tag } = clash.value!;
    draft.keep(name, { code, base: before, tag });
    await write(code, tag);
    shown.value++;
  }

  async function merge(code: string) {
    draft.keep(name, { code, base: clash.value!.before, tag: clash.value!.tag });
    clash.value = undefined;
    shown.value++;
    await found.reload();
  }

  // The key outlives the moment it was bound in.
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    unsavedFunction.value = changed && mayChange.value ? { name, save: () => latest.current() } : undefined;
    return () => void (unsavedFunction.value = undefined);
  }, [name, changed]);
  useKeys([{ keys: "$mod+s", label: t("saveVersion"), run: () => void latest.current() }]);

  async function remove() {
    const sure = await confirm({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete"), name });
    if (!sure) return;
    try {
      await ask(api.DELETE("/oserve/v1.3/cloud-function/{name}/", { params: path }));
      draft.drop();
      route(link("functions"));
    } catch (error) {
      failure.value = error;
    }
  }

  const actions = (
    <>
      {changed && <span class="quiet">{t("unsaved")}</span>}
      <button class="wa-brand" disabled={!changed || !mayChange.value || saving.value} aria-busy={saving.value || undefined} onClick={save} title={`${common("save")} (Ctrl+S)`}>
        <Save size={16} /> {common("save")}
      </button>
      <button onClick={() => (runnerOpen.value = true)} title={`${t("run")} (Ctrl+\`)`}>
        <Play size={16} /> {t("run")}
      </button>
      <Do class="icon" disabled={!mayChange.value} title={common("delete")} aria-label={common("delete")} onClick={remove}>
        <Trash2 size={16} />
      </Do>
    </>
  );

  return (
    <Page title={name} crumbs={[{ label: t("functions"), href: link("functions") }]} actions={actions}>
      <ErrorNote error={failure.value} />
      <Load from={found}>
        {({ data: f, tag }) => (
          <Tabs
            label={name}
            tabs={[
              {
                key: "code",
                label: t("code"),
                panel: () => <Code key={shown.value} value={edited?.code ?? f.function_code} onChange={type} onSave={save} />,
              },
              { key: "jobs", label: t("jobs"), panel: () => <Jobs name={name} /> },
              { key: "versions", label: t("versions"), panel: () => <Versions name={name} tag={tag} unsaved={changed} onRestored={takeTheirs} /> },
              { key: "variables", label: t("variables"), panel: () => <Variables name={name} /> },
            ]}
          />
        )}
      </Load>
      <Conflict
        editable
        language="javascript"
        name={name}
        clash={clash.value}
        onTheirs={takeTheirs}
        onMine={saveMine}
        onMerge={merge}
      />
    </Page>
  );
}
