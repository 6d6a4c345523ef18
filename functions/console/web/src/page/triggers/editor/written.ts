import { useSignal } from "@preact/signals";

/** The JSON value of a text, or the text itself, whose error the check reports. */
export function readJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A number where a text is one, otherwise the text itself. */
export function readNumber(text: string): unknown {
  if (text.trim() === "") return undefined;
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/** The text itself, nothing where it is empty. */
export const readText = (text: string): unknown => text || undefined;

function spelled(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

/** A value as text. A typed text stays unchanged (`1.0`, spaces) while it means the same value. */
export function useWritten(value: unknown, read: (text: string) => unknown, set: (value: unknown) => void) {
  const written = useSignal("");
  const means = JSON.stringify(read(written.value)) === JSON.stringify(value);
  const write = (text: string) => {
    written.value = text;
    set(read(text));
  };
  return { text: means ? written.value : spelled(value), write };
}
