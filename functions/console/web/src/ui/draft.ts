import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";

import { path, place } from "../place";

/** An unsaved edit: its name, the path of its page, and its content. */
type Draft = { name: string; path: string; value: unknown };

const PREFIX = "minicloud.draft.";
const STORE_AFTER_MS = 200;

/** The account whose drafts these are; the session sets it. */
export const owner = signal<number | undefined>(undefined);

const drafts = signal<ReadonlyMap<string, Draft>>(stored());

/** The drafts that an earlier load of this tab has kept. */
function stored(): Map<string, Draft> {
  const found = new Map<string, Draft>();
  for (const key of Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX))) {
    try {
      found.set(key, JSON.parse(sessionStorage.getItem(key)!) as Draft);
    } catch {
      sessionStorage.removeItem(key);
    }
  }
  return found;
}

// Code may have a megabyte: it is stored when typing pauses, and at the latest when the page goes.
let waiting: ReturnType<typeof setTimeout> | undefined;
effect(() => {
  void drafts.value;
  clearTimeout(waiting);
  waiting = setTimeout(store, STORE_AFTER_MS);
});
addEventListener("pagehide", store);

function store(): void {
  const kept = drafts.peek();
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX) && !kept.has(key)) sessionStorage.removeItem(key);
  for (const [key, draft] of kept) {
    try {
      sessionStorage.setItem(key, JSON.stringify(draft));
    } catch {
      sessionStorage.removeItem(key); // the browser keeps 5 MB; memory still has it
    }
  }
}

/** The names of the unsaved edits on the page, each once. */
export const unsaved = computed(() => {
  const mine = PREFIX + owner.value + " ";
  const here = [...drafts.value].filter(([key, draft]) => key.startsWith(mine) && draft.path === path.value);
  return [...new Set(here.map(([, draft]) => draft.name))];
});

/** Discards the unsaved edits of the page, or all of them on sign-out. */
export function discard(everything = false): void {
  const mine = PREFIX + owner.peek() + " ";
  const left = [...drafts.peek()].filter(([key, draft]) => !everything && !(key.startsWith(mine) && draft.path === path.peek()));
  drafts.value = new Map(left);
  if (everything) store();
}

/** A draft, by its key within the present account and environment. Its value never contains secrets. */
export type Handle<Value> = {
  /** The kept value; undefined if there is none. */
  readonly kept: ReadonlySignal<Value | undefined>;
  keep(name: string, value: Value): void;
  /** Saved, or discarded. */
  drop(): void;
};

/** The draft of a key such as "function/pay". */
export function draftOf<Value>(key: string): Handle<Value> {
  const full = `${PREFIX}${owner.peek()} ${place.peek()?.app}/${place.peek()?.env} ${key}`;
  return {
    kept: computed(() => drafts.value.get(full)?.value as Value | undefined),
    keep(name, value) {
      drafts.value = new Map(drafts.peek()).set(full, { name, path: path.peek(), value });
    },
    drop() {
      if (!drafts.peek().has(full)) return;
      const next = new Map(drafts.peek());
      next.delete(full);
      drafts.value = next;
    },
  };
}
