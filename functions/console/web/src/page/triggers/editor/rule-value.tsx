import { localTime } from "~/format";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Field } from "~/ui/field";
import { Options } from "~/ui/options";
import type { Form } from "./form";
import { useMember } from "./form";
import { readJson, readNumber, readText, useWritten } from "./written";

type ColumnType = Form["choices"]["columns"][number]["type"];
type Operator = Form["choices"]["columns"][number]["operators"][number];

const t = texts({
  ago: ["before the event", "之前"],
  at: ["date and time", "具体时刻"],
  days: ["days", "天"],
  from: ["From", "从"],
  hours: ["hours", "小时"],
  minutes: ["minutes", "分钟"],
  seconds: ["seconds", "秒"],
  to: ["To (exclusive)", "至（不含）"],
  unit: ["Unit", "形式"],
  value: ["Value", "值"],
});

type One = { label: string; type: ColumnType; value: unknown; wrong?: string; onChange: (value: unknown) => void; onLeave: () => void };

/** The operand of a rule, in the control that fits its column. */
export function RuleValue({ path, column, operator }: { path: string; column: { type: ColumnType; items?: { type: ColumnType } }; operator: Operator }) {
  const { value, set, leave, wrong } = useMember(path);
  const one = { value, wrong, onChange: set, onLeave: leave };
  switch (operator) {
    case "changed":
      return null;
    case "isempty":
      return <OneValue {...one} label={t("value")} type="boolean" />;
    case "contains":
      return <OneValue {...one} label={t("value")} type={column.items?.type ?? "string"} />;
    case "has_key":
    case "regex":
      return <OneValue {...one} label={t("value")} type="string" />;
    case "range":
      return <Range {...one} type={column.type} />;
  }
  return <OneValue {...one} label={t("value")} type={column.type} />;
}

function Range({ value, wrong, onChange, onLeave, type }: Omit<One, "label">) {
  const [from = null, to = null] = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    <>
      <OneValue label={t("from")} type={type} value={from ?? undefined} wrong={wrong} onLeave={onLeave} onChange={(next) => onChange([next ?? null, to])} />
      <OneValue label={t("to")} type={type} value={to ?? undefined} onLeave={onLeave} onChange={(next) => onChange([from, next ?? null])} />
    </>
  );
}

function OneValue({ label, type, value, wrong, onChange, onLeave }: One) {
  const control = { disabled: !mayChange.value, onBlur: onLeave };
  switch (type) {
    case "boolean":
      return (
        <Field label={label} error={wrong}>
          <select {...control} value={value === undefined ? "" : String(value)} onChange={(event) => onChange(readJson(event.currentTarget.value))}>
            {value === undefined && <option value="" />}
            <option value="true">{common("yes")}</option>
            <option value="false">{common("no")}</option>
          </select>
        </Field>
      );
    case "date":
      return <DateValue label={label} type={type} value={value} wrong={wrong} onChange={onChange} onLeave={onLeave} />;
  }
  return <WrittenValue label={label} type={type} value={value} wrong={wrong} onChange={onChange} onLeave={onLeave} />;
}

const READ: Partial<Record<ColumnType, (text: string) => unknown>> = { integer: readNumber, number: readNumber, string: readText, pointer: readText };

/** A value written as text: texts and IDs as they are, numbers, anything else as JSON. */
function WrittenValue({ label, type, value, wrong, onChange, onLeave }: One) {
  const { text, write } = useWritten(value, READ[type] ?? readJson, onChange);
  return (
    <Field label={label} error={wrong}>
      <input
        type="text"
        inputMode={READ[type] === readNumber ? "decimal" : "text"}
        autocomplete="off"
        disabled={!mayChange.value}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onBlur={onLeave}
      />
    </Field>
  );
}

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86400 };
type Unit = keyof typeof UNITS;

/** A moment, or how long ago from the event. */
function DateValue({ label, value, wrong, onChange, onLeave }: One) {
  const ago = (value as { ago_seconds?: number } | undefined)?.ago_seconds;
  const largest = (Object.keys(UNITS) as Unit[]).findLast((unit) => ago !== undefined && ago % UNITS[unit] === 0) ?? "hours";
  const control = { disabled: !mayChange.value, onBlur: onLeave };

  function choose(kind: string) {
    if (kind === "at") onChange(undefined);
    else onChange({ ago_seconds: Math.max(1, Math.round((ago ?? 3600) / UNITS[largest])) * UNITS[kind as Unit] });
  }

  return (
    <>
      <Field label={label} error={wrong}>
        {ago === undefined ? (
          <input
            {...control}
            type="datetime-local"
            value={typeof value === "string" ? localTime(new Date(value)) : ""}
            onChange={({ currentTarget: { value } }) => onChange(value ? new Date(value).toISOString() : undefined)}
          />
        ) : (
          <input
            {...control}
            type="number"
            value={ago / UNITS[largest]}
            onChange={(event) => onChange({ ago_seconds: Number(event.currentTarget.value) * UNITS[largest] })}
          />
        )}
      </Field>
      <Field label={t("unit")}>
        <select {...control} value={ago === undefined ? "at" : largest} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="at">{t("at")}</option>
          <Options of={Object.keys(UNITS) as Unit[]} words={(unit) => `${t(unit)} ${t("ago")}`} />
        </select>
      </Field>
    </>
  );
}
