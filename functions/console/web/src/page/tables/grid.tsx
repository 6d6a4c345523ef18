import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";

import { useShownKeys } from "~/shell/keys";
import { texts } from "~/text";
import { fromText, toText } from "./cell";
import { CellInput } from "./cell-input";
import { GridHead } from "./grid-head";
import { GridLine } from "./grid-line";
import type { Sheet } from "./sheet";
import { useVirtual } from "./use-virtual";
import { useWidths } from "./widths";

const t = texts({
  choose: ["Grid: select rows", "表格：选择多行"],
  delete: ["Grid: delete row", "表格：删除该行"],
  edit: ["Grid: edit cell", "表格：编辑单元格"],
  empty: ["Grid: clear cell", "表格：清空单元格"],
  filter: ["Grid: show only rows with this value", "表格：按该值筛选"],
  leave: ["Grid: cancel editing", "表格：放弃编辑"],
  move: ["Grid: move", "表格：移动"],
});

const ROW_HEIGHT = 34;

/** A grid of up to hundreds of thousands of rows, which renders only the visible ones. Arrows move, Enter edits, Escape cancels. */
export function Grid({
  label,
  name,
  sheet,
  orderBy,
  onOrder,
  onFilter,
}: {
  label: string;
  /** Under which the widths of its columns are kept. */
  name: string;
  sheet: Sheet;
  orderBy: string;
  onOrder: (orderBy: string) => void;
  /** The value under the cursor was chosen to filter by. */
  onFilter: () => void;
}) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const generation = useGeneration(sheet);
  const widths = useWidths(scroller, name, sheet.columns);
  const { items, height, show } = useVirtual(scroller, sheet.height, ROW_HEIGHT);
  const { row, column } = sheet.at.value;
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => sheet.want(first, last), [sheet, first, last]);
  useShownKeys([
    { keys: "← ↑ → ↓", label: t("move") },
    { keys: "Shift+↑ ↓", label: t("choose") },
    { keys: "Enter", label: t("edit") },
    { keys: "Backspace", label: t("empty") },
    { keys: "Delete", label: t("delete") },
    { keys: "f", label: t("filter") },
    { keys: "Escape", label: t("leave") },
  ]);
  useLayoutEffect(() => reveal(scroller.current, widths.all, column), [row, column]);

  function onKeyDown(event: KeyboardEvent) {
    if (sheet.editing.value || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const act = ACTS[event.key];
    if (step) {
      sheet.move(...step, event.shiftKey);
      show(sheet.at.value.row);
    } else if (act) act(sheet);
    else if (event.key === "f") onFilter();
    else return;
    event.preventDefault();
  }

  function onPointer(event: MouseEvent) {
    const place = placeOf(event.target);
    if (!place) return;
    const anchor = event.shiftKey ? sheet.at.value.anchor : place.row;
    if (sheet.editing.value && place.row === row && place.column === column) return;
    sheet.at.value = { ...place, anchor };
    if (event.type === "dblclick") sheet.edit();
  }

  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={sheet.height + 1}
      aria-colcount={sheet.columns.length}
      aria-multiselectable
      aria-activedescendant={items.some(({ index }) => index === row) ? `${id}-${row}-${column}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onPointer}
      onDblClick={onPointer}
    >
      <GridHead columns={sheet.columns} orderBy={orderBy} onOrder={onOrder} widths={widths} />
      <div class="grid-body" role="rowgroup" ref={(element) => element?.style.setProperty("height", height + "px")}>
        {items.map(({ index, start }) => (
          <GridLine key={`${generation}-${index}`} id={id} sheet={sheet} index={index} start={start} />
        ))}
        {sheet.editing.value && <Editing sheet={sheet} widths={widths.all} onDone={() => scroller.current?.focus()} />}
      </div>
    </div>
  );
}

/** Counts the sheets that were shown: lines of one are no lines of another. */
function useGeneration(sheet: Sheet): number {
  const last = useRef({ sheet, n: 0 });
  if (last.current.sheet !== sheet) last.current = { sheet, n: last.current.n + 1 };
  return last.current.n;
}

const STEPS: Record<string, [number, number]> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [20, 0],
  PageUp: [-20, 0],
  Home: [0, -1000],
  End: [0, 1000],
};

const ACTS: Record<string, (sheet: Sheet) => void> = {
  Enter: (sheet) => sheet.edit(),
  Backspace: (sheet) => sheet.put(null),
  Delete: (sheet) => sheet.remove(),
};

/** The place of a cell that an event happened in. */
function placeOf(target: EventTarget | null): { row: number; column: number } | undefined {
  const cell = target instanceof Element ? target.closest('[role="gridcell"]') : null;
  if (!cell?.parentElement) return undefined;
  return { row: Number(cell.parentElement.ariaRowIndex) - 2, column: Number(cell.ariaColIndex) - 1 };
}

/** Scrolls the grid sideways, not the page, until a column is seen. */
function reveal(grid: HTMLElement | null, widths: readonly number[], column: number): void {
  if (!grid) return;
  const left = widths.slice(0, column).reduce((sum, width) => sum + width, 0);
  const right = left + (widths[column] ?? 0);
  if (left < grid.scrollLeft) grid.scrollLeft = left;
  else if (right > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = right - grid.clientWidth;
}

/** The field over the cell that is edited. */
function Editing({ sheet, widths, onDone }: { sheet: Sheet; widths: readonly number[]; onDone: () => void }) {
  const cell = useSignal(sheet.cell()).value;
  if (!cell) return null;
  const { row, column } = sheet.at.value;
  const before = sheet.value(cell.row, cell.column);

  function end(text?: string) {
    sheet.editing.value = false;
    if (text !== undefined && text !== toText(before)) sheet.edits.put(cell!.row, cell!.column.name, fromText(cell!.column, text));
    onDone();
  }

  const left = widths.slice(0, column).reduce((sum, width) => sum + width, 0);
  return (
    <div
      class="grid-edit"
      ref={(element) => {
        element?.style.setProperty("transform", `translate(${left}px, ${row * ROW_HEIGHT}px)`);
        element?.style.setProperty("min-width", widths[column] + "px");
      }}
    >
      <CellInput column={cell.column} value={before} onEnd={end} />
    </div>
  );
}
