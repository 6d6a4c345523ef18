import { signal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import type { Where } from "./where";

const LOOK_EVERY_MS = 700;

/** A change of every row that matches: these values, or none of them any more. */
export type Change = { set: Record<string, unknown> } | { delete: true };

/** How far such a change is. */
export type Progress = { done: number; failed: number; total: number | null; ended: boolean; errors: readonly string[]; inBackground: boolean };

/** Changes or deletes every row that matches; over 1,000 of them the platform goes on in the background. */
export class BulkChange {
  readonly progress = signal<Progress | undefined>(undefined);
  #left = false;

  constructor(
    readonly table: string,
    readonly where: Where | undefined,
  ) {}

  /** Stops polling; the background operation continues. */
  leave(): void {
    this.#left = true;
  }

  async run(change: Change): Promise<void> {
    const params = { path: { table: this.table }, query: { where: JSON.stringify(this.where ?? {}) } };
    const said =
      "set" in change
        ? await ask(api.PUT("/oserve/v2.6/table/{table}/record/", { params, body: change.set as components["schemas"]["Update"] }))
        : await ask(api.DELETE("/oserve/v2.4/table/{table}/record/", { params }));
    if ("operation_id" in said) return this.#follow(said.operation_id as number);

    const result = said as components["schemas"]["RowBulkResult"];
    const errors = result.operation_result.flatMap(({ error }) => (error ? [error.err_msg] : []));
    this.progress.value = {
      done: result.succeed,
      failed: errors.length,
      total: result.operation_result.length,
      ended: true,
      errors: [...new Set(errors)],
      inBackground: false,
    };
  }

  async #follow(id: number): Promise<void> {
    for (;;) {
      const at = await ask(api.GET("/oserve/v1/bulk-operation/{id}/", { params: { path: { id } } }));
      const ended = at.status === "success" || at.status === "failed";
      const errors = at.errors.map(({ id, err_msg }) => `${id}: ${err_msg}`);
      this.progress.value = {
        done: at.succeed,
        failed: at.failed,
        total: at.total_count,
        ended,
        errors: at.error_msg ? [at.error_msg, ...errors] : errors,
        inBackground: true,
      };
      if (ended || this.#left) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}
