import { signal } from "@preact/signals";

import { api, ask } from "~/api/client";

/** What is changed of one row and not saved yet. */
export type Edit = { id: string | number; values: Record<string, unknown>; error?: unknown };

/** Changes of rows that are reviewed and saved together. */
export class Edits {
  readonly all = signal<ReadonlyMap<string | number, Edit>>(new Map());

  /** The staged value of a cell, and whether there is one. */
  get(id: string | number, column: string): { staged: boolean; value?: unknown } {
    const values = this.all.value.get(id)?.values;
    return values && column in values ? { staged: true, value: values[column] } : { staged: false };
  }

  /** Stages one cell. */
  put(id: string | number, column: string, value: unknown): void {
    const next = new Map(this.all.value);
    next.set(id, { id, values: { ...next.get(id)?.values, [column]: value } });
    this.all.value = next;
  }

  /** Forgets what is staged of a row, or of all. */
  drop(id?: string | number): void {
    const next = new Map(this.all.value);
    if (id === undefined) next.clear();
    else next.delete(id);
    this.all.value = next;
  }

  /** Writes every staged row; what is refused stays, with the reason beside it. Returns how many were written. */
  async save(table: string): Promise<number> {
    const before = [...this.all.value.values()];
    for (const edit of before) await this.#saveOne(table, edit);
    return before.length - this.all.value.size;
  }

  async #saveOne(table: string, edit: Edit): Promise<void> {
    try {
      const params = { path: { table, id: String(edit.id) } };
      await ask(api.PUT("/oserve/v2.6/table/{table}/record/{id}/", { params, body: edit.values }));
      this.drop(edit.id);
    } catch (error) {
      this.all.value = new Map(this.all.value).set(edit.id, { ...edit, error });
    }
  }
}
