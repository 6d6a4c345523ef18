import { signal } from "@preact/signals";
import { lazy as suspended } from "preact-iso";

/** A part of the page could not be loaded: the console was updated and its old files are gone, or there is no network. */
export const missing = signal(false);

/** A part that is loaded on demand. If loading fails, `missing` is set, and the promise stays pending until the reload. */
export function part<Module>(loading: Promise<Module>): Promise<Module> {
  return loading.catch(() => {
    missing.value = true;
    return new Promise<never>(() => {});
  });
}

/** A component that is loaded when it is first shown. */
export const lazy: typeof suspended = (load) => suspended(() => part(load()));
