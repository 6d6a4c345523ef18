import { ArrowDown, ArrowUp } from "lucide-preact";

import { texts } from "~/text";
import { type Column, isNumeric, isOrdered } from "./columns";
import type { Widths } from "./widths";

const t = texts({
  wider: ["Width of {name}", "{name} 的列宽"],
  required: ["Required", "必填"],
  sort: ["Sort by {name}", "按 {name} 排序"],
});

/** The names of the columns: a click sorts, the border between two of them makes one wider. */
export function GridHead({
  columns,
  orderBy,
  onOrder,
  widths,
}: {
  columns: readonly Column[];
  orderBy: string;
  onOrder: (orderBy: string) => void;
  widths: Widths;
}) {
  return (
    <div role="row" class="grid-head" aria-rowindex={1}>
      {columns.map((column, i) => {
        const way = orderBy === column.name ? "ascending" : orderBy === "-" + column.name ? "descending" : "none";
        return (
          <div key={column.name} role="columnheader" aria-colindex={i + 1} aria-sort={way} class={isNumeric(column) ? "numeric" : undefined} title={column.description || undefined}>
            {isOrdered(column) ? (
              <button class="link" title={t("sort", { name: column.name })} onClick={() => onOrder(next(column.name, orderBy))}>
                <Name column={column} />
                {way === "ascending" && <ArrowUp size={14} />}
                {way === "descending" && <ArrowDown size={14} />}
              </button>
            ) : (
              <Name column={column} />
            )}
            <span class="grid-grip" title={t("wider", { name: column.name })} onPointerDown={(event) => widths.drag(i, event)} onDblClick={() => widths.fit(i)} />
          </div>
        );
      })}
    </div>
  );
}

function Name({ column }: { column: Column }) {
  return (
    <>
      {column.name} <small>{column.type}</small>
      {column.constraints.required && <b title={t("required")}>*</b>}
    </>
  );
}

/** A column sorts upwards, then downwards, then the newest rows come first again. */
function next(name: string, orderBy: string): string {
  if (orderBy === name) return "-" + name;
  return orderBy === "-" + name ? "-created_at" : name;
}
