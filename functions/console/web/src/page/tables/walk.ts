import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import type { Row } from "./rows";

/** The query whose pages are walked. */
export type Walk = Omit<components["schemas"]["ListQuery"], "cursor" | "offset">;

/** Every row that matches, page by page; each page goes on where the last one ended. */
export async function* pagesOf(table: string, question: Walk): AsyncGenerator<Row[]> {
  let cursor: string | undefined;
  do {
    const params = { path: { table }, query: cursor ? { cursor } : {} };
    const page = await ask(api.POST("/oserve/v2.4/table/{table}/record/query/", { params, body: question }));
    yield page.objects;
    cursor = page.meta.next ? (new URL(page.meta.next, location.origin).searchParams.get("cursor") ?? undefined) : undefined;
  } while (cursor);
}
