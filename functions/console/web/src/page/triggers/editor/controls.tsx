import type { ComponentChildren } from "preact";

import { mayChange } from "~/session";
import { texts } from "~/text";
import { Field } from "~/ui/field";
import { useForm, useMember } from "./form";
import { TemplateText } from "./template-text";
import { readJson, readNumber, useWritten } from "./written";

const t = texts({
  choose: ["– select –", "– 请选择 –"],
  templateHint: ["Type {{ to insert a variable.", "输入 {{ 可选择变量。"],
});

type Props = { path: string; label: string; hint?: ComponentChildren };

/** A line of text. */
export function TextField({ path, label, hint, placeholder, autofocus }: Props & { placeholder?: string; autofocus?: boolean }) {
  const { value, set, leave, wrong } = useMember<string>(path);
  return (
    <Field label={label} hint={hint} error={wrong}>
      <input
        type="text"
        autocomplete="off"
        placeholder={placeholder}
        autofocus={autofocus}
        disabled={!mayChange.value}
        value={value ?? ""}
        onInput={(event) => set(event.currentTarget.value || undefined)}
        onBlur={leave}
      />
    </Field>
  );
}

/** A number; nothing where the field is empty. */
export function NumberField({ path, label, hint }: Props) {
  const { value, set, leave, wrong } = useMember(path);
  const { text, write } = useWritten(value, readNumber, set);
  return (
    <Field label={label} hint={hint} error={wrong}>
      <input
        type="text"
        inputMode="decimal"
        autocomplete="off"
        disabled={!mayChange.value}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onBlur={leave}
      />
    </Field>
  );
}

/** A select of values with labels. */
export function SelectField<Value extends string | number>({
  path,
  label,
  hint,
  options,
  absent,
  onChoose,
}: Props & {
  options: readonly { value: Value; label: string }[];
  /** The label of the empty choice; without it a value must be chosen. */
  absent?: string;
  /** Called instead of setting the member, if a choice changes more than it. */
  onChoose?: (value: Value) => void;
}) {
  const { value, set, leave, wrong } = useMember<Value>(path);
  const choose = (text: string) => {
    const chosen = options.find((option) => String(option.value) === text)?.value;
    if (onChoose && chosen !== undefined) onChoose(chosen);
    else set(chosen);
  };
  const known = value === undefined || options.some((option) => option.value === value);
  return (
    <Field label={label} hint={hint} error={wrong}>
      <select
        disabled={!mayChange.value}
        value={value ?? ""}
        onChange={(event) => choose(event.currentTarget.value)}
        onBlur={leave}
      >
        {(absent !== undefined || value === undefined) && <option value="">{absent ?? t("choose")}</option>}
        {!known && <option value={value}>{String(value)}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A text that may name variables. */
export function TemplateField({ path, label, hint, rows, ofKey = false }: Props & { rows?: number; ofKey?: boolean }) {
  const { value, set, leave, wrong } = useMember<string>(path);
  const { check } = useForm();
  const variables = (ofKey ? check.value?.key_variables : check.value?.variables) ?? [];
  return (
    <Field label={label} hint={hint ?? (variables.length > 0 && t("templateHint"))} error={wrong}>
      <TemplateText value={value ?? ""} variables={variables} rows={rows} onChange={(text) => set(text || undefined)} onLeave={leave} />
    </Field>
  );
}

/** JSON, or with `read` something else, that may hold templates. */
export function JsonField({ path, label, hint, rows = 1, read = readJson }: Props & { rows?: number; read?: (text: string) => unknown }) {
  const { value, set, leave, wrong } = useMember(path);
  const { check } = useForm();
  const { text, write } = useWritten(value, read, set);
  return (
    <Field label={label} hint={hint} error={wrong}>
      <TemplateText code value={text} variables={check.value?.variables ?? []} rows={rows} onChange={write} onLeave={leave} />
    </Field>
  );
}

/** Yes or no; absent is no. */
export function Switch({ path, label }: Props) {
  const { value, set } = useMember<boolean>(path);
  return (
    <label class="row">
      <input
        type="checkbox"
        disabled={!mayChange.value}
        checked={value ?? false}
        onChange={(event) => set(event.currentTarget.checked)}
      />{" "}
      {label}
    </label>
  );
}
