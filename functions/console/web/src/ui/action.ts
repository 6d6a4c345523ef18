import { type Signal, useSignal } from "@preact/signals";

import { confirm, type Question } from "./confirm";

/** Something that a form or button does: why it failed, whether it is under way, and how to do it. */
export type Action = {
  failure: Signal<unknown>;
  busy: Signal<boolean>;
  run: (act: () => Promise<void>) => Promise<boolean>;
  /** Asks before it runs. */
  confirmed: (question: Question, act: () => Promise<void>) => Promise<boolean>;
};

/** Runs one action at a time and keeps its error until the next try. `run` and `confirmed` return whether it succeeded. */
export function useAction(): Action {
  const failure = useSignal<unknown>(undefined);
  const busy = useSignal(false);

  async function run(act: () => Promise<void>): Promise<boolean> {
    if (busy.value) return false;
    busy.value = true;
    try {
      await act();
      failure.value = undefined;
      return true;
    } catch (error) {
      failure.value = error;
      return false;
    } finally {
      busy.value = false;
    }
  }

  const confirmed = async (question: Question, act: () => Promise<void>) => (await confirm(question)) && run(act);

  return { failure, busy, run, confirmed };
}
