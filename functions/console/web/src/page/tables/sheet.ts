import { signal } from "@preact/signals";

import { mayChange } from "~/session";
import type { Column } from "./columns";
import type { Edits } from "./edits";
import { REACH, type Row, type Rows } from "./rows";

/** The position of the grid's cursor; the rows between it and the anchor are selected, too. */
export type At = { row: number; column: number; anchor: number };

/** The content of a grid, staged new rows first, then the rows of the answer; and its cursor. */
export class Sheet {
  readonly at = signal<At>({ row: 0, column: 0, anchor: 0 });
  readonly editing = signal(false);

  constructor(
    readonly columns: readonly Column[],
    readonly rows: Rows,
    readonly edits: Edits,
    readonly readOnly: boolean,
  ) {}

  /** The number of rows in the grid: an offset reaches at most REACH of the matching rows. */
  get height(): number {
    return this.edits.drafts.value.length + Math.min(REACH, this.rows.total.value ?? 0);
  }

  /** The row at a place, undefined while it is not here. */
  row(i: number): Row | undefined {
    const drafts = this.edits.drafts.value;
    return i < drafts.length ? drafts[i]!.base : this.rows.at(i - drafts.length);
  }

  /** The value of a cell, as it will be. */
  value(row: Row, column: Column): unknown {
    const staged = this.edits.all.value.get(row.id)?.values;
    return staged && column.name in staged ? staged[column.name] : row[column.name];
  }

  /** Has the rows brought that are looked at. */
  want(first: number, last: number): void {
    const drafts = this.edits.drafts.peek().length;
    this.rows.want(first - drafts, last - drafts);
  }

  /** Moves the cursor; with extend the anchor stays, and the rows between are chosen. */
  move(down: number, right: number, extend: boolean): void {
    const { row, column, anchor } = this.at.value;
    const to = Math.max(0, Math.min(this.height - 1, row + down));
    const next = Math.max(0, Math.min(this.columns.length - 1, column + right));
    this.at.value = { row: to, column: next, anchor: extend ? anchor : to };
  }

  /** The chosen rows that are here. */
  chosen(): Row[] {
    const { row, anchor } = this.at.value;
    const [from, to] = [Math.min(row, anchor), Math.max(row, anchor)];
    return Array.from({ length: to - from + 1 }, (_, i) => this.row(from + i)).filter((it) => it !== undefined);
  }

  /** The cell under the cursor. */
  cell(): { row: Row; column: Column } | undefined {
    const row = this.row(this.at.value.row);
    const column = this.columns[this.at.value.column];
    return row && column && { row, column };
  }

  /** Whether the cell under the cursor can be changed. */
  canEdit(): boolean {
    const cell = this.cell();
    if (!cell || !mayChange.value || this.readOnly || cell.column.built_in) return false;
    return this.edits.all.value.get(cell.row.id)?.kind !== "delete";
  }

  /** Whether the chosen rows can be deleted. */
  get canDelete(): boolean {
    return mayChange.value && !this.readOnly && this.cell() !== undefined;
  }

  /** Begins to edit the cell under the cursor, where it can be. */
  edit(): void {
    this.editing.value = this.canEdit();
  }

  /** Stages a value for the cell under the cursor. */
  put(value: unknown): void {
    const cell = this.cell();
    if (cell && this.canEdit()) this.edits.put(cell.row, cell.column.name, value);
  }

  /** Stages that the chosen rows are deleted. */
  remove(): void {
    if (this.canDelete) for (const row of this.chosen()) this.edits.remove(row);
  }
}
