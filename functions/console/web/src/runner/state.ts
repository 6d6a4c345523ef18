import { computed, effect, signal } from "@preact/signals";

import type { components } from "~/api/schema";
import { place } from "~/place";

type Source = components["schemas"]["JobSource"];

/** Whether the runner is shown. */
export const runnerOpen = signal(false);

/** The function that it runs next. */
export const runnerFunction = signal("");

/** The function whose page is shown with code that is not saved, and how to save it. */
export const unsavedFunction = signal<{ name: string; save: () => Promise<boolean> } | undefined>(undefined);

/** The input of the run, as JSON text. */
export const runnerPayload = signal("{}");

/** The simulated source of the run. */
export const runnerSource = signal<Source>("open_api");

// A function of another environment is not there.
const environment = computed(() => `${place.value?.app}/${place.value?.env}`);
effect(() => {
  void environment.value;
  runnerFunction.value = "";
});

/** Opens the runner with the input of an earlier run. */
export function runAgain(name: string, payload: string, source: Source): void {
  runnerFunction.value = name;
  runnerPayload.value = payload;
  runnerSource.value = source;
  runnerOpen.value = true;
}
