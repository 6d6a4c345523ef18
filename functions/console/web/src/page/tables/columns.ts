import type { components } from "~/api/schema";

/** A column of a table as the platform tells it. */
export type Column = components["schemas"]["Column"];

/** What every table's rows have beside the table's own columns; the platform keeps them. */
export const ROW_COLUMNS: readonly Column[] = [
  kept("id", "string"),
  kept("created_at", "integer"),
  kept("updated_at", "integer"),
  kept("created_by", "integer"),
];

function kept(name: string, type: Column["type"]): Column {
  return { name, type, description: "", constraints: { required: false }, default: null, indexed: name === "id", built_in: true };
}

/** The columns of a grid: the id first, the times last. */
export function gridColumns(own: readonly Column[]): Column[] {
  const [id, ...times] = ROW_COLUMNS;
  return [id!, ...own, ...times];
}

/** Whether a column holds amounts, which are read by their last digit; ids and times are none. */
export const isNumeric = (column: Column): boolean => !column.built_in && ["integer", "number"].includes(column.type);

/** Whether rows can be ordered by the column. */
export const isOrdered = (column: Column): boolean => ["string", "integer", "number", "date", "boolean"].includes(column.type);
