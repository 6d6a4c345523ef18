import { useComputed } from "@preact/signals";

import { show } from "./cell";
import { type Column, isNumeric } from "./columns";
import type { Edit } from "./edits";
import type { Row } from "./rows";
import type { Sheet } from "./sheet";

/**
 * A row where it belongs. It is drawn again when its own row, edit or place under the cursor is another, not when its
 * neighbours are: scrolling draws what comes into sight and nothing else.
 */
export function GridLine({ id, sheet, index, start }: { id: string; sheet: Sheet; index: number; start: number }) {
  const row = useComputed(() => (void sheet.rows.loaded.value, sheet.row(index))).value;
  const edit = useComputed(() => (row ? sheet.edits.all.value.get(row.id) : undefined)).value;
  const cursor = useComputed(() => (sheet.at.value.row === index ? sheet.at.value.column : -1)).value;
  const chosen = useComputed(() => isBetween(index, sheet.at.value.row, sheet.at.value.anchor)).value;
  return (
    <div
      role="row"
      class={classOf("grid-row", edit && "is-" + edit.kind, edit?.error !== undefined && "failed", chosen && "chosen")}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      ref={(element) => element?.style.setProperty("transform", `translateY(${start}px)`)}
    >
      {sheet.columns.map((column, c) => (
        <div
          key={column.name}
          id={`${id}-${index}-${c}`}
          role="gridcell"
          aria-colindex={c + 1}
          class={classOf(c === cursor && "cursor", edit && column.name in edit.values && "staged", column.built_in && "kept", isNumeric(column) && "numeric")}
        >
          {row && text(column, row, edit)}
        </div>
      ))}
    </div>
  );
}

function text(column: Column, row: Row, edit: Edit | undefined): string {
  if (edit && column.name in edit.values) return show(column, edit.values[column.name]);
  return show(column, row[column.name]);
}

const isBetween = (i: number, a: number, b: number): boolean => a !== b && i >= Math.min(a, b) && i <= Math.max(a, b);

const classOf = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(" ");
