import type { components } from "~/api/schema";
import { rowLink } from "../tables/where";

type Trigger = components["schemas"]["Trigger"];

/** The subject of an event; the row of a trigger's table as a link, unless the event is that it was deleted. */
export function Subject({ id, kind, trigger }: { id: string; kind: string; trigger?: Trigger }) {
  const subject = <code class="clip">{id}</code>;
  return trigger?.type === "table" && kind !== "on_delete" ? <a href={rowLink(trigger.condition.table, id)}>{subject}</a> : subject;
}
