import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { tinykeys } from "tinykeys";

/** A key or chord ("g f", "$mod+k") and its action. */
export type Key = { keys: string; label: string; run: () => void };

/** Every key that works at this moment; the `?` sheet prints them. */
export const activeKeys = signal<readonly Key[]>([]);

const WRITES = "input, textarea, select, [contenteditable], .cm-editor";

function writing(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof Element && target.closest(WRITES) !== null;
}

/** Prints keys on the `?` sheet that the component answers to by itself while it has the focus. */
export function useShownKeys(keys: readonly Omit<Key, "run">[]): void {
  useEffect(() => {
    const shown = keys.map((key) => ({ ...key, run: () => {} }));
    activeKeys.value = [...activeKeys.value, ...shown];
    return () => {
      activeKeys.value = activeKeys.value.filter((key) => !shown.includes(key));
    };
  }, [keys.map((key) => key.keys + key.label).join()]);
}

/** Binds keys while the component is mounted. Plain letters are ignored while the focus is in a text field. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys); // the actions may change after binding, as other rows are shown
  latest.current = keys;

  useEffect(() => {
    activeKeys.value = [...activeKeys.value, ...keys];
    const bindings = Object.fromEntries(keys.map((key, i) => [key.keys, handler(key, () => latest.current[i]?.run())]));
    const stop = tinykeys(window, bindings);
    return () => {
      stop();
      activeKeys.value = activeKeys.value.filter((key) => !keys.includes(key));
    };
  }, [keys.map((key) => key.keys + key.label).join()]);
}

function handler(key: Key, run: () => void) {
  return (event: KeyboardEvent) => {
    if (key.keys === "Enter" && event.target instanceof Element && event.target.closest("a, button, summary")) return;
    if (!key.keys.startsWith("$mod") && (writing(event) || document.querySelector("dialog[open]"))) return;
    event.preventDefault();
    run();
  };
}

const IS_MAC = navigator.platform.startsWith("Mac");

/** How a chord is written for readers: "⌘K" or "Ctrl+K", "g f". */
export function chord(keys: string): string {
  return keys.replace(/^\$mod\+(.*)/, (_, key: string) => (IS_MAC ? "⌘" : "Ctrl+") + key.toUpperCase()).replace("Shift+?", "?");
}
