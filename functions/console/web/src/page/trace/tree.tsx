import { useSignal } from "@preact/signals";
import { ChevronDown, ChevronRight } from "lucide-preact";
import { Fragment } from "preact";
import { useRef } from "preact/hooks";

import { duration } from "~/format";
import { useKeys } from "~/shell/keys";
import { texts } from "~/text";
import { Badge } from "~/ui/badge";
import { Detail } from "./detail";
import { type Bar, type TraceNode, waterfall } from "./waterfall";

const t = texts({
  failed: ["failed", "失败"],
  inProgress: ["in progress", "进行中"],
  next: ["Next row", "下一行"],
  open: ["Expand or collapse row", "展开或收起"],
  previous: ["Previous row", "上一行"],
  request: ["request", "请求"],
  steps: ["Steps", "发生了什么"],
  duration: ["Duration", "耗时"],
});

const DEEPEST = 12;

/** The waterfall; an open row shows its details. j, k and Enter navigate. */
export function Tree({ root }: { root: TraceNode }) {
  const { bars, whole } = waterfall(root);
  const at = useSignal(-1);
  const opened = useSignal<ReadonlySet<number>>(new Set());
  const body = useRef<HTMLTableSectionElement>(null);

  function toggle(row: number) {
    const next = new Set(opened.value);
    if (!next.delete(row)) next.add(row);
    opened.value = next;
    at.value = row;
  }

  function move(by: number) {
    at.value = Math.max(0, Math.min(bars.length - 1, at.value + by));
    body.current?.querySelectorAll("tr.bar")[at.value]?.scrollIntoView({ block: "nearest" });
  }

  useKeys([
    { keys: "j", label: t("next"), run: () => move(1) },
    { keys: "k", label: t("previous"), run: () => move(-1) },
    { keys: "Enter", label: t("open"), run: () => at.value >= 0 && toggle(at.value) },
  ]);

  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("steps")}>
      <table class="waterfall">
        <thead>
          <tr>
            <th scope="col">{t("steps")}</th>
            <th scope="col" class="numeric">
              {t("duration")}
            </th>
            <th scope="col" class="bars">
              <span class="axis">
                <span>0</span>
                <span>{duration(whole / 2)}</span>
                <span>{duration(whole)}</span>
              </span>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {bars.map((bar, i) => (
            <Fragment key={i}>
              <Row bar={bar} current={i === at.value} open={opened.value.has(i)} onToggle={() => toggle(i)} />
              {opened.value.has(i) && (
                <tr>
                  <td colSpan={3} class="detail">
                    <Detail node={bar.node} above={bar.above} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row of the tree. Children are indented; a chain of triggers ends after eight. */
function Row({ bar: { node, above, from, width }, current, open, onToggle }: { bar: Bar; current: boolean; open: boolean; onToggle: () => void }) {
  return (
    <tr class={current ? "bar current" : "bar"}>
      <td>
        <span class={`deep-${Math.min(above.length, DEEPEST)}`}>
          <button class="icon" aria-expanded={open} onClick={onToggle}>
            {open ? <ChevronDown size={14} /> : <ChevronRight size={14} />} <Badge tone="quiet">{node.kind}</Badge>
            <span class="clip">{node.name || t("request")}</span>
          </button>
          {node.ok === false && <Badge tone="bad">{t("failed")}</Badge>}
        </span>
      </td>
      <td class="numeric">{node.duration_ms === null ? t("inProgress") : duration(node.duration_ms)}</td>
      <td class="bars">
        <svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
          <rect x={from * 1000} y="3" width={Math.max(4, width * 1000)} height="10" rx="3" class={toneOf(node)} />
        </svg>
      </td>
    </tr>
  );
}

function toneOf({ ok, duration_ms }: TraceNode): string {
  if (ok === false) return "bad";
  return duration_ms === null ? "going" : "";
}
