import { cloneElement, type ComponentChildren, type VNode } from "preact";
import { useId } from "preact/hooks";

/** A control with its label, a hint, and its error. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  error?: string;
  /** A native control; it gets the id that the label refers to. */
  children: VNode<Record<string, unknown>>;
}) {
  const id = useId();
  const described = [hint && id + "-hint", error && id + "-error"].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error ? "true" : undefined,
      })}
      {hint && (
        <p id={id + "-hint"} class="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={id + "-error"} class="hint bad">
          {error}
        </p>
      )}
    </div>
  );
}
