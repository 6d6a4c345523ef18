import { useSignal } from "@preact/signals";

import { mayChange } from "~/session";
import { texts } from "~/text";
import { Field, Input } from "~/ui/field";
import { fromText, isSame, toText } from "./cell";
import type { Column } from "./columns";

const t = texts({
  json: ["JSON", "JSON"],
  nothing: ["null", "空"],
  number: ["Number", "数字"],
  pointer: ["A row of {table} as JSON. Optional.", "{table} 中的一行（JSON），可留空"],
});

/** The texts typed into the fields of an object, by column; untouched fields are absent. */
export type Typed = { value: ReadonlyMap<string, string> };

/** The fields of an untouched form. */
export const useTyped = (): Typed => useSignal<ReadonlyMap<string, string>>(new Map());

/** The changed values, without those that equal the old ones. */
export function changedValues(columns: readonly Column[], before: Record<string, unknown>, typed: Typed): Record<string, unknown> {
  const changed = columns.filter(({ name }) => typed.value.has(name)).map((column) => [column.name, valueOf(column, typed.value.get(column.name)!)] as const);
  return Object.fromEntries(changed.filter(([name, value]) => !isSame(before[name], value)));
}

function valueOf(column: Column, text: string): unknown {
  if (column.type !== "date" || text === "") return fromText(column, text);
  return new Date(text).toISOString();
}

/** A field for each column, by its type. */
export function FieldInputs({ columns, values, typed }: { columns: readonly Column[]; values: Record<string, unknown>; typed: Typed }) {
  return columns.map((column) => (
    <FieldInput
      key={column.name}
      column={column}
      text={typed.value.get(column.name) ?? shownText(column, values[column.name])}
      onType={(text) => (typed.value = new Map(typed.value).set(column.name, text))}
    />
  ));
}

/** The initial text of a field; times are in the reader's time zone. */
function shownText(column: Column, value: unknown): string {
  if (column.type !== "date" || typeof value !== "string") return toText(value);
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function FieldInput({ column, text, onType }: { column: Column; text: string; onType: (text: string) => void }) {
  const label = column.name + (column.constraints.required ? " *" : "");
  const common = { disabled: !mayChange.value, value: text, spellcheck: false, autocomplete: "off" };
  const description = column.description && <span class="theirs">{column.description}</span>;
  const onInput = (event: { currentTarget: { value: string } }) => onType(event.currentTarget.value);

  switch (column.type) {
    case "boolean":
      return (
        <Field label={label} hint={description}>
          <select disabled={common.disabled} value={text} onChange={onInput}>
            <option value="">{t("nothing")}</option>
            <option value="true">true</option>
            <option value="false">false</option>
          </select>
        </Field>
      );
    case "integer":
    case "number":
      return (
        <Input label={label} hint={description || t("number")} inputMode="decimal" {...common} onInput={onInput} />
      );
    case "date":
      return (
        <Input label={label} hint={description} type="datetime-local" step="1" {...common} onInput={onInput} />
      );
    case "string":
      return (
        <Field label={label} hint={description}>
          <textarea rows={linesOf(text)} {...common} onInput={onInput} />
        </Field>
      );
  }
  const hint = column.type === "pointer" ? t("pointer", { table: column.schema_name ?? "" }) : t("json");
  return (
    <Field label={label} hint={description || hint}>
      <textarea class="code" rows={linesOf(text)} {...common} onInput={onInput} />
    </Field>
  );
}

const linesOf = (text: string): number => Math.min(8, Math.max(1, text.split("\n").length, Math.ceil(text.length / 60)));
