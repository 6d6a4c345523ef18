import { useSignal } from "@preact/signals";
import { Check, Play, Plus, X, Zap } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { runnerFunction, runnerOpen } from "~/runner/state";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Copyable } from "~/ui/copy";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { MAKING } from "~/ui/use-making";

type Trigger = components["schemas"]["Trigger"];

const t = texts({
  call: ["Call the trigger", "调用"],
  callText: ["The call fires the trigger. The trace shows everything that followed.", "事件会触发触发器，追踪页展示全过程。"],
  dismiss: ["Dismiss", "不再显示"],
  done: ["done", "已完成"],
  function: ["Write a function", "编写云函数"],
  functionText: ["JavaScript that runs when you call it or when a trigger fires.", "JavaScript 代码，可直接调用或由事件触发。"],
  run: ["Run the function", "运行"],
  runText: ["Use any input. The result and the log appear right away.", "可使用任意输入，立即显示结果和日志。"],
  title: ["Get started", "快速开始"],
  trigger: ["Create a trigger", "新建触发器"],
  triggerText: ["A trigger runs your function on a call, a row change, a payment, or a schedule.", "等待外部调用、数据变化、支付或定时，然后运行云函数。"],
});

const KEY = "minicloud.steps-known";

/** Four steps for an environment in which not much has happened: function, run, trigger, call. */
export function FirstSteps({ ran, fired, onDone }: { ran: boolean; fired: boolean; onDone: () => Promise<void> }) {
  const known = useSignal(localStorage.getItem(KEY) !== null);
  const query = { limit: 1, keys: "-function_code" } as const;
  const made = useLoad(async () => {
    const [functions, triggers] = await Promise.all([
      ask(api.GET("/oserve/v1.3/cloud-function/", { params: { query } })),
      ask(api.GET("/oserve/v3/trigger/", { params: { query: { limit: 1 } } })),
    ]);
    return { name: functions.objects[0]?.name, trigger: triggers.objects[0] };
  }, [place.value]);
  if (known.value) return null;

  function dismiss() {
    localStorage.setItem(KEY, "1");
    known.value = true;
  }

  return (
    <section class="card first-steps" aria-label={t("title")}>
      <div class="dialog-head">
        <h2>{t("title")}</h2>
        <button class="icon" onClick={dismiss}>
          <X size={14} /> {t("dismiss")}
        </button>
      </div>
      <Load from={made}>{({ name, trigger }) => <Steps name={name} trigger={trigger} ran={ran} fired={fired} onDone={onDone} />}</Load>
    </section>
  );
}

type StepsProps = { name?: string; trigger?: Trigger; ran: boolean; fired: boolean; onDone: () => Promise<void> };

/** The interval of checks whether steps are done; a run is counted with a delay. */
const LOOK_MS = 3000;

function Steps({ name: own, trigger, ran, fired, onDone }: StepsProps) {
  const name = own ?? FUNCTION.name;
  const { route } = useLocation();
  const { failure, run: attempt } = useAction();
  const locked = !mayChange.value;
  useEffect(() => {
    const looking = setInterval(() => void onDone(), LOOK_MS);
    return () => clearInterval(looking);
  }, [onDone]);

  function run() {
    runnerFunction.value = name;
    runnerOpen.value = true;
  }

  async function call() {
    if (!trigger) return;
    await attempt(async () => {
      await ask(api.POST("/oserve/v3/trigger/{trigger}/fire/", { params: { path: { trigger: trigger.id } }, body: {} }));
      await onDone();
      route(link("triggers", trigger.id));
    });
  }

  const add = (folder: string) => (
    <button disabled={locked} onClick={() => route(folder === "triggers" ? link("triggers", "new") : link("functions") + MAKING)}>
      <Plus size={14} /> {common("create")}
    </button>
  );
  return (
    <>
      <ErrorNote error={failure.value} />
      <ol>
        <Step title={t("function")} text={t("functionText")} done={own !== undefined} curl={command("/oserve/v1.3/cloud-function/", FUNCTION)}>
          {add("functions")}
        </Step>
        <Step title={t("run")} text={t("runText")} done={ran} curl={command(`/oserve/v1.3/cloud-function/${name}/job/`, { data: { name: "Ada" } })}>
          <button disabled={locked} onClick={run} title={`${t("run")} (Ctrl+\`)`}>
            <Play size={14} /> {t("run")}
          </button>
        </Step>
        <Step title={t("trigger")} text={t("triggerText")} done={trigger !== undefined} curl={command("/oserve/v3/trigger/", calling(name))}>
          {add("triggers")}
        </Step>
        <Step title={t("call")} text={t("callText")} done={fired} curl={trigger && curlToFire(trigger)}>
          <Do disabled={locked || !trigger} onClick={call}>
            <Zap size={14} /> {t("call")}
          </Do>
        </Step>
      </ol>
    </>
  );
}

function Step({ title, text, done, curl, children }: { title: string; text: string; done: boolean; curl?: string; children: ComponentChildren }) {
  return (
    <li class={done ? "done" : ""}>
      <div class="row">
        <h3>{title}</h3>
        {done ? (
          <span class="badge good">
            <Check size={12} /> {t("done")}
          </span>
        ) : (
          children
        )}
      </div>
      <p class="hint">{text}</p>
      {!done && curl && <Copyable text={curl} label={`curl: ${title}`} />}
    </li>
  );
}

const FUNCTION = { name: "greet", function_code: "exports.main = async (event) => ({ hello: event.data.name })" };

const calling = (name: string) => ({ name: "called", type: "incoming_webhook", condition: {}, actions: [{ type: "cloud_function", settings: { function: name } }] });

function curlToFire(trigger: Trigger): string {
  if (trigger.type === "incoming_webhook") return `curl --json '{"name":"Ada"}' ${trigger.hook_url}`;
  return command(`/oserve/v3/trigger/${trigger.id}/fire/`, {});
}

