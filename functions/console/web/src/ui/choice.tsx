import { texts } from "../text";

const t = texts({ all: ["all", "全部"] });

/** A filter: one of some values, or all. */
export function Choice<Value extends string>({
  label,
  values,
  chosen,
  onChoose,
  words = String,
}: {
  label: string;
  values: readonly Value[];
  chosen: Value | "";
  onChoose: (value: Value | "") => void;
  /** How a value is called; as it is where nothing is said. */
  words?: (value: Value) => string;
}) {
  return (
    <label class="choice">
      {label}
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value as Value | "")}>
        <option value="">{t("all")}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {words(value)}
          </option>
        ))}
      </select>
    </label>
  );
}
