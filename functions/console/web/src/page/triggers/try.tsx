import { useSignal } from "@preact/signals";
import { FlaskConical, History, Play } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { Editor } from "~/editor/editor";
import { link } from "~/place";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { Badge } from "~/ui/badge";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Do } from "~/ui/form";
import { Json } from "~/ui/json";
import { Options } from "~/ui/options";
import { toast } from "~/ui/toast";
import { OneEvaluation, Rules } from "./why";
import { actionWords } from "./words";

type Schemas = components["schemas"];
type Trigger = Schemas["Trigger"];

const t = texts({
  backTest: ["Back-test", "历史回测"],
  backTestText: ["Evaluates past events. No action runs.", "使用历史事件评估条件，不会执行任何动作。"],
  days: ["Days to look back", "最近天数"],
  dryRun: ["Dry run", "模拟运行"],
  enable: ["Enable trigger", "启用"],
  event: ["Sample event", "样例事件"],
  eventText: ["The value of event.data. Use {} for a sample from the platform.", "即 event.data；{} 使用平台样例。"],
  fire: ["Fire", "触发"],
  fired: ["Trigger fired: {n:action|actions}", "已触发：{n} 个动作"],
  fireText: ["Actions run for real: email is sent, webhooks are called.", "将如真实事件一样执行：会发送邮件、调用 Webhook。"],
  held: ["Conditions met", "条件成立"],
  log: ["View log", "查看日志"],
  notHeld: ["Conditions not met", "条件不成立"],
  off: ["This trigger is disabled. Try it out, then enable it.", "触发器已停用。请试运行后启用。"],
  result: ["{held} of {events} events would have fired this trigger", "{events} 个事件中有 {held} 个会触发"],
  run: ["runs", "将执行"],
});

/** Back-test and dry run: a trigger on past events, and on a sample event. */
export function Try({ trigger, onEnabled }: { trigger: Trigger; onEnabled: () => Promise<void> }) {
  const { failure, run: attempt } = useAction();

  async function enable() {
    await attempt(async () => {
      await ask(api.PUT("/oserve/v3/trigger/{trigger}/", { params: { path: { trigger: trigger.id } }, body: { enabled: true } }));
      await onEnabled();
    });
  }

  return (
    <>
      {!trigger.enabled && (
        <div class="note warn">
          <span>{t("off")}</span>
          <Do disabled={!mayChange.value} onClick={enable}>
            {t("enable")}
          </Do>
        </div>
      )}
      <ErrorNote error={failure.value} />
      <div class="halves">
        <BackTest trigger={trigger} />
        <Sample trigger={trigger} />
      </div>
    </>
  );
}

function BackTest({ trigger }: { trigger: Trigger }) {
  const days = useSignal(7);
  const found = useSignal<Schemas["BackTest"] | undefined>(undefined);
  const { failure, run: attempt } = useAction();

  async function run() {
    await attempt(async () => {
      const params = { path: { trigger: trigger.id } };
      found.value = await ask(api.POST("/oserve/v3/trigger/{trigger}/back-test/", { params, body: { days: days.value } }));
    });
  }

  return (
    <section class="card">
      <h2>{t("backTest")}</h2>
      <p class="hint">{t("backTestText")}</p>
      <Field label={t("days")}>
        <select value={days.value} onChange={(event) => (days.value = Number(event.currentTarget.value))}>
          <Options of={[1, 2, 3, 4, 5, 6, 7]} />
        </select>
      </Field>
      <Do onClick={run}>
        <History size={16} /> {t("backTest")}
      </Do>
      <ErrorNote error={failure.value} />
      {found.value && (
        <div aria-live="polite">
          <p>
            <strong>{t("result", { held: found.value.held, events: found.value.events })}</strong>
            <br />
            <span class="quiet">{found.value.covers}</span>
          </p>
          {found.value.sample.map((it) => (
            <OneEvaluation key={it.event_id} of={it} trigger={trigger} />
          ))}
        </div>
      )}
    </section>
  );
}

function Sample({ trigger }: { trigger: Trigger }) {
  const event = useSignal("{}");
  const seen = useSignal<Schemas["DryRun"] | undefined>(undefined);
  const { failure, run: attempt } = useAction();

  async function fire(dry: boolean) {
    await attempt(async () => {
      const given = JSON.parse(event.value) as Record<string, unknown>;
      const body = Object.keys(given).length > 0 ? { event: given } : {};
      const params = { path: { trigger: trigger.id }, query: dry ? { dry_run: "1" as const } : {} };
      const answer = await ask(api.POST("/oserve/v3/trigger/{trigger}/fire/", { params, body }));
      if ("held" in answer) seen.value = answer;
      else toast(t("fired", { n: answer.actions.length }));
    });
  }

  async function fireForReal() {
    if (await confirm({ title: t("fire"), text: t("fireText"), action: t("fire"), name: trigger.name })) await fire(false);
  }

  return (
    <section class="card sample">
      <h2>{t("event")}</h2>
      <p class="hint">{t("eventText")}</p>
      <Editor label={t("event")} language="json" value={event.value} onChange={(value) => (event.value = value)} />
      <p class="row">
        <Do class="wa-brand" onClick={() => fire(true)}>
          <FlaskConical size={16} /> {t("dryRun")}
        </Do>
        <Do disabled={!mayChange.value} onClick={fireForReal}>
          <Play size={16} /> {t("fire")}
        </Do>
        <a href={link("triggers", trigger.id)}>{t("log")}</a>
      </p>
      <ErrorNote error={failure.value} />
      {seen.value && <DryRun trigger={trigger} seen={seen.value} />}
    </section>
  );
}

function DryRun({ trigger, seen }: { trigger: Trigger; seen: Schemas["DryRun"] }) {
  const typeOf = (id: number) => trigger.actions.find((action) => action.id === id)?.type;
  return (
    <div aria-live="polite">
      <p>
        <Badge tone={seen.held ? "good" : "bad"}>{seen.held ? t("held") : t("notHeld")}</Badge>
      </p>
      <Rules rules={seen.rules ?? []} />
      {seen.actions.map(({ action, would, rendered }) => {
        const type = typeOf(action);
        return (
          <details key={action} open={seen.held}>
            <summary>
              {type ? actionWords(type) : action}: {would === "run" ? t("run") : would}
            </summary>
            <Json value={rendered} />
          </details>
        );
      })}
    </div>
  );
}
