import { signal } from "@preact/signals";

/** Whether the runner is shown. */
export const runnerOpen = signal(false);

/** The function that it runs next. */
export const runnerFunction = signal("");

/** What it is given, as JSON text. */
export const runnerPayload = signal("{}");
