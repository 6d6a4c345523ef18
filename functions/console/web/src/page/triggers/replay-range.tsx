import { useSignal } from "@preact/signals";
import { FlaskConical, RotateCcw } from "lucide-preact";
import { useEffect } from "preact/hooks";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { localTime, unixSeconds } from "~/format";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Do } from "~/ui/form";
import { Progress } from "./progress";
import { actionWords } from "./words";

type Schemas = components["schemas"];
type Trigger = Schemas["Trigger"];
type Range = { from: number; to: number; only_failed: boolean; action?: number };

const t = texts({
  action: ["Action", "动作"],
  all: ["all", "全部"],
  preview: ["Preview", "先模拟"],
  failedOnly: ["Failed actions only", "仅失败的记录"],
  from: ["From", "从"],
  none: ["No entries to replay in this time range.", "该时间段内没有可重放的记录。"],
  replay: ["Replay {n}", "重放 {n} 条"],
  title: ["Replay a time range", "重放时间段"],
  to: ["To", "至"],
  would: ["{n} × {effect}", "{n} × {effect}"],
  previewOf: ["Preview of {n:replay|replays}:", "重放 {n} 条将执行："],
});

const DAY_S = 86400;
const ASK_EVERY_MS = 700;

/** Replays a time range of a trigger's log: shows a preview first, then the progress. */
export function ReplayRange({ trigger, open, onClose }: { trigger: Trigger; open: boolean; onClose: () => void }) {
  return (
    <Dialog title={t("title")} open={open} onClose={onClose}>
      <Choose trigger={trigger} />
    </Dialog>
  );
}

function Choose({ trigger }: { trigger: Trigger }) {
  const now = Math.floor(Date.now() / 1000);
  const range = useSignal<Range>({ from: now - DAY_S, to: now + 60, only_failed: true });
  const foreseen = useSignal<{ count: number; would_repeat: Schemas["Repeat"][] } | undefined>(undefined);
  const operation = useSignal<number | undefined>(undefined);
  const { failure, run } = useAction();
  const params = { path: { trigger: trigger.id } };

  function change(part: Partial<Range>) {
    range.value = { ...range.value, ...part };
    foreseen.value = undefined;
  }

  async function send(dry: boolean) {
    await run(async () => {
      const query = dry ? { dry_run: "1" as const } : {};
      const answer = await ask(api.POST("/oserve/v3/trigger/{trigger}/replay/", { params: { ...params, query }, body: range.value }));
      if ("would_repeat" in answer) foreseen.value = answer;
      else operation.value = answer.operation_id;
    });
  }

  if (operation.value !== undefined) return <Operation id={operation.value} />;
  return (
    <>
      <RangeFields trigger={trigger} range={range.value} onChange={change} />
      <ErrorNote error={failure.value} />
      {foreseen.value && <ReplayEffect {...foreseen.value} />}
      <div class="dialog-foot">
        <Do onClick={() => send(true)}>
          <FlaskConical size={16} /> {t("preview")}
        </Do>
        {foreseen.value && foreseen.value.count > 0 && (
          <Do class="wa-brand" disabled={!mayChange.value} onClick={() => send(false)}>
            <RotateCcw size={16} /> {t("replay", { n: foreseen.value.count })}
          </Do>
        )}
      </div>
    </>
  );
}

function RangeFields({ trigger, range, onChange }: { trigger: Trigger; range: Range; onChange: (part: Partial<Range>) => void }) {
  const moment = (name: "from" | "to") => (
    <Field label={t(name)}>
      <input
        type="datetime-local"
        value={localTime(new Date(range[name] * 1000))}
        onChange={({ currentTarget: { value } }) => value && onChange({ [name]: unixSeconds(value) })}
      />
    </Field>
  );
  return (
    <>
      <div class="pair">
        {moment("from")}
        {moment("to")}
      </div>
      <Field label={t("action")}>
        <select
          value={range.action ?? ""}
          onChange={({ currentTarget: { value } }) => onChange({ action: value === "" ? undefined : Number(value) })}
        >
          <option value="">{t("all")}</option>
          {trigger.actions.map(({ id, type }) => (
            <option key={id} value={id}>
              {actionWords(type)} {id}
            </option>
          ))}
        </select>
      </Field>
      <label class="row">
        <input type="checkbox" checked={range.only_failed} onChange={(event) => onChange({ only_failed: event.currentTarget.checked })} />{" "}
        {t("failedOnly")}
      </label>
    </>
  );
}

/** The effects, each with how often it would be. */
function ReplayEffect({ count, would_repeat }: { count: number; would_repeat: Schemas["Repeat"][] }) {
  if (count === 0) return <p class="quiet">{t("none")}</p>;
  const often = new Map<string, number>();
  for (const { effect, why } of would_repeat) {
    const said = why ? `${effect} – ${why}` : effect;
    often.set(said, (often.get(said) ?? 0) + 1);
  }
  return (
    <div aria-live="polite">
      <p>{t("previewOf", { n: count })}</p>
      <ul>
        {[...often].map(([effect, n]) => (
          <li key={effect}>{t("would", { n, effect })}</li>
        ))}
      </ul>
    </div>
  );
}

/** A bulk operation until it has ended. */
function Operation({ id }: { id: number }) {
  const state = useSignal<Schemas["BulkOperation"] | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);

  useEffect(() => {
    let gone = false;
    async function follow() {
      try {
        state.value = await ask(api.GET("/oserve/v1/bulk-operation/{id}/", { params: { path: { id } } }));
        const ended = state.value.status === "success" || state.value.status === "failed";
        if (!gone && !ended) setTimeout(() => void follow(), ASK_EVERY_MS);
      } catch (error) {
        failure.value = error;
      }
    }
    void follow();
    return () => void (gone = true);
  }, [id]);

  const { succeed = 0, failed = 0, total_count, error_msg, status } = state.value ?? {};
  return (
    <>
      <Progress done={succeed + failed} total={total_count ?? 0} failed={failed} />
      <p class="quiet">{status ?? common("loading")}</p>
      <ErrorNote error={failure.value ?? error_msg} />
    </>
  );
}
