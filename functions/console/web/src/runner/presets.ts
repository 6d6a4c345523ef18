import samples from "../../../../cloudfunction/api/event_samples.json";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";

/** The source of a run. */
export type Source = components["schemas"]["JobSource"];
type Table = components["schemas"]["Table"];

/** event.data as each source gives it; the row of a table comes from rowOf. */
export const presets: Record<Source, object> = samples;

/** Everything that may start a run. */
export const SOURCES = Object.keys(samples) as Source[];

/** The newest row of a table as its trigger would give it: geometries are JSON texts. {} where it has none: the platform then makes one up. */
export async function rowOf(table: Table): Promise<object> {
  const params = { path: { table: String(table.id) }, query: { limit: 1 } };
  const { objects } = await ask(api.GET("/oserve/v2.4/table/{table}/record/", { params }));
  const row: Record<string, unknown> = { ...objects[0] };
  for (const { name, type } of table.schema.fields) {
    if (type === "geojson" && row[name] !== null && row[name] !== undefined) row[name] = JSON.stringify(row[name]);
  }
  return row;
}
