import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { PRODUCTION } from "~/place";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Badge, type Tone } from "~/ui/badge";
import { confirm } from "~/ui/confirm";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Load, useLoad } from "~/ui/load";
import { bodyOf, type Body, foresee, type Item, keyOf, kindWords, nameOf, type Options, promote, type Promotion, type Step, type Way } from "./data";
import { Outcomes } from "./outcomes";
import { Warnings } from "./warnings";

const t = texts({
  deleteAction: ["Promote and delete {n:item|items}", "发布并删除 {n} 项"],
  deleteText: ["This deletes items from {to} that are not in {from}: {names}.", "{from} 中没有以下内容，发布会将其从 {to} 删除：{names}。"],
  enable: ["Enable it if it is enabled in {from}", "若在 {from} 中已启用，则直接启用"],
  continue: ["Continue with the pending items", "继续未完成的项"],
  none: ["Nothing can be promoted until the errors below are fixed.", "目前没有可执行的项。"],
  result: ["Result", "发布结果"],
  promote: ["Promote {n:item|items} to {to}", "发布 {n} 项到 {to}"],
  promoteText: ["Items are promoted from {from} to {to} one by one. You can roll back for 90 days.", "将从 {from} 依次发布到 {to}。现有内容会保留，90 天内可恢复。"],
  removeField: ["Delete the column {name} and its values", "删除字段 {name} 及其数据"],
  review: ["Review changes", "发布预览"],
});

const would = texts({
  added: ["will be added", "新增"],
  changed: ["will be changed", "修改"],
  removed: ["will be deleted from {to}", "从 {to} 删除"],
  same: ["unchanged", "不变"],
  failed: ["can't be promoted", "无法执行"],
});

/** The number of deleted items whose names must be typed; for more items it is the name of the environment. */
const TYPED = 3;

const TONES: Record<string, Tone> = { added: "good", changed: "warn", removed: "bad", same: "quiet", failed: "bad" };

/** The review of the selected items: their effects, their options, and the promotion. */
export function Review({ app, way, items, onClose, onDone }: { app: number; way: Way; items: Item[]; onClose: () => void; onDone: () => void }) {
  const carried = useRef(items).current; // they are chosen no more once they are done
  const options = useSignal<ReadonlyMap<string, Options>>(new Map(carried.map((item) => [keyOf(item), { remove_fields: [], enable: false }])));
  const outcome = useSignal<Promotion | undefined>(undefined);
  const action = useAction();
  const keyFor = useKey();
  const body = bodyOf(way, carried, options.value);
  const foreseen = useLoad(() => foresee(app, body), [JSON.stringify(body)]);
  const names = { from: nameOf(way.from), to: nameOf(way.to) };
  const n = foreseen.data?.items.filter((step) => step.done).length ?? 0;

  async function carry() {
    const title = t("promote", { n, ...names });
    const deleted = carried.filter((item, i) => item.change === "removed" && foreseen.data?.items[i]?.done).map((item) => item.name);
    const typed = deleted.length > TYPED ? names.to : deleted.join(", ");
    const name = deleted.length > 0 ? typed : way.to === PRODUCTION ? names.to : undefined;
    const text = [deleted.length > 0 && t("deleteText", { names: deleted.join(", "), ...names }), t("promoteText", names)];
    const action = deleted.length > 0 ? t("deleteAction", { n: deleted.length }) : title;
    if (!(await confirm({ title, text: text.filter(Boolean).join(" "), action, name, everywhere: true }))) return;
    await go();
  }

  const go = () =>
    action.run(async () => {
      outcome.value = await promote(app, body, keyFor(body));
      onDone();
    });

  if (outcome.value) {
    const pending = outcome.value.items.some((step) => step.pending);
    return (
      <Dialog wide open title={t("result")} onClose={onClose} footer={<Foot close={onClose} label={pending ? t("continue") : ""} busy={action.busy.value} act={go} />}>
        <ErrorNote error={action.failure.value} />
        <Outcomes promotion={outcome.value} />
      </Dialog>
    );
  }

  return (
    <Dialog
      wide
      open
      title={t("review")}
      onClose={onClose}
      footer={<Foot close={onClose} label={t("promote", { n, ...names })} busy={action.busy.value || foreseen.loading || n === 0} act={carry} />}
    >
      <ErrorNote error={action.failure.value} />
      <Load from={foreseen}>
        {(promotion) => (
          <>
            {promotion.items.every((step) => !step.done) && <p class="hint bad">{t("none")}</p>}
            <ul class="review">
              {carried.map((item, i) => (
                <Line
                  key={keyOf(item)}
                  item={item}
                  step={promotion.items[i]!}
                  names={names}
                  options={options.value.get(keyOf(item))!}
                  onChange={(next) => (options.value = new Map(options.value).set(keyOf(item), next))}
                />
              ))}
            </ul>
          </>
        )}
      </Load>
    </Dialog>
  );
}

/** The same key for the same promotion, so that an interrupted one continues. */
function useKey(): (body: Body) => string {
  const last = useRef({ text: "", key: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: crypto.randomUUID() };
    return last.current.key;
  };
}

function Foot({ close, label, busy, act }: { close: () => void; label: string; busy: boolean; act: () => void }) {
  return (
    <>
      <button onClick={close}>{common("close")}</button>
      {label && (
        <button class="wa-brand" disabled={busy} onClick={act}>
          {label}
        </button>
      )}
    </>
  );
}

function Line({
  item,
  step,
  names,
  options,
  onChange,
}: {
  item: Item;
  step: Step;
  names: { from: string; to: string };
  options: Options;
  onChange: (next: Options) => void;
}) {
  const what = step.done ? step.change : "failed";
  const toggle = (field: string, yes: boolean) =>
    onChange({ ...options, remove_fields: [...options.remove_fields.filter((name) => name !== field), ...(yes ? [field] : [])] });

  return (
    <li>
      <p class="row">
        <span class="quiet">{kindWords(item.kind)}</span> <code class="clip">{item.name}</code> <Badge tone={TONES[what]!}>{would(what, names)}</Badge>
      </p>
      {step.error && (
        <p class="hint bad" lang="en">
          {step.error}
        </p>
      )}
      <Warnings item={{ ...item, problem: "", warnings: step.warnings }} />
      {item.kind === "trigger" && item.change === "added" && (
        <label class="row">
          <input type="checkbox" checked={options.enable} onChange={(event) => onChange({ ...options, enable: event.currentTarget.checked })} /> {t("enable", names)}
        </label>
      )}
      {item.own_fields.map((field) => (
        <label class="row" key={field}>
          <input type="checkbox" checked={options.remove_fields.includes(field)} onChange={(event) => toggle(field, event.currentTarget.checked)} />{" "}
          {t("removeField", { name: field })}
        </label>
      ))}
    </li>
  );
}
