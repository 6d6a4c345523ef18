import { useSignal } from "@preact/signals";
import { ArrowDown, ArrowUp } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

import { useKeys } from "../shell/keys";
import { texts } from "../text";

const t = texts({
  next: ["Next row", "下一行"],
  previous: ["Previous row", "上一行"],
  open: ["Open row", "打开该行"],
  sort: ["Sort the rows shown", "对当前显示的行排序"],
});

/** A column: its label, and its content for a row. */
export type Column<Row> = {
  label: string;
  cell: (row: Row) => ComponentChildren;
  numeric?: boolean;
  /** The sort key of a row, for a click on the head; rows without it come last. */
  by?: (row: Row) => string | number | null | undefined;
};

/** What a List shows. */
export type ListProps<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** The target of Enter; the first column should link to it, too. Without it Enter clicks a row's first link. */
  href?: (row: Row) => string;
};

type Order = { column: number; down: boolean };

/** The rows in another order; as they came without one. */
function ordered<Row>(rows: readonly Row[], by: Column<Row>["by"], down: boolean): readonly Row[] {
  if (!by) return rows;
  const compare = (a: Row, b: Row) => {
    const [one, other] = [by(a) ?? "", by(b) ?? ""];
    if (one === "" || other === "") return one === other ? 0 : one === "" ? 1 : -1;
    const way = typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
    return down ? -way : way;
  };
  return rows.toSorted(compare);
}

/** A short list; j, k and Enter walk it. Rows by the thousand belong into a Grid. */
export function List<Row>({ label, rows: given, columns, rowKey, href }: ListProps<Row>) {
  const { route } = useLocation();
  const at = useSignal(-1);
  const order = useSignal<Order | undefined>(undefined);
  const { column: by = -1, down = false } = order.value ?? {};
  const rows = ordered(given, columns[by]?.by, down);
  const body = useRef<HTMLTableSectionElement>(null);

  /** With several lists on a page, the keys belong to the focused one, else to the first. */
  const isMeant = () => (document.activeElement?.closest(".list") ?? document.querySelector(".list")) === body.current?.closest(".list");

  function move(by: number) {
    if (!isMeant()) return;
    at.value = Math.max(0, Math.min(rows.length - 1, at.value + by));
    body.current?.rows[at.value]?.scrollIntoView({ block: "nearest" });
  }

  /** A column sorts upwards, then downwards, then the rows stand as they came. */
  function sort(column: number) {
    if (by !== column) order.value = { column, down: false };
    else order.value = down ? undefined : { column, down: true };
    at.value = -1;
  }

  function open() {
    const row = rows[at.value];
    if (!row || !isMeant()) return;
    if (href) route(href(row));
    else body.current?.rows[at.value]?.querySelector<HTMLElement>("a, button.link")?.click();
  }

  useKeys([
    { keys: "j", label: t("next"), run: () => move(1) },
    { keys: "k", label: t("previous"), run: () => move(-1) },
    { keys: "Enter", label: t("open"), run: open },
  ]);

  return (
    <div class="list table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, i) =>
              column.label === "" ? (
                <td key={i} />
              ) : (
                <th
                  key={i}
                  scope="col"
                  class={column.numeric ? "numeric" : ""}
                  aria-sort={by !== i ? undefined : down ? "descending" : "ascending"}
                >
                  {column.by && given.length > 1 ? (
                    <button class="link" title={t("sort")} onClick={() => sort(i)}>
                      {column.label}
                      {by === i && (down ? <ArrowDown size={14} /> : <ArrowUp size={14} />)}
                    </button>
                  ) : (
                    column.label
                  )}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, i) => (
            <tr key={rowKey(row)} class={i === at.value ? "current" : ""}>
              {columns.map((column, at) => (
                <td key={at} class={column.numeric ? "numeric" : ""}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
