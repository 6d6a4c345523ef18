import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";

import { api, ApiError, ask, askTagged, type Tagged } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { type Clash, Conflict } from "~/ui/conflict";
import { ErrorNote } from "~/ui/error-note";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { toast } from "~/ui/toast";
import { useDraft } from "~/ui/use-draft";
import { NewKeys, showKeys } from "../keys";
import { Findings } from "./findings";
import { type Check, type Form, FormContext, stepOf, useCheck } from "./form";
import type { Draft } from "./lens";
import { StepIf } from "./step-if";
import { StepThen } from "./step-then";
import { StepWhen } from "./step-when";

type Schemas = components["schemas"];

const t = texts({
  back: ["Back", "上一步"],
  createOff: ["Create without enabling", "创建并先试运行"],
  createOn: ["Create and enable", "创建并启用"],
  if: ["Only if", "触发条件"],
  new: ["New trigger", "新建触发器"],
  next: ["Next", "下一步"],
  steps: ["Steps", "步骤"],
  then: ["Then", "执行动作"],
  triggers: ["Triggers", "触发器"],
  when: ["When", "触发类型"],
  errors: ["{n:error|errors} to fix", "{n} 处待修正"],
});

const NEW: Draft = { name: "", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, actions: [] };
const STEPS = ["when", "if", "then"] as const;

/** Makes a trigger, or changes one, in three steps. */
export function EditTrigger() {
  const { trigger } = useRoute().params;
  const id = trigger === undefined ? undefined : Number(trigger);
  const loaded = useLoad(
    () =>
      Promise.all([
        ask(api.GET("/oserve/v3/trigger-choice/")),
        ask(api.GET("/oserve/v1.8/table/", { params: { query: { limit: 1000 } } })),
        id === undefined ? { data: NEW, tag: "" } : read(id),
      ]),
    [trigger, place.value],
  );
  const name = id === undefined ? t("new") : String(loaded.data?.[2].data.name ?? id);
  const crumbs = [{ label: t("triggers"), href: link("triggers") }];
  if (id !== undefined) crumbs.push({ label: name, href: link("triggers", id) });
  return (
    <Page title={id === undefined ? name : `${common("edit")}: ${name}`} crumbs={crumbs}>
      <Load from={loaded}>
        {([choices, tables, first]) => (
          <Steps key={`${place.value?.env} ${id}`} id={id} name={name} first={first as Tagged<Draft>} choices={choices} tables={tables.objects} />
        )}
      </Load>
      <NewKeys />
    </Page>
  );
}

const read = (trigger: number) => askTagged(api.GET("/oserve/v3/trigger/{trigger}/", { params: { path: { trigger } } }));

/** The unsaved draft, and the version that it is based on. */
type Edited = { draft: Draft; base: Draft; tag: string };

type StepsProps = { id: number | undefined; name: string; first: Tagged<Draft> } & Pick<Form, "choices" | "tables">;

function Steps({ id, name, first, choices, tables }: StepsProps) {
  const kept = useDraft<Edited>(`trigger/${id ?? "new"}`);
  const draft = useSignal(kept.kept.peek()?.draft ?? first.data);
  const based = useSignal<{ base: Draft; tag: string }>(kept.kept.peek() ?? { base: first.data, tag: first.tag });
  useSignalEffect(() => {
    if (JSON.stringify(draft.value) === JSON.stringify(based.value.base)) kept.drop();
    else kept.keep(name, { ...based.value, draft: draft.value });
  });
  const step = useSignal(0);
  const { check, failure } = useCheck(draft);
  const left = useSignal<ReadonlySet<string>>(new Set());
  const tried = useSignal<ReadonlySet<number>>(new Set(id === undefined ? [] : [0, 1, 2]));
  const card = useRef<HTMLDivElement>(null);
  const shown = useRef(0);
  const form = useMemo<Form>(() => ({ draft, check, choices, tables, left, tried }), [choices, tables]);

  function go(to: number) {
    tried.value = new Set(tried.peek()).add(step.value);
    step.value = to;
  }

  // The keyboard goes on where the step begins.
  useLayoutEffect(() => {
    if (shown.current !== step.value) card.current?.focus();
    shown.current = step.value;
  }, [step.value]);

  return (
    <FormContext.Provider value={form}>
      <Stepper at={step.value} check={check.value} tried={tried} onGo={go} enabled={draft.value.type !== undefined} />
      <form
        class="editor-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (step.value < 2 && draft.value.type !== undefined) go(step.value + 1);
        }}
      >
        <div class="card" ref={card} tabIndex={-1} role="group" aria-label={t(STEPS[step.value]!)}>
          {step.value === 0 && <StepWhen isNew={id === undefined} />}
          {step.value === 1 && <StepIf />}
          {step.value === 2 && <StepThen />}
        </div>
        <ErrorNote error={failure.value} />
        <Findings onGo={go} />
        <Foot id={id} name={name} form={form} step={step} based={based} onSaved={kept.drop} />
      </form>
    </FormContext.Provider>
  );
}

function Stepper(props: { at: number; check: Check | undefined; tried: Signal<ReadonlySet<number>>; onGo: (step: number) => void; enabled: boolean }) {
  const { at, check, tried, onGo, enabled } = props;
  const wrong = (step: number) =>
    tried.value.has(step) ? (check?.errors.filter((error) => stepOf(error.path) === step).length ?? 0) : 0;
  return (
    <ol class="steps" aria-label={t("steps")}>
      {STEPS.map((name, step) => (
        <li key={name}>
          <button type="button" disabled={!enabled && step > 0} aria-current={at === step ? "step" : undefined} onClick={() => onGo(step)}>
            <span class="step-number">{step + 1}</span> {t(name)}
            {wrong(step) > 0 && <span class="badge bad">{t("errors", { n: wrong(step) })}</span>}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The buttons: back, next, and those of the last step. */
function Foot({
  id,
  name,
  form,
  step,
  based,
  onSaved,
}: {
  id: number | undefined;
  name: string;
  form: Form;
  step: Signal<number>;
  based: Signal<{ base: Draft; tag: string }>;
  onSaved: () => void;
}) {
  const { route } = useLocation();
  const failure = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const clash = useSignal<Clash | undefined>(undefined);
  const last = step.value === STEPS.length - 1;

  async function write(draft: Draft, tag: string, tab = "") {
    const written = await send(id, draft, tag);
    onSaved();
    toast(common("saved"));
    await showKeys(written);
    route(link("triggers", written.id) + tab);
  }

  async function save(enabled?: boolean) {
    if (busy.value) return;
    form.tried.value = new Set([0, 1, 2]);
    busy.value = true;
    failure.value = undefined;
    const draft = enabled === undefined ? form.draft.value : { ...form.draft.value, enabled };
    try {
      await write(draft, based.value.tag, enabled === false ? "?tab=try" : "");
    } catch (error) {
      if (id !== undefined && error instanceof ApiError && error.status === 409) await settle(id, draft).catch((reason) => (failure.value = reason));
      else failure.value = error;
    }
    busy.value = false;
  }

  /** Somebody was faster: where nothing that is edited is different, that is no reason to ask. */
  async function settle(trigger: number, draft: Draft) {
    const now = await read(trigger);
    if (spelled(now.data) === spelled(based.value.base)) return write(draft, now.tag);
    clash.value = { before: spelled(now.data), after: spelled(draft), tag: now.tag };
  }

  /** Continues with a text that is based on the version saved now. */
  function take(text: string) {
    const { before, tag } = clash.value!;
    based.value = { base: JSON.parse(before) as Draft, tag };
    form.draft.value = JSON.parse(text) as Draft;
    clash.value = undefined;
  }

  return (
    <>
      <ErrorNote error={failure.value} />
      <Conflict
        editable
        language="json"
        name={name}
        clash={clash.value}
        onTheirs={() => take(clash.value!.before)}
        onMine={(text) => write(JSON.parse(text) as Draft, clash.value!.tag)}
        onMerge={take}
      />
      <div class="dialog-foot">
        {step.value > 0 && (
          <button type="button" onClick={() => step.value--}>
            {t("back")}
          </button>
        )}
        {!last && <button class="wa-brand" disabled={form.draft.value.type === undefined}>{t("next")}</button>}
        {(last || id !== undefined) && id !== undefined && (
          <button type="button" class={last ? "wa-brand" : ""} disabled={!mayChange.value || busy.value} onClick={() => save()}>
            {common("save")}
          </button>
        )}
        {last && id === undefined && (
          <>
            <button type="button" disabled={!mayChange.value || busy.value} onClick={() => save(false)}>
              {t("createOff")}
            </button>
            <button type="button" class="wa-brand" disabled={!mayChange.value || busy.value} onClick={() => save(true)}>
              {t("createOn")}
            </button>
          </>
        )}
      </div>
    </>
  );
}

/** Saves the draft. Its errors are those of the last check. */
function send(id: number | undefined, draft: Draft, tag: string): Promise<Schemas["Trigger"]> {
  if (id === undefined) return ask(api.POST("/oserve/v3/trigger/", { body: draft as Schemas["TriggerDraft"] }));
  const params = { path: { trigger: id } };
  return ask(api.PUT("/oserve/v3/trigger/{trigger}/", { params, body: draft as Schemas["TriggerChange"], headers: { "If-Match": tag } }));
}

/** The members of a trigger that only the platform changes. */
const KEPT = new Set(["updated_at", "broken", "hook_url", "next_fire_at", "last_fired_at"]);

/** A trigger as text, to be compared. */
function spelled(trigger: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(trigger).filter(([name]) => !KEPT.has(name))), null, 2);
}
