import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { application } from "~/session";
import { texts } from "~/text";

/** An item of a comparison: a function, table or trigger in both environments. */
export type Item = components["schemas"]["PromotionItem"];

/** A promotion. */
export type Promotion = components["schemas"]["Promotion"];

/** The result of an item. */
export type Step = components["schemas"]["PromotionStep"];

/** The kind of an item. */
export type Kind = Item["kind"];

/** The kinds, in the order they are shown. */
export const KINDS: readonly Kind[] = ["function", "table", "trigger"];

/** From where, and to where: the ids of environments. */
export type Way = { from: string; to: string };

/** The options of an item. */
export type Options = { remove_fields: string[]; enable: boolean };

/** The names of the kinds. */
export const kindWords = texts({
  function: ["Function", "云函数"],
  table: ["Table", "数据表"],
  trigger: ["Trigger", "触发器"],
});

const MOST = 1000;

/** The key of an item. */
export const keyOf = ({ kind, name }: { kind: Kind; name: string }): string => `${kind} ${name}`;

/** Whether an item can be selected: it differs, and no error prevents its promotion. */
export const canGo = (item: Item): boolean => item.change !== "same" && item.problem === "";

/** The name of an environment. */
export const nameOf = (env: string): string => application.value?.environments.find((e) => e.id === env)?.name ?? env;

/** Compares two environments; a large comparison comes in several answers. */
export async function compare(app: number, { from, to }: Way): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const query = { from, to, limit: MOST, offset: items.length };
    const page = await ask(api.GET("/console/api/application/{application}/compare/", { params: { path: { application: app }, query } }));
    items.push(...page.objects);
    if (page.meta.next === null || page.objects.length === 0) return items;
  }
}

/** The body of the request for a promotion. */
export function bodyOf({ from, to }: Way, items: readonly Item[], options: ReadonlyMap<string, Options>) {
  return {
    from,
    to,
    items: items.map((item) => ({
      kind: item.kind,
      name: item.name,
      expect: item.digest,
      remove: item.change === "removed",
      ...options.get(keyOf(item)),
    })),
  };
}

/** The body of a promotion. */
export type Body = ReturnType<typeof bodyOf>;

/** Returns a preview of the promotion. */
export const foresee = (app: number, body: Body): Promise<Promotion> =>
  ask(api.POST("/console/api/application/{application}/promote/", { params: { path: { application: app } }, body: { ...body, dry_run: true } }));

/** Promotes. Under the same key it goes on where it was broken off. */
export const promote = (app: number, body: Body, key: string): Promise<Promotion> =>
  ask(api.POST("/console/api/application/{application}/promote/", { params: { path: { application: app } }, body, headers: { "Idempotency-Key": key } }));

/** Rolls a promotion back. The request names the items for the audit log. */
export function revert(app: number, { id, items }: Promotion, force: boolean): Promise<Promotion> {
  const left = items.filter((step) => !step.reverted && (step.done || step.pending)).map(({ kind, name }) => ({ kind, name }));
  const path = { application: app, promotion: id };
  return ask(api.POST("/console/api/application/{application}/promotion/{promotion}/revert/", { params: { path }, body: { items: left, force } }));
}

/** Whether something of a promotion can still be put back. */
export const canGoBack = ({ items }: Promotion): boolean => items.some((step) => (step.done || step.pending) && !step.reverted);
