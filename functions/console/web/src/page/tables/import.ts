import { signal } from "@preact/signals";

import { ApiError, api, ask } from "~/api/client";
import { texts } from "~/text";
import { fromText } from "./cell";
import { ROW_COLUMNS, type Column } from "./columns";
import { parseCsv, unescaped } from "./csv";

const BATCH_ROWS = 250;
const BATCH_CHARACTERS = 500_000;
const TRIES = 4;
const PERMISSIONS = ["_read_perm", "_write_perm"];

const t = texts({
  noArray: ["The JSON must be an array of objects, or one object per line.", "JSON 应为对象数组，或每行一个对象。"],
  noColumn: ["No column in this file matches a column of the table.", "没有任何列与数据表相符。"],
  notAnObject: ["This is not an object.", "此处不是对象。"],
  tooMany: ["{n} values for {columns} columns.", "{columns} 列却有 {n} 个值。"],
});

/** A row to import, and its position in the text. */
export type Source = { line: number; values: Record<string, unknown> };

/** A line that could not be read or was refused. */
export type LineError = { line: number; message: string; values?: Record<string, unknown> };

/** The rows of a text in their order, the unit of their numbers, and the names without a column. */
export type Reading = { counts: "line" | "item"; rows: Iterable<{ row?: Source; error?: LineError; share: number }>; leftOut: string[] };

/** Reads CSV with a head line, a JSON array, or JSON lines; the text says which it is. */
export function read(text: string, columns: readonly Column[]): Reading {
  const first = text.trimStart()[0];
  return first === "[" || first === "{" ? readJson(text, columns) : readCsv(text, columns);
}

function takes(columns: readonly Column[], name: string): boolean {
  return PERMISSIONS.includes(name) || columns.some((column) => column.name === name);
}

function readCsv(text: string, columns: readonly Column[]): Reading {
  const records = parseCsv(text);
  const first = records.next();
  const head = first.done ? [] : first.value.cells.map((name) => (name ?? "").trim());
  const named = head.map((name) => columns.find((column) => column.name === name) ?? permissionsColumn(name));
  if (!named.some(Boolean)) throw new Error(t("noColumn"));

  function* rows(): Reading["rows"] {
    for (const { line, cells, end } of records) {
      const share = end / text.length;
      if (cells.length > head.length) {
        yield { share, error: { line, message: t("tooMany", { n: cells.length, columns: head.length }) } };
        continue;
      }
      const values: Record<string, unknown> = {};
      cells.forEach((cell, i) => {
        const column = named[i];
        if (column && cell !== null) values[column.name] = fromText(column, column.type === "string" ? unescaped(cell) : cell);
      });
      yield { share, row: { line, values } };
    }
  }
  return { counts: "line", rows: rows(), leftOut: leftOut(head, columns) };
}

function permissionsColumn(name: string): Column | undefined {
  return PERMISSIONS.includes(name) ? { ...ROW_COLUMNS[0]!, name, type: "array" } : undefined;
}

/** The names without a column. Columns that the platform fills in are not among them. */
function leftOut(names: readonly string[], columns: readonly Column[]): string[] {
  return names.filter((name) => name !== "" && !takes(columns, name) && !ROW_COLUMNS.some((column) => column.name === name));
}

function readJson(text: string, columns: readonly Column[]): Reading {
  const all = parseJson(text);
  const names = new Set(all.flatMap((item) => Object.keys(isObject(item) ? item : {})));
  const known = new Set([...names].filter((name) => takes(columns, name)));

  function* rows(): Reading["rows"] {
    for (const [i, item] of all.entries()) {
      const share = (i + 1) / all.length;
      const line = i + 1;
      if (!isObject(item)) yield { share, error: { line, message: t("notAnObject") } };
      else yield { share, row: { line, values: Object.fromEntries(Object.entries(item).filter(([name]) => known.has(name))) } };
    }
  }
  return { counts: "item", rows: rows(), leftOut: leftOut([...names], columns) };
}

const isObject = (item: unknown): item is Record<string, unknown> => typeof item === "object" && item !== null && !Array.isArray(item);

function parseJson(text: string): unknown[] {
  try {
    const whole: unknown = JSON.parse(text);
    return Array.isArray(whole) ? whole : [whole];
  } catch (error) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2 || text.trimStart()[0] === "[") throw error;
    return lines.map((line, i) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        throw new Error(`${i + 1}: ${t("noArray")}`);
      }
    });
  }
}

/** Rows on their way into a table, some hundred in a request. */
export class Import {
  readonly written = signal(0);
  readonly errors = signal<readonly LineError[]>([]);
  /** How much of the text has been dealt with, 0 to 1. */
  readonly share = signal(0);
  #stopped = false;

  constructor(
    readonly table: string,
    readonly enableTrigger: boolean,
  ) {}

  /** Ends it after the request that is on its way. */
  stop(): void {
    this.#stopped = true;
  }

  /** Writes all rows; throws the error of a request that failed as a whole. */
  async run(reading: Reading): Promise<void> {
    let batch: Source[] = [];
    let characters = 0;
    for (const { row, error, share } of reading.rows) {
      if (this.#stopped) return;
      if (error) this.#fail([error]);
      if (row) {
        batch.push(row);
        characters += JSON.stringify(row.values).length;
      }
      if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
      await this.#write(batch);
      this.share.value = share;
      batch = [];
      characters = 0;
    }
    if (batch.length > 0 && !this.#stopped) await this.#write(batch);
    this.share.value = 1;
  }

  #fail(errors: LineError[]): void {
    this.errors.value = [...this.errors.value, ...errors];
  }

  async #write(batch: Source[]): Promise<void> {
    // The same key in every try: rows that the first one wrote are not written again.
    const key = crypto.randomUUID();
    for (let n = 1; ; n++) {
      try {
        return this.#note(batch, await this.#send(batch, key));
      } catch (error) {
        const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429;
        if (isFinal || n === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** n));
      }
    }
  }

  async #send(batch: Source[], key: string) {
    const params = { path: { table: this.table }, query: { enable_trigger: this.enableTrigger ? ("1" as const) : ("0" as const) }, header: { "Idempotency-Key": key } };
    const made = await ask(api.POST("/oserve/v2.4/table/{table}/record/", { params, body: batch.map((row) => row.values) }));
    return made.operation_result as { error?: { err_msg: string } }[];
  }

  #note(batch: Source[], outcomes: { error?: { err_msg: string } }[]): void {
    const refused = batch.flatMap(({ line, values }, i) => {
      const error = outcomes[i]?.error;
      return error ? [{ line, message: error.err_msg, values }] : [];
    });
    this.#fail(refused);
    this.written.value += batch.length - refused.length;
  }
}
