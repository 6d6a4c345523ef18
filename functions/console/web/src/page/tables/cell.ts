import type { components } from "~/api/schema";
import { moment, toDate } from "~/format";

type Column = components["schemas"]["Column"];

const LONGEST = 200;

/** What a cell shows of a value: one line of text. */
export function show(column: Column, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (column.type === "date" || column.name === "created_at" || column.name === "updated_at") {
    const date = toDate(value as string | number);
    return date ? moment(date) : String(value);
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? text.slice(0, LONGEST) + "…" : text;
}

/** What an editing field begins with. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The value that a typed text means in a column: text in text columns, JSON elsewhere; empty is null. */
export function fromText(column: Column, text: string): unknown {
  if (column.type === "string" || column.type === "date") return text === "" ? null : text;
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text; // the platform says what it wanted instead
  }
}
