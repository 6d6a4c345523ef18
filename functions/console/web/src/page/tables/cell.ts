import { moment, toDate } from "~/format";
import type { Column } from "./columns";

const LONGEST = 200;

/** The text of a cell, on one line. An empty text has quotes, which tell it from null. */
export function show(column: Column, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value === "") return '""';
  if (column.type === "date" || column.name === "created_at" || column.name === "updated_at") {
    const date = toDate(value as string | number);
    return date ? moment(date) : String(value);
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? text.slice(0, LONGEST) + "…" : text;
}

/** The initial text of an editing field. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The value that a typed text means in a column: text in text columns, JSON elsewhere; nothing typed is null but in text. */
export function fromText(column: Column, text: string): unknown {
  if (column.type === "string") return text;
  if (text.trim() === "") return null;
  if (column.type === "date") return text.trim();
  try {
    return JSON.parse(text);
  } catch {
    return text; // the platform's error says what it expects
  }
}

/** Whether two values of a row are the same. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
