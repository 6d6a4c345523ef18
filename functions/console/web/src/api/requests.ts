import { effect, signal } from "@preact/signals";

import { path, place, PRODUCTION } from "../place";

/** A request of the page: its name, and the equivalent command. */
export type Asked = { name: string; curl: string };

const MOST = 8;

/** The open-API requests of the page that is shown, the newest first, each once. */
export const asked = signal<readonly Asked[]>([]);

effect(() => {
  void path.value;
  asked.value = [];
});

/** Keeps a request, to show it as a command. */
export async function note(request: Request): Promise<void> {
  const { pathname, search } = new URL(request.url);
  if (pathname.startsWith("/console/")) return; // by cookie: nothing to paste
  const body = request.method === "GET" ? "" : await request.clone().text();
  const one = { name: `${request.method} ${decodeURI(pathname + search)}`, curl: asCurl(request, body) };
  asked.value = [one, ...asked.value.filter(({ curl }) => curl !== one.curl)].slice(0, MOST);
}

/** The command; the token stands as a variable. */
function asCurl(request: Request, body: string): string {
  const isEndUsers = new URL(request.url).pathname.startsWith("/hserve/"); // which take the token in another form
  const token = isEndUsers ? ['"Authorization: Service-r1 $TOKEN"', "-H", '"X-Service-Client-ID: $CLIENT_ID"'] : ['"Authorization: Bearer $TOKEN"'];
  const parts = ["curl", "-H", ...token];
  const env = request.headers.get("X-Service-Env-ID");
  if (env) parts.push("-H", quote("X-Service-Env-ID: " + env));
  if (request.method !== "GET") parts.push("-X", request.method);
  if (body) parts.push("--json", quote(body));
  return [...parts, quote(request.url)].join(" ");
}

/** The command for a request that would make or do something here: `command("/oserve/v1.8/table/", { name: "plants" })`. */
export function command(path: string, body: unknown): string {
  const env = place.value?.env ?? PRODUCTION;
  const where = env === PRODUCTION ? "" : `-H 'X-Service-Env-ID: ${env}' `;
  return `curl -H "Authorization: Bearer $TOKEN" ${where}--json ${quote(JSON.stringify(body))} ${location.origin}${path}`;
}

/** The two commands that turn credentials into $TOKEN, as the README has them. */
export function tokenCommand(): string {
  const at = location.origin;
  const known = String.raw`\"client_id\":\"$CLIENT_ID\",\"client_secret\":\"$CLIENT_SECRET\"`;
  const member = (name: string) => String.raw`sed 's/.*"${name}": *"\([^"]*\)".*/\1/'`;
  return [
    `CODE=$(curl -sL --json "{${known}}" ${at}/api/oauth2/service/openapi/authorize/ | ${member("code")})`,
    String.raw`TOKEN=$(curl -s --json "{${known},\"code\":\"$CODE\",\"grant_type\":\"authorization_code\"}" ${at}/api/oauth2/access_token/ | ${member("access_token")})`,
  ].join("\n");
}

const quote = (text: string): string => "'" + text.replaceAll("'", `'\\''`) + "'";
