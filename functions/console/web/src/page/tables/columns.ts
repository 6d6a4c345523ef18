import type { components } from "~/api/schema";

/** A column of a table as the platform tells it. */
export type Column = components["schemas"]["Column"];

/** Properties of a column type: whether arrays may hold it, whether rows can be ordered by it, and its initial width in a grid. */
type Kind = { item: boolean; ordered: boolean; width: number };

/** The types that columns can have, in the order of the description; their operators stand in where.ts. */
export const KINDS: Record<Column["type"], Kind> = {
  string: { item: true, ordered: true, width: 200 },
  integer: { item: true, ordered: true, width: 120 },
  number: { item: true, ordered: true, width: 120 },
  boolean: { item: true, ordered: true, width: 110 },
  date: { item: true, ordered: true, width: 200 },
  array: { item: false, ordered: false, width: 180 },
  object: { item: true, ordered: false, width: 220 },
  file: { item: true, ordered: false, width: 220 },
  pointer: { item: false, ordered: false, width: 220 },
  geojson: { item: true, ordered: false, width: 220 },
};

/** The names of all types, and of the types that arrays can hold. */
export const TYPES = Object.keys(KINDS) as Column["type"][];
export const ITEM_TYPES = TYPES.filter((type) => KINDS[type].item);

/** The columns of every table that the platform fills in. */
export const ROW_COLUMNS: readonly Column[] = [
  kept("id", "string"),
  kept("created_at", "integer"),
  kept("updated_at", "integer"),
  kept("created_by", "integer"),
];

function kept(name: string, type: Column["type"]): Column {
  return { name, type, description: "", constraints: { required: false }, default: null, indexed: name === "id", built_in: true };
}

/** The permissions of a row: administrators change them as its own columns. */
const PERMISSIONS: readonly Column[] = ["_read_perm", "_write_perm"].map((name) => ({
  ...kept(name, "array"),
  items: { type: "string" },
  built_in: false,
}));

/** The columns of a grid: the id first, the permissions and times last. */
export function gridColumns(own: readonly Column[]): Column[] {
  const [id, ...times] = ROW_COLUMNS;
  return [id!, ...own, ...PERMISSIONS, ...times];
}

/** Whether a column holds amounts, which are read by their last digit; ids and times are none. */
export const isNumeric = (column: Column): boolean => !column.built_in && ["integer", "number"].includes(column.type);

/** Whether rows can be ordered by the column. */
export const isOrdered = (column: Column): boolean => KINDS[column.type].ordered;
