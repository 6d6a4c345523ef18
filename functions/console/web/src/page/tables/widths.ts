import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

import { KINDS, type Column } from "./columns";

const SMALLEST = 60;
const LARGEST = 900;

function firstWidth(column: Column): number {
  if (column.name === "id") return 225;
  return column.built_in && column.name.endsWith("_at") ? 200 : KINDS[column.type].width;
}

/** The widths of a grid's columns, and their changes. */
export type Widths = {
  all: readonly number[];
  /** Makes a column as wide as the pointer goes. */
  drag: (column: number, event: PointerEvent) => void;
  /** Fits a column to its visible cells. */
  fit: (column: number) => void;
};

/** The widths of a grid's columns, kept by the browser under the grid's name. */
export function useWidths(grid: RefObject<HTMLElement>, name: string, columns: readonly Column[]): Widths {
  const place = "minicloud.widths." + name;
  const [chosen, setChosen] = useState<Record<string, number>>(() => read(place));
  const all = columns.map((column) => chosen[column.name] ?? firstWidth(column));
  useLayoutEffect(() => grid.current?.style.setProperty("--columns", all.map((width) => width + "px").join(" ")));

  function set(column: number, width: number) {
    const next = { ...chosen, [columns[column]!.name]: Math.round(Math.max(SMALLEST, Math.min(LARGEST, width))) };
    setChosen(next);
    localStorage.setItem(place, JSON.stringify(next));
  }

  function drag(column: number, event: PointerEvent) {
    const grip = event.currentTarget as HTMLElement;
    const start = event.clientX - all[column]!;
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = (move) => set(column, move.clientX - start);
    grip.onpointerup = () => {
      grip.onpointermove = grip.onpointerup = null;
    };
  }

  function fit(column: number) {
    const cells = grid.current?.querySelectorAll(`[aria-colindex="${column + 1}"]`) ?? [];
    set(column, Math.max(...[...cells].map(widthOf)) + 24);
  }

  return { all, drag, fit };
}

function widthOf(cell: Element): number {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getBoundingClientRect().width;
}

function read(place: string): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}
