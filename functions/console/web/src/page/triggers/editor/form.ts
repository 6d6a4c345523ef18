import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { type Draft, type Json, valueAt, withValue } from "./lens";

type Schemas = components["schemas"];

/** The platform's check, and the draft that it is of. */
export type Check = Schemas["TriggerCheck"] & { of: Draft };

/** The state that all parts of the editor share. */
export type Form = {
  draft: Signal<Draft>;
  check: Signal<Check | undefined>;
  choices: Schemas["TriggerChoices"];
  tables: Schemas["Table"][];
  /** The paths of fields that lost the focus: only these show their errors. */
  left: Signal<ReadonlySet<string>>;
  /** Steps that were finished: all their fields say it. */
  tried: Signal<ReadonlySet<number>>;
};

/** The context that holds the form. */
export const FormContext = createContext<Form | undefined>(undefined);

/** The form that is being edited. */
export function useForm(): Form {
  return useContext(FormContext)!;
}

/** In which of the three steps a path is edited. */
export function stepOf(path: string): number {
  if (path.startsWith("actions")) return 2;
  return path.startsWith("condition") || path === "timezone" ? 1 : 0;
}

/** A member of the draft, and its errors. */
export function useMember<Value extends Json>(path: string) {
  const { draft, check, left, tried } = useForm();
  const spoken = left.value.has(path) || tried.value.has(stepOf(path));
  const value = valueAt(draft.value, path) as Value | undefined;
  // An error of a former value would appear when the field loses the focus, and move the button that is being clicked.
  const current = check.value && valueAt(check.value.of, path) === value;
  const problem = current ? check.value?.errors.find((error) => error.path === path) : undefined;
  return {
    value,
    set: (value: Value | undefined) => (draft.value = withValue(draft.peek(), path, value)),
    leave: () => (left.value = new Set(left.peek()).add(path)),
    wrong: spoken ? problem?.message : undefined,
  };
}

const CHECK_AFTER_MS = 350;

/** Has the platform check the draft whenever writing pauses; answers to older drafts are dropped. */
export function useCheck(draft: Signal<Draft>) {
  const check = useSignal<Check | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);

  useSignalEffect(() => {
    const body = draft.value;
    if (body.type === undefined) return;
    let latest = true;
    const timer = setTimeout(async () => {
      try {
        const answer = await ask(api.POST("/oserve/v3/trigger-check/", { body }));
        if (!latest) return;
        check.value = { ...answer, of: body };
        failure.value = undefined;
      } catch (error) {
        if (latest) failure.value = error;
      }
    }, CHECK_AFTER_MS);
    return () => {
      latest = false;
      clearTimeout(timer);
    };
  });

  return { check, failure };
}
