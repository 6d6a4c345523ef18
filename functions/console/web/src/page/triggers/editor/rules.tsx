
import { AddLine, Line } from "./lines";
import { texts } from "~/text";
import { operatorWords } from "../words";
import { SelectField, TextField } from "./controls";
import { type Form, useForm, useMember } from "./form";
import type { Draft } from "./lens";
import { RuleValue } from "./rule-value";

const t = texts({
  add: ["Add condition", "添加规则"],
  all: ["all conditions are met", "满足全部规则"],
  any: ["any condition is met", "满足任一规则"],
  before: ["{name} (before the change)", "{name}（变化前）"],
  column: ["Column", "列"],
  equals: ["is", "等于"],
  operator: ["Operator", "条件"],
  match: ["Fires when", "触发条件"],
  member: ["Message field", "消息字段"],
  none: ["No conditions: every event fires this trigger.", "没有规则时每次都触发。"],
  rules: ["Conditions", "规则"],
});

type Column = Form["tables"][number]["schema"]["fields"][number];
type Operator = Form["choices"]["columns"][number]["operators"][number];

/** The columns for rules on a table: its own, then the system columns. */
export function useColumns(tablePath: string): Pick<Column, "name" | "type" | "items">[] {
  const { tables, choices } = useForm();
  const { value } = useMember<string | number>(tablePath);
  const table = tables.find((table) => table.id === value || table.name === value);
  return table ? [...table.schema.fields, ...choices.system_columns] : [];
}

/** All rules of a list, and how many of them must hold. */
function RuleList({ children, first }: { children: (path: string) => preact.ComponentChildren; first: Draft }) {
  const { value: rules = [], set } = useMember<Draft[]>("condition.rules");
  const matches = (["all", "any"] as const).map((value) => ({ value, label: t(value) }));
  return (
    <section aria-label={t("rules")}>
      {rules.length === 0 && <p class="quiet">{t("none")}</p>}
      {rules.length > 1 && <SelectField path="condition.match" label={t("match")} options={matches} />}
      {rules.map((_, i) => (
        <Line key={i} name={String(i + 1)} onRemove={() => set(rules.filter((_, other) => other !== i))}>
          {children(`condition.rules[${i}]`)}
        </Line>
      ))}
      <AddLine label={t("add")} onClick={() => set([...rules, first])} />
    </section>
  );
}

/** Rules on rows: a column, an operator, and an operand. */
export function Rules() {
  return <RuleList first={{}}>{(path) => <Rule path={path} />}</RuleList>;
}

function Rule({ path }: { path: string }) {
  const { choices } = useForm();
  const { value: event } = useMember<string>("condition.event");
  const rule = useMember<{ field?: string; operator?: Operator }>(path);
  const columns = useColumns("condition.table");
  const before = columns.map(({ name }) => ({ value: "before." + name, label: t("before", { name }) }));
  const fields = [...columns.map(({ name }) => ({ value: name, label: name })), ...(event === "update" ? before : [])];

  const column = columns.find((column) => column.name === rule.value?.field?.replace(/^(before|after)\./, ""));
  const operators = choices.columns.find((choice) => choice.type === column?.type)?.operators ?? [];
  const offered = operators.filter((operator) => operator !== "changed" || event === "update");
  return (
    <>
      <SelectField path={path + ".field"} label={t("column")} options={fields} />
      <SelectField path={path + ".operator"} label={t("operator")} options={offered.map((value) => ({ value, label: operatorWords(value) }))} />
      {column && rule.value?.operator && (
        <RuleValue key={column.name + rule.value.operator} path={path + ".value"} column={column} operator={rule.value.operator} />
      )}
    </>
  );
}

/** Rules on messages: members that equal texts. */
export function MessageRules() {
  return (
    <RuleList first={{ field: "MsgType", value: "text" }}>
      {(path) => (
        <>
          <TextField path={path + ".field"} label={t("member")} />
          <TextField path={path + ".value"} label={t("equals")} />
        </>
      )}
    </RuleList>
  );
}
