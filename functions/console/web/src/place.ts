import { computed, signal } from "@preact/signals";

/** The application and the environment of the page: /console/:app/:env/… */
export type Place = { app: number; env: string };

/** The environment that real users reach. */
export const PRODUCTION = "production";

/** The path below /console/, kept by the shell. */
export const path = signal(location.pathname);

/** The application and environment in the address; undefined on pages that belong to none. */
export const place = computed<Place | undefined>(() => {
  const match = /^\/console\/(\d+)\/([^/]+)(?:\/|$)/.exec(path.value);
  return match ? { app: Number(match[1]), env: decodeURIComponent(match[2]!) } : undefined;
});

/** Whether the environment has real users: dangerous actions ask for confirmation. */
export const inProduction = computed(() => place.value?.env === PRODUCTION);

/** The address of a page of this environment: `link("functions", name)`. */
export const link = (...parts: (string | number)[]): string => linkIn(place.value?.env ?? PRODUCTION, ...parts);

/** The address of a page of another environment of this application. */
export const linkIn = (env: string, ...parts: (string | number)[]): string =>
  "/console/" + [place.value?.app ?? 0, env, ...parts].map((part) => encodeURIComponent(part)).join("/");
