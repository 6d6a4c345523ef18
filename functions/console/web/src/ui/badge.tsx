import type { ComponentChildren } from "preact";

/** How a word is meant. */
export type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

/** A word with a colour; the word alone says it all, colour only helps. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={"badge " + tone}>{children}</span>;
}

const TONES: Record<string, Tone> = {
  success: "good",
  succeed: "good",
  done: "good",
  active: "good",
  pending: "busy",
  running: "busy",
  accepted: "good",
  succeeded: "good",
  fulfilled: "good",
  waiting: "busy",
  executing: "busy",
  waiting_retry: "warn",
  skipped: "quiet",
  batched: "busy",
  disabled: "quiet",
};

/** A status as the API spells it. What is not known to be well is shown as bad. */
export function Status({ value }: { value: string }) {
  return <Badge tone={TONES[value] ?? "bad"}>{value}</Badge>;
}
