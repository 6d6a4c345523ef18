import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";

import type { components } from "~/api/schema";
import { mayChange } from "~/session";
import { fromText, show, toText } from "./cell";
import type { Edits } from "./edits";
import type { Row, Rows } from "./rows";
import { useVirtual } from "./use-virtual";

type Column = components["schemas"]["Column"];

const ROW_HEIGHT = 34;

/** Rows by the hundred thousand: only what is seen is there. Arrows move, Enter edits, Escape does not. */
export function Grid({
  label,
  rows,
  columns,
  edits,
  onFilter,
}: {
  label: string;
  rows: Rows;
  columns: readonly Column[];
  edits: Edits;
  /** A value was chosen to filter by. */
  onFilter: (column: Column, value: unknown) => void;
}) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const total = rows.total.value ?? 0;
  const { items, height, show: scrollTo } = useVirtual(scroller, total, ROW_HEIGHT);
  const at = useSignal({ row: 0, column: 0 });
  const editing = useSignal(false);
  void rows.loaded.value;
  void edits.all.value;

  function move(rowsDown: number, columnsRight: number) {
    const row = Math.max(0, Math.min(total - 1, at.value.row + rowsDown));
    at.value = { row, column: Math.max(0, Math.min(columns.length - 1, at.value.column + columnsRight)) };
    scrollTo(row);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (editing.value) return;
    const step = STEPS[event.key];
    if (step) move(...step);
    else if (event.key === "Enter") edit();
    else if (event.key === "f" && !event.ctrlKey && !event.metaKey) filter();
    else return;
    event.preventDefault();
  }

  function edit() {
    const column = columns[at.value.column];
    editing.value = mayChange.value && column !== undefined && !column.built_in && rows.at(at.value.row) !== undefined;
  }

  function filter() {
    const column = columns[at.value.column];
    const row = rows.at(at.value.row);
    if (column && row) onFilter(column, row[column.name]);
  }

  function end(value?: string) {
    const column = columns[at.value.column]!;
    const row = rows.at(at.value.row)!;
    editing.value = false;
    if (value !== undefined && value !== toText(row[column.name])) edits.put(row.id, column.name, fromText(column, value));
    scroller.current?.focus();
  }

  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      aria-activedescendant={`${id}-${at.value.row}-${at.value.column}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="row" class="grid-head" aria-rowindex={1}>
        {columns.map((column) => (
          <div key={column.name} role="columnheader" title={column.description || column.type}>
            {column.name} <small>{column.type}</small>
          </div>
        ))}
      </div>
      <div class="grid-body" role="rowgroup" ref={(element) => element?.style.setProperty("height", height + "px")}>
        {items.map(({ index, start }) => (
          <Line key={index} index={index} start={start}>
            {columns.map((column, c) => {
              const row = rows.at(index);
              const here = at.value.row === index && at.value.column === c;
              return (
                <Cell
                  key={column.name}
                  id={`${id}-${index}-${c}`}
                  column={column}
                  row={row}
                  staged={row && edits.get(row.id, column.name)}
                  failed={row !== undefined && edits.all.value.get(row.id)?.error !== undefined}
                  chosen={here}
                  editing={here && editing.value}
                  onChoose={() => {
                    at.value = { row: index, column: c };
                  }}
                  onEdit={edit}
                  onEnd={end}
                />
              );
            })}
          </Line>
        ))}
      </div>
    </div>
  );
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

/** A row where it belongs. Its place is set as a property: the page's policy allows no style attributes. */
function Line({ index, start, children }: { index: number; start: number; children: preact.ComponentChildren }) {
  return (
    <div
      role="row"
      class="grid-row"
      aria-rowindex={index + 2}
      ref={(element) => element?.style.setProperty("transform", `translateY(${start}px)`)}
    >
      {children}
    </div>
  );
}

function Cell({
  id,
  column,
  row,
  staged,
  failed,
  chosen,
  editing,
  onChoose,
  onEdit,
  onEnd,
}: {
  id: string;
  column: Column;
  row: Row | undefined;
  staged: { staged: boolean; value?: unknown } | undefined;
  failed: boolean;
  chosen: boolean;
  editing: boolean;
  onChoose: () => void;
  onEdit: () => void;
  onEnd: (value?: string) => void;
}) {
  const value = staged?.staged ? staged.value : row?.[column.name];
  const state = [chosen && "chosen", staged?.staged && "staged", staged?.staged && failed && "failed"].filter(Boolean).join(" ");
  return (
    <div id={id} role="gridcell" class={state} aria-selected={chosen} onClick={onChoose} onDblClick={onEdit}>
      {editing ? <CellInput label={column.name} value={toText(value)} onEnd={onEnd} /> : show(column, value)}
    </div>
  );
}

function CellInput({ label, value, onEnd }: { label: string; value: string; onEnd: (value?: string) => void }) {
  const done = useRef(false);

  function end(next?: string) {
    if (done.current) return;
    done.current = true;
    onEnd(next);
  }

  return (
    <input
      type="text"
      aria-label={label}
      defaultValue={value}
      ref={(element) => element?.focus()}
      onBlur={(event) => end(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") end(event.currentTarget.value);
        if (event.key === "Escape") end();
        event.stopPropagation();
      }}
    />
  );
}
