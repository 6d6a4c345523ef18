import { signal, type Signal } from "@preact/signals";

import { actingClient } from "~/acting";
import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import type { Column } from "./columns";

/** A row of a table. */
export type Row = components["schemas"]["Row"];

/** A query: the filter and the order of rows, and whether the user whom the administrator acts as asks it. */
export type Question = { table: string; where?: components["schemas"]["Where"]; orderBy: string; acting: boolean };

/** The cost of the last query, as the platform reported it. */
export type Price = { plan: string; scanned: number };

const PAGE = 200;
/** How many rows pages reach: the platform refuses an offset over 10,000. */
export const REACH = 10_000 + PAGE;
const AT_ONCE = 2;
const KEPT_PAGES = 150;

/** The answer to a query; its pages are loaded as they become visible. */
export class Rows {
  /** undefined until the first page has come. */
  readonly total: Signal<number | undefined> = signal(undefined);
  readonly price: Signal<Price | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  /** The number of loaded pages; its readers render again when it changes. */
  readonly loaded = signal(0);

  #pages = new Map<number, Row[]>();
  #fresh = new Set<number>();
  #busy = 0;
  #wanted: [number, number] = [0, 0];

  constructor(readonly question: Question) {
    this.want(0, 0);
  }

  /** The i-th row, undefined while it is not here. */
  at(i: number): Row | undefined {
    return this.#pages.get(Math.floor(i / PAGE))?.[i % PAGE];
  }

  /**
   * Says which rows are looked at. Two pages are on their way at most, and the next one is chosen when one has come:
   * who scrolls past a thousand pages does not ask for them.
   */
  want(first: number, last: number): void {
    this.#wanted = [Math.floor(Math.max(0, first) / PAGE), Math.floor(Math.max(0, last) / PAGE)];
    this.#next();
  }

  /** Loads again; the present rows stay until the answer arrives. */
  refresh(): void {
    this.#fresh.clear();
    this.error.value = undefined;
    void this.#load(0);
    this.#next();
  }

  #next(): void {
    if (this.error.peek() !== undefined) return;
    for (let page = this.#wanted[0]; page <= this.#wanted[1] && this.#busy < AT_ONCE; page++) void this.#load(page);
  }

  async #load(page: number): Promise<void> {
    if (this.#fresh.has(page)) return;
    this.#fresh.add(page);
    this.#busy++;
    try {
      const { objects, meta } = await this.#ask(page);
      this.#keep(page, objects);
      // A total may be 2 s behind the writes; the loaded rows are not.
      if (page === 0) this.total.value = Math.max(meta.total_count ?? 0, objects.length);
      this.loaded.value++;
    } catch (error) {
      this.#fresh.delete(page);
      this.error.value = error;
    }
    this.#busy--;
    this.#next();
  }

  #keep(page: number, objects: Row[]): void {
    this.#pages.delete(page);
    this.#pages.set(page, objects);
    if (this.#pages.size <= KEPT_PAGES) return;
    const [oldest] = this.#pages.keys();
    this.#pages.delete(oldest!);
    this.#fresh.delete(oldest!);
  }

  async #ask(page: number) {
    const { table, where, orderBy, acting } = this.question;
    const path = { table };
    const body = { where, order_by: orderBy, limit: PAGE, offset: page * PAGE, return_total_count: page === 0 };
    const query = { ...body, where: where && JSON.stringify(where), return_total_count: body.return_total_count ? ("1" as const) : undefined };
    const answer = acting
      ? await (await actingClient()).GET("/hserve/v2.4/table/{table}/record/", { params: { path, query } })
      : await api.POST("/oserve/v2.4/table/{table}/record/query/", { params: { path }, body });
    const { headers } = answer.response;
    if (page === 0) this.price.value = { plan: headers.get("X-Service-Plan") ?? "", scanned: Number(headers.get("X-Service-Scanned") ?? 0) };
    return ask(Promise.resolve(answer));
  }
}

/** What the dialogs of an action on many rows are given. */
export type RowsDialog = {
  table: components["schemas"]["Table"];
  columns: readonly Column[];
  rows: Rows;
  open: boolean;
  onClose: () => void;
};
