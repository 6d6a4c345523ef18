import { signal } from "@preact/signals";

import { api, ask } from "~/api/client";
import { place } from "~/place";
import type { Kind } from "./words";

/** An action on dead letters. */
export type Repair = "redrive" | "delete";

/** A choice of a queue's dead letters: some by their IDs, or all that were sent before a time. */
export type Which = { ids: string[] } | { before: number };

/** How far a repair is, undefined while there is none. */
export const progress = signal<{ done: number; total: number; kept: number } | undefined>(undefined);

/** How many letters one request names. */
const TOGETHER = 200;

/** Repairs letters, request by request until all are done. What one does not come to, the next goes on with. */
export async function repair(how: Repair, kind: Kind, which: Which, total: number): Promise<{ done: number; kept: number }> {
  const sum = { done: 0, kept: 0 };
  progress.value = { ...sum, total };
  try {
    for (const body of parts(which)) {
      for (let more = true; more; ) {
        const answer = await once(how, kind, body);
        sum.done += answer.done;
        sum.kept += answer.kept;
        progress.value = { ...sum, total };
        more = answer.more && answer.done > 0;
      }
    }
  } finally {
    progress.value = undefined;
  }
  return sum;
}

function parts(which: Which): Which[] {
  if ("before" in which) return [which];
  const all: Which[] = [];
  for (let i = 0; i < which.ids.length; i += TOGETHER) all.push({ ids: which.ids.slice(i, i + TOGETHER) });
  return all;
}

function once(how: Repair, kind: Kind, body: Which) {
  const params = { path: { application: place.value?.app ?? 0, kind } };
  if (how === "delete") return ask(api.POST("/console/api/application/{application}/dead-letter/{kind}/delete/", { params, body }));
  return ask(api.POST("/console/api/application/{application}/dead-letter/{kind}/redrive/", { params, body }));
}
