import { signal } from "@preact/signals";

import { toText } from "./cell";
import { csvLine, escaped } from "./csv";
import type { Row } from "./rows";
import { pagesOf, type Walk } from "./walk";

/** How rows are written: lines of CSV, one JSON array, or one JSON object on each line. */
export type Format = "csv" | "json" | "jsonl";

const PAGE = 1000;

/** A value as a cell of CSV: null is empty, an empty text has quotes, and other values are JSON. */
function cell(value: unknown, forSpreadsheets: boolean): string | null {
  if (value === null || value === undefined) return null;
  return forSpreadsheets && typeof value === "string" ? escaped(value) : toText(value);
}

/** Rows on their way into a file, page by page. */
export class Export {
  readonly written = signal(0);
  #stopped = false;

  constructor(
    readonly table: string,
    readonly names: readonly string[],
    readonly format: Format,
    readonly forSpreadsheets: boolean,
  ) {}

  /** Stops the export after the page being loaded, and discards the incomplete file. */
  stop(): void {
    this.#stopped = true;
  }

  /** Reads all rows and returns the file; undefined when it was stopped. */
  async run(question: Walk): Promise<Blob | undefined> {
    const parts = [this.#head()];
    for await (const page of pagesOf(this.table, { ...question, limit: PAGE, keys: [...this.names] })) {
      if (this.#stopped) return undefined;
      parts.push(page.map((row, i) => this.#line(row, this.written.value + i)).join(""));
      this.written.value += page.length;
    }
    if (this.format === "json") parts.push("\n]\n");
    return new Blob(parts, { type: this.format === "csv" ? "text/csv" : "application/json" });
  }

  #head(): string {
    if (this.format === "csv") return csvLine(this.names);
    return this.format === "json" ? "[" : "";
  }

  #line(row: Row, i: number): string {
    if (this.format === "csv") return csvLine(this.names.map((name) => cell(row[name], this.forSpreadsheets)));
    const json = JSON.stringify(Object.fromEntries(this.names.map((name) => [name, row[name] ?? null])));
    return this.format === "json" ? (i === 0 ? "\n" : ",\n") + json : json + "\n";
  }
}

/** Has the browser keep a file. */
export function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
