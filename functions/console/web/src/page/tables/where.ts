import type { components } from "~/api/schema";
import { link } from "~/place";
import { fromText, toText } from "./cell";
import type { Column } from "./columns";

/** A condition as the platform takes it. */
export type Where = components["schemas"]["Where"];

/** A line of the builder: a column, an operator, and the typed operand. */
export type Term = { column: string; operator: string; text: string };

/** The address of one row, in the grid of its table. */
export const rowLink = (table: number | string, id: string): string => link("tables", table) + "?where=" + encodeURIComponent(JSON.stringify({ id }));

/** The conditions of the builder, of which all or any must be met. */
export type Terms = { any: boolean; terms: Term[] };

const EQUAL = ["$eq", "$ne", "$in", "$nin"];
const ORDER = ["$lt", "$lte", "$gt", "$gte", "$range"];
const TEXT = ["$contains", "$icontains", "$regex"];
const THERE = ["$isnull", "$exists"];
const GEO = ["$intersects", "$within", "$center", "$nearsphere"];

/** The operators of each type, as the documentation of tables has them. */
export const OPERATORS: Record<Column["type"], readonly string[]> = {
  string: [...EQUAL, ...TEXT, ...ORDER, ...THERE],
  integer: [...EQUAL, ...ORDER, ...THERE],
  number: [...EQUAL, ...ORDER, ...THERE],
  date: [...EQUAL, ...ORDER, ...THERE],
  boolean: [...EQUAL, ...THERE],
  array: [...EQUAL, "$all", ...THERE],
  object: [...EQUAL, "$has_key", ...THERE],
  file: [...EQUAL, ...THERE],
  pointer: [...EQUAL, ...THERE],
  geojson: [...GEO, ...THERE],
};

const LISTS = ["$in", "$nin", "$all", "$range"];

/** The input for an operator: a list by comma, yes or no, JSON, or a value of the column. */
export function operandOf(column: Column, operator: string): "list" | "flag" | "value" {
  if (LISTS.includes(operator)) return "list";
  return THERE.includes(operator) || (column.type === "boolean" && !LISTS.includes(operator)) ? "flag" : "value";
}

function operand(column: Column, { operator, text }: Term): unknown {
  if (LISTS.includes(operator)) return list(column, text);
  if (THERE.includes(operator)) return text !== "false";
  if (operator === "$has_key" || TEXT.includes(operator)) return text;
  return fromText(column, text);
}

/** `a, b` or `["a","b"]`; of an array its items are meant. */
function list(column: Column, text: string): unknown[] {
  const item: Column = column.type === "array" ? { ...column, type: column.items?.type ?? "string" } : column;
  try {
    const json: unknown = JSON.parse(text);
    if (Array.isArray(json)) return json;
  } catch {
    // not JSON: by comma
  }
  return text.split(",").map((part) => fromText(item, part.trim()));
}

/** The condition that the builder's lines say; undefined for none. */
export function toWhere(columns: readonly Column[], { any, terms }: Terms): Where | undefined {
  const all = terms.flatMap((term) => {
    const column = columns.find(({ name }) => name === term.column);
    if (!column) return [];
    const value = operand(column, term);
    return [{ [column.name]: term.operator === "$eq" && !isObject(value) ? value : { [term.operator]: value } }];
  });
  if (all.length < 2) return all[0];
  if (any) return { $or: all };
  const names = new Set(terms.map((term) => term.column));
  return names.size === all.length ? Object.assign({}, ...all) : { $and: all };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** The lines that say a condition; undefined where the builder cannot say it. */
export function toTerms(where: Where | undefined): Terms | undefined {
  if (!where) return { any: false, terms: [] };
  const names = Object.keys(where);
  const group = names.length === 1 && (names[0] === "$or" || names[0] === "$and") ? names[0] : undefined;
  const parts = group ? where[group] : [where];
  if (!Array.isArray(parts) || (group === "$or" && parts.some((part) => Object.keys(part).length !== 1))) return undefined;
  const terms = parts.flatMap((part) => Object.entries(part).map(([column, said]) => termsOf(column, said)));
  return terms.includes(undefined) ? undefined : { any: group === "$or", terms: terms.flatMap((some) => some!) };
}

function termsOf(column: string, said: unknown): Term[] | undefined {
  if (column.startsWith("$")) return undefined;
  if (!isObject(said)) return [{ column, operator: "$eq", text: said === null ? "null" : toText(said) }];
  const operators = Object.keys(said);
  const known = new Set(Object.values(OPERATORS).flat());
  if (operators.length === 0 || !operators.every((operator) => known.has(operator))) return undefined;
  return operators.map((operator) => ({ column, operator, text: toText(said[operator]) }));
}

const ROW_ID = /^[0-9a-f]{24}$/;
const MOST_TERMS = 100; // of a where

/** The condition that a text means: JSON, the ID of a row, or else what any column contains or, of numbers, equals. */
export function meantBy(text: string, columns: readonly Column[]): Where | undefined {
  if (text === "") return undefined;
  if (text.startsWith("{")) return JSON.parse(text) as Where;
  if (ROW_ID.test(text)) return { id: text };

  const terms = columns.flatMap(({ name, type }): Where[] => {
    if (type === "string") return name === "id" ? [] : [{ [name]: { $icontains: text } }];
    const fits = type === "integer" ? Number.isSafeInteger(Number(text)) : type === "number" && Number.isFinite(Number(text));
    return fits ? [{ [name]: Number(text) }] : [];
  });
  return terms.length === 0 ? { id: text } : { $or: terms.slice(0, MOST_TERMS) };
}

/** The condition that also wants a column to have, or not to have, a value. */
export function narrowed(where: Where | undefined, column: Column, value: unknown, isNot = false): Where {
  const none = value === null || value === undefined;
  const structured = isObject(value);
  const wanted = none ? { $isnull: !isNot } : isNot ? { $ne: value } : structured ? { $eq: value } : value;
  const term = { [column.name]: wanted };
  if (!where) return term;
  return column.name in where || "$or" in where || "$and" in where ? { $and: [where, term] } : { ...where, ...term };
}
