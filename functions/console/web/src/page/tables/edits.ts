import { computed, effect, signal } from "@preact/signals";

import { draftOf } from "~/ui/draft";

import { isSame } from "./cell";
import type { Row } from "./rows";

/** The id of a row; rows that are not written yet have one that begins with "new". */
export type RowId = string | number;

/** A staged change of a row. */
export type Edit = {
  id: RowId;
  kind: "change" | "create" | "delete";
  /** The columns that will be written. */
  values: Record<string, unknown>;
  /** The row as it was seen when the first of them was typed. */
  base: Row;
  /** Why it was refused. */
  error?: unknown;
  /** The row as changed by somebody else since. */
  theirs?: Row;
};

/** Changes, new rows and deletions that are reviewed and saved together. */
export class Edits {
  readonly all = signal<ReadonlyMap<RowId, Edit>>(new Map());
  /** New rows, the newest first: they stand above all others. */
  readonly drafts = computed(() => [...this.all.value.values()].filter((edit) => edit.kind === "create").reverse());
  #made = 0;

  /** Keeps the staged changes as the draft of a key, so that they survive a reload and a new sign-in. */
  keptAs(key: string, name: string): this {
    const draft = draftOf<Edit[]>(key);
    const before = draft.kept.peek() ?? [];
    this.all.value = new Map(before.map((edit) => [edit.id, edit]));
    for (const { id } of before) this.#made = Math.max(this.#made, Number(/^new (\d+)$/.exec(String(id))?.[1] ?? 0));

    effect(() => {
      const all = [...this.all.value.values()];
      if (all.length === 0) draft.drop();
      else draft.keep(name, all.map(({ error: _, ...edit }) => edit));
    });
    effect(() => {
      if (draft.kept.value === undefined && this.all.peek().size > 0) this.drop(); // discarded by leaving the page
    });
    return this;
  }

  /** Stages one cell; a value as it was before is no change. */
  put(row: Row, column: string, value: unknown): void {
    const before = this.all.value.get(row.id) ?? { id: row.id, kind: "change", values: {}, base: row };
    const values = { ...before.values, [column]: value };
    if (before.kind === "change" && isSame(before.base[column], value)) delete values[column];
    if (before.kind === "change" && Object.keys(values).length === 0) this.drop(row.id);
    else this.set({ ...before, kind: before.kind === "create" ? "create" : "change", values, error: undefined });
  }

  /** Stages a new row. */
  add(values: Record<string, unknown> = {}): void {
    const id = `new ${++this.#made}`;
    this.set({ id, kind: "create", values, base: { id } });
  }

  /** Stages that a row is deleted; a new one is forgotten. */
  remove(row: Row): void {
    if (this.all.value.get(row.id)?.kind === "create") this.drop(row.id);
    else this.set({ id: row.id, kind: "delete", values: {}, base: row });
  }

  /** Replaces the staged change of its row. */
  set(edit: Edit): void {
    this.all.value = new Map(this.all.value).set(edit.id, edit);
  }

  /** Discards the staged change of a row, or of all rows. */
  drop(id?: RowId): void {
    const next = new Map(this.all.value);
    if (id === undefined) next.clear();
    else next.delete(id);
    this.all.value = next;
  }
}

const kept = new Map<string, Edits>();

/** The staged edits of a table. */
export function editsOf(place: string, name: string): Edits {
  const edits = kept.get(place) ?? new Edits().keptAs("rows/" + place, name);
  kept.set(place, edits);
  return edits;
}
