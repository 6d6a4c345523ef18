import { useSignal } from "@preact/signals";
import { TriangleAlert } from "lucide-preact";

import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Badge, type Tone } from "~/ui/badge";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { canGo, compare, type Item, type Kind, keyOf, KINDS, nameOf, type Way } from "./data";
import { Pair } from "./pair";
import { Review } from "./review";

const t = texts({
  all: ["Select all", "全选"],
  change: ["Difference", "差异"],
  choose: ["Select {name}", "选择 {name}"],
  clear: ["Clear selection", "取消选择"],
  none: ["{from} and {to} have the same functions, tables, and triggers. There is nothing to promote.", "{from} 与 {to} 的云函数、数据表和触发器相同。"],
  note: ["Note", "说明"],
  review: ["Review {n:item|items}…", "核对 {n} 项…"],
  same: ["{n:item|items} unchanged", "{n} 项相同"],
  tooMany: ["You can promote at most {n} items at a time.", "一次最多 {n} 项"],
});

const heads = texts({
  function: ["Functions", "云函数"],
  table: ["Tables", "数据表"],
  trigger: ["Triggers", "触发器"],
});

/** The names of differences. */
const changes = texts({
  added: ["new", "新增"],
  changed: ["changed", "不同"],
  removed: ["only in {to}", "仅 {to} 有"],
  same: ["unchanged", "相同"],
});

const TONES: Record<Item["change"], Tone> = { added: "good", changed: "warn", removed: "quiet", same: "quiet" };
const MOST = 50;

/** The differences between two environments, and the items selected for promotion. */
export function Comparison({ app, way }: { app: number; way: Way }) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const shown = useSignal<Item | undefined>(undefined);
  const reviewing = useSignal(false);
  const found = useLoad(() => compare(app, way), [app, way.from, way.to]);

  /** Selects items together with those that they need. A deletion is never selected for another item. */
  function choose(items: readonly Item[], yes: boolean) {
    const next = new Set(chosen.value);
    const add = (item: Item) => {
      if (next.has(keyOf(item))) return;
      next.add(keyOf(item));
      for (const need of item.needs) (found.data ?? []).filter((other) => keyOf(other) === keyOf(need) && canGo(other) && other.change !== "removed").forEach(add);
    };
    for (const item of items) yes ? add(item) : next.delete(keyOf(item));
    chosen.value = next;
  }

  return (
    <Load from={found}>
      {(items) => {
        const differing = items.filter((item) => item.change !== "same");
        const wanted = differing.filter((item) => chosen.value.has(keyOf(item)));
        if (differing.length === 0) return <p class="quiet">{t("none", { from: nameOf(way.from), to: nameOf(way.to) })}</p>;
        return (
          <>
            <div class="row filters">
              <button onClick={() => choose(differing.filter((item) => canGo(item) && item.change !== "removed"), true)}>{t("all")}</button>
              <button disabled={wanted.length === 0} onClick={() => (chosen.value = new Set())}>
                {t("clear")}
              </button>
              <span class="quiet">{t("same", { n: items.length - differing.length })}</span>
              <span class="grow" />
              {wanted.length > MOST && <span class="hint bad">{t("tooMany", { n: MOST })}</span>}
              <button
                class="wa-brand"
                disabled={wanted.length === 0 || wanted.length > MOST || !mayChange.value}
                onClick={() => (reviewing.value = true)}
              >
                {t("review", { n: wanted.length })}
              </button>
            </div>
            {KINDS.map((kind) => (
              <Differences
                key={kind}
                kind={kind}
                way={way}
                items={differing.filter((item) => item.kind === kind)}
                isChosen={(item) => chosen.value.has(keyOf(item))}
                onChoose={(item, yes) => choose([item], yes)}
                onShow={(item) => (shown.value = item)}
              />
            ))}
            <Pair item={shown.value} way={way} onClose={() => (shown.value = undefined)} />
            {reviewing.value && (
              <Review
                app={app}
                way={way}
                items={wanted}
                onClose={() => (reviewing.value = false)}
                onDone={() => {
                  chosen.value = new Set();
                  void found.reload();
                }}
              />
            )}
          </>
        );
      }}
    </Load>
  );
}

function Differences({
  kind,
  way,
  items,
  isChosen,
  onChoose,
  onShow,
}: {
  kind: Kind;
  way: Way;
  items: Item[];
  isChosen: (item: Item) => boolean;
  onChoose: (item: Item, yes: boolean) => void;
  onShow: (item: Item) => void;
}) {
  if (items.length === 0) return null;
  return (
    <section class="differences">
      <h2>{heads(kind)}</h2>
      <List
        label={heads(kind)}
        rows={items}
        rowKey={keyOf}
        columns={[
          {
            label: "",
            cell: (item) => (
              <input
                type="checkbox"
                aria-label={t("choose", { name: item.name })}
                checked={isChosen(item)}
                disabled={!canGo(item)}
                onChange={(event) => onChoose(item, event.currentTarget.checked)}
              />
            ),
          },
          {
            label: common("name"),
            cell: (item) => (
              <button class="link clip" onClick={() => onShow(item)}>
                {item.name}
              </button>
            ),
          },
          { label: t("change"), cell: (item) => <Badge tone={TONES[item.change]}>{changes(item.change, { to: nameOf(way.to) })}</Badge> },
          { label: t("note"), cell: (item) => <Note item={item} /> },
        ]}
      />
    </section>
  );
}

/** The first warning about an item; the others are in its dialog. */
function Note({ item }: { item: Item }) {
  const [first, ...others] = item.problem ? [item.problem, ...item.warnings] : item.warnings;
  if (first === undefined) return null;
  return (
    <span class={"note-line" + (item.problem ? " bad" : "")} lang="en" title={first}>
      <TriangleAlert size={14} /> <span class="clip">{first}</span>
      {others.length > 0 && ` +${others.length}`}
    </span>
  );
}
