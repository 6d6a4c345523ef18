import { cloneElement, type ComponentChildren, type InputHTMLAttributes, type VNode } from "preact";
import { useId } from "preact/hooks";

type Props = { label: string; hint?: ComponentChildren; error?: string };

/** A native control with its label, a hint, and its error. The control gets the id that the label refers to. */
export function Field({ label, hint, error, children }: Props & { children: VNode<Record<string, unknown>> }) {
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

/** A Field with an input: a line of text that the browser does not complete, unless its attributes say something else. */
export function Input({ label, hint, error, ...input }: Props & Omit<InputHTMLAttributes<HTMLInputElement>, "label">) {
  return (
    <Field label={label} hint={hint} error={error}>
      <input type="text" autocomplete="off" {...input} />
    </Field>
  );
}
