import { effect, signal } from "@preact/signals";

import { path } from "../place";

/** A request that the page has made: what it is, and the command that does the same. */
export type Asked = { name: string; curl: string };

const MOST = 8;

/** The open-API requests of the page that is shown, the newest first, each once. */
export const asked = signal<readonly Asked[]>([]);

effect(() => {
  void path.value;
  asked.value = [];
});

/** Keeps a request for who wants to do the same by hand. */
export async function note(request: Request): Promise<void> {
  const { pathname, search } = new URL(request.url);
  if (pathname.startsWith("/console/")) return; // by cookie: nothing to paste
  const body = request.method === "GET" ? "" : await request.clone().text();
  const one = { name: `${request.method} ${decodeURI(pathname + search)}`, curl: asCurl(request, body) };
  asked.value = [one, ...asked.value.filter(({ curl }) => curl !== one.curl)].slice(0, MOST);
}

/** The command; the token stands as a variable. */
function asCurl(request: Request, body: string): string {
  const parts = ["curl", "-H", '"Authorization: Bearer $TOKEN"'];
  const env = request.headers.get("X-Service-Env-ID");
  if (env) parts.push("-H", quote("X-Service-Env-ID: " + env));
  if (request.method !== "GET") parts.push("-X", request.method);
  if (body) parts.push("--json", quote(body));
  return [...parts, quote(request.url)].join(" ");
}

const quote = (text: string): string => "'" + text.replaceAll("'", `'\\''`) + "'";
