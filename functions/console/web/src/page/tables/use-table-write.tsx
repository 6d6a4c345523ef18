import { useSignal } from "@preact/signals";
import type { VNode } from "preact";

import { api, ApiError, ask, askTagged } from "~/api/client";
import type { components, operations } from "~/api/schema";
import { common } from "~/text";
import { type Clash, Conflict } from "~/ui/conflict";
import { toast } from "~/ui/toast";

type Table = components["schemas"]["Table"];
type Body = operations["modifyTable"]["requestBody"]["content"]["application/json"];

/** A table's definition as text for a comparison, without the members that only the platform changes. */
const spelled = ({ updated_at: _, ...table }: Table): string =>
  JSON.stringify(table, (key, value: unknown) => (key === "index_ready" ? undefined : value), 2);

/** Writes a table on the condition that it is still the version that was edited, and asks where it is not. */
export function useTableWrite(table: Table, onSaved: () => Promise<void>, drop: () => void): {
  /** Whether it is written; an error that is thrown says why not. */
  write: (body: Body, tag: string) => Promise<boolean>;
  conflict: VNode;
} {
  const clash = useSignal<(Clash & { body: Body }) | undefined>(undefined);
  const params = { path: { table: String(table.id) } };

  async function put(body: Body, tag: string): Promise<true> {
    await ask(api.PUT("/oserve/v1.8/table/{table}/", { params, body, headers: { "If-Match": tag } }));
    drop();
    clash.value = undefined;
    toast(common("saved"));
    await onSaved();
    return true;
  }

  async function write(body: Body, tag: string): Promise<boolean> {
    try {
      return await put(body, tag);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    }
    const now = await askTagged(api.GET("/oserve/v1.8/table/{table}/", { params }));
    if (spelled(now.data) === spelled(table)) return put(body, now.tag);
    clash.value = { before: spelled(table), after: spelled(now.data), tag: now.tag, body };
    return false;
  }

  async function takeTheirs() {
    drop();
    clash.value = undefined;
    await onSaved();
  }

  const conflict = (
    <Conflict
      language="json"
      name={table.name}
      clash={clash.value}
      onTheirs={takeTheirs}
      onMine={() => put(clash.value!.body, clash.value!.tag)}
      onMerge={() => void ((clash.value = undefined), onSaved())}
    />
  );
  return { write, conflict };
}
