import { signal } from "@preact/signals";

type Toast = { id: number; text: string; kind: "good" | "bad" };

const SHOWN_MS = 4000;
const toasts = signal<readonly Toast[]>([]);
let next = 0;

/** Says something for four seconds; errors belong into an ErrorNote, where they stay. */
export function toast(text: string, kind: Toast["kind"] = "good"): void {
  const it = { id: next++, text, kind };
  toasts.value = [...toasts.value, it];
  setTimeout(() => (toasts.value = toasts.value.filter((other) => other !== it)), SHOWN_MS);
}

/** The list of toasts, which screen readers announce. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((it) => (
        <p key={it.id} class={it.kind}>
          {it.text}
        </p>
      ))}
    </div>
  );
}
