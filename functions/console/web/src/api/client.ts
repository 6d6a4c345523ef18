import createClient, { type ClientOptions, defaultPathSerializer, type Middleware } from "openapi-fetch";

import { place, PRODUCTION } from "../place";
import { texts } from "../text";
import { keyed } from "./keys";
import { note } from "./requests";
import type { paths } from "./schema";

const t = texts({
  unreachable: ["Can't reach the server. Check your connection and try again.", "无法连接服务器，请检查网络后重试。"],
});

/** An error response of the platform. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

type Token = { app: number; token: string; until: number };

let csrf = "";
let token: Promise<Token> | undefined;
let onSignedOut = (): void => {};
let onRefused = (): void => {};

/** Sets the token that writes of a session carry, and the callbacks for its end and for a lost token. */
export function begin(csrfToken: string, signedOut: () => void, refused: () => void): void {
  csrf = csrfToken;
  onSignedOut = signedOut;
  onRefused = refused;
}

/** Forgets everything of the last session. */
export function end(): void {
  csrf = "";
  token = undefined;
}

/** Has the next request ask for a new token: the one before was revoked. */
export function renewToken(): void {
  token = undefined;
}

/** The gateway decodes a path before it is split: a slash within a value is encoded twice. */
const BASE: ClientOptions = {
  baseUrl: location.origin,
  pathSerializer: (path, values) => defaultPathSerializer(path, values).replaceAll("%2F", "%252F"),
};

const isConsole = (url: string): boolean => new URL(url).pathname.startsWith("/console/api/");

/** The console's own requests go with the cookie, all others with a token of ten minutes that only memory holds. */
const credentials: Middleware = {
  async onRequest({ request }) {
    if (isConsole(request.url)) {
      if (request.method !== "GET") request.headers.set("X-CSRF-Token", csrf);
      return request;
    }
    const { app, env } = place.value ?? { app: 0, env: PRODUCTION };
    request.headers.set("Authorization", "Console " + (await tokenFor(app)));
    if (env !== PRODUCTION && !request.headers.has("X-Service-Env-ID")) request.headers.set("X-Service-Env-ID", env);
    return request;
  },
  onResponse({ request, response }) {
    if (response.status !== 401) return;
    token = undefined;
    if (!isConsole(request.url)) onRefused();
    else if (csrf !== "") onSignedOut();
  },
};

/** The client made of the platform's own description. */
export const api = createClient<paths>(BASE);
api.use(keyed, credentials, { onRequest: ({ request }) => note(request) });

/** The same client for requests outside the page, such as those of the palette, which are not listed as the page's. */
export const background = createClient<paths>(BASE);
background.use(keyed, credentials);

/** The same client with another token: that of an administrator who acts as a user. */
export function clientWith(another: string): typeof api {
  const client = createClient<paths>(BASE);
  client.use(keyed, {
    onRequest({ request }) {
      const env = place.value?.env ?? PRODUCTION;
      request.headers.set("Authorization", "Console " + another);
      if (env !== PRODUCTION) request.headers.set("X-Service-Env-ID", env);
      return request;
    },
  });
  return client;
}

async function tokenFor(app: number): Promise<string> {
  const known = token;
  const held = await known?.catch(() => undefined);
  if (held && held.app === app && held.until > Date.now()) return held.token;
  if (token !== known) return tokenFor(app); // another request has asked meanwhile
  token = askToken(app);
  return (await token).token;
}

async function askToken(app: number): Promise<Token> {
  const given = await ask(api.POST("/console/api/token/", { body: { application_id: app } }));
  return { app, token: given.token, until: given.expires_at * 1000 - 30_000 };
}

type Answer<Data> = Promise<{ data?: Data; error?: unknown; response: Response }>;

/** Unwraps an answer: its data, or an ApiError with the platform's message; status 0 means no answer. */
export async function ask<Data>(answer: Answer<Data>): Promise<Exclude<Data, undefined>> {
  return (await askTagged(answer)).data;
}

/** An answer and its version: a write carries the tag in If-Match, and gets 409 after a change by somebody else. */
export type Tagged<Data> = { data: Data; tag: string };

/** `ask` with the version of the answer. */
export async function askTagged<Data>(answer: Answer<Data>): Promise<Tagged<Exclude<Data, undefined>>> {
  const { data, error, response } = await answer.catch((reason: unknown) => {
    throw reason instanceof TypeError ? new ApiError(0, t("unreachable")) : reason;
  });
  if (response.ok) return { data: data as Exclude<Data, undefined>, tag: response.headers.get("ETag") ?? "" };
  const said = (error as { error_msg?: string; message?: string } | undefined) ?? {};
  throw new ApiError(response.status, said.error_msg ?? said.message ?? `${response.status} ${response.statusText}`);
}
