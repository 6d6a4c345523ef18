import { texts } from "../text";
import { Options } from "./options";

const t = texts({ all: ["all", "全部"] });

/** A filter: one of some values, or all. */
export function Choice<Value extends string>({
  label,
  values,
  filter,
  words = String,
}: {
  label: string;
  values: readonly Value[];
  filter: { value: Value | "" };
  /** How a value is called; as it is where nothing is said. */
  words?: (value: Value) => string;
}) {
  return (
    <label class="choice">
      {label}
      <select value={filter.value} onChange={(event) => (filter.value = event.currentTarget.value as Value | "")}>
        <option value="">{t("all")}</option>
        <Options of={values} words={words} />
      </select>
    </label>
  );
}

/** A filter: a moment on the reader's own clock, as `datetime-local` writes it. */
export function MomentChoice({ label, filter }: { label: string; filter: { value: string } }) {
  return (
    <label class="choice">
      {label}
      <input type="datetime-local" value={filter.value} onChange={(event) => (filter.value = event.currentTarget.value)} />
    </label>
  );
}
