import { signal, type Signal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";

/** One row of a table. */
export type Row = components["schemas"]["Row"];

/** What is asked for: which rows, in which order. */
export type Question = { table: string; where?: components["schemas"]["Where"]; orderBy: string };

/** What the last question cost, as the platform said. */
export type Price = { plan: string; scanned: number };

const PAGE = 200;

/** The answer to a question, loaded page by page where somebody looks. */
export class Rows {
  /** undefined until the first page has come. */
  readonly total: Signal<number | undefined> = signal(undefined);
  readonly price: Signal<Price | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  /** Counts loaded pages: whoever reads it is drawn again. */
  readonly loaded = signal(0);

  #pages = new Map<number, Row[]>();
  #asked = new Set<number>();

  constructor(readonly question: Question) {
    void this.#load(0);
  }

  /** The i-th row, undefined while it is on its way; asking for it is what brings it. */
  at(i: number): Row | undefined {
    const page = Math.floor(i / PAGE);
    const rows = this.#pages.get(page);
    if (!rows) void this.#load(page);
    return rows?.[i % PAGE];
  }

  /** Every row that is here now, in order. */
  known(): Row[] {
    return [...this.#pages].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows);
  }

  async #load(page: number): Promise<void> {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    try {
      const answer = await this.#ask(page);
      this.#pages.set(page, answer.objects);
      if (page === 0) this.total.value = answer.meta.total_count ?? answer.objects.length;
      this.loaded.value++;
    } catch (error) {
      this.#asked.delete(page);
      this.error.value = error;
    }
  }

  async #ask(page: number) {
    const { table, where, orderBy } = this.question;
    const answer = api.POST("/oserve/v2.4/table/{table}/record/query/", {
      params: { path: { table } },
      body: { where, order_by: orderBy, limit: PAGE, offset: page * PAGE, return_total_count: page === 0 },
    });
    const { headers } = (await answer).response;
    this.price.value = { plan: headers.get("X-Service-Plan") ?? "", scanned: Number(headers.get("X-Service-Scanned") ?? 0) };
    return ask(answer);
  }
}
