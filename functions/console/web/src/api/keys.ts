import type { Middleware } from "openapi-fetch";

/** Matches POST requests that only read: with an Idempotency-Key the platform would store answers that nobody repeats. */
const READS = /(-check|\/query|\/console\/api\/(session|token)|\/token)\/$|[?&]dry_run=/;

/** The keys of writes with an unknown result, by their content: a retry uses the same key. */
const open = new Map<string, string>();

const drawn = new Map<string, { what: string; key: string }>();

/** Statuses after which the same write may be sent again, because it was not done or its result is unknown. */
const isOpen = (status: number): boolean => status >= 500 || [401, 409, 429].includes(status);

/** Gives every write an Idempotency-Key: another one for each, the same when it is tried again after it failed. */
export const keyed: Middleware = {
  async onRequest({ request, id }) {
    if (request.method === "GET" || READS.test(request.url) || request.headers.has("Idempotency-Key")) return;
    const env = request.headers.get("X-Service-Env-ID") ?? "";
    const what = [request.method, location.pathname, request.url, env, await request.clone().text()].join("\n");
    const key = open.get(what) ?? crypto.randomUUID();
    open.delete(what); // two at the same time are two
    drawn.set(id, { what, key });
    request.headers.set("Idempotency-Key", key);
    return request;
  },
  onResponse({ id, response }) {
    settle(id, isOpen(response.status));
  },
  onError({ id }) {
    settle(id, true);
  },
};

function settle(id: string, again: boolean): void {
  const it = drawn.get(id);
  drawn.delete(id);
  if (it && again) open.set(it.what, it.key);
}
