import { useMemo } from "preact/hooks";

import { place } from "../place";
import { draftOf, type Handle, owner } from "./draft";

/** The draft of a key in the environment of the page. */
export function useDraft<Value>(key: string): Handle<Value> {
  return useMemo(() => draftOf<Value>(key), [key, owner.value, place.value?.app, place.value?.env]);
}
