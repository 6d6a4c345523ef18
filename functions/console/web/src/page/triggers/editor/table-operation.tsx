
import { AddLine, Line } from "./lines";
import { texts } from "~/text";
import { JsonField, SelectField } from "./controls";
import { type Form, useForm, useMember } from "./form";
import type { Draft } from "./lens";
import { TableField } from "./step-if";
import { readJson, readText } from "./written";

const t = texts({
  add: ["Set a column", "设置列"],
  assign: ["Change", "方式"],
  column: ["Column", "列"],
  create: ["create row", "新增数据"],
  delete: ["delete rows", "删除数据"],
  operation: ["Operation", "操作"],
  set: ["Values", "赋值"],
  table: ["Table", "数据表"],
  update: ["update rows", "更新数据"],
  value: ["Value", "值"],
  valueHint: ["A value that is a single variable keeps its type.", "仅含一个变量的值保留其类型。"],
  where: ["Row filter", "数据条件"],
  whereHint: ['For example {"name": {"$eq": "{{ name }}"}}', '例如 {"name": {"$eq": "{{ name }}"}}'],
});

const assignWords = texts({
  "=": ["set to", "设为"],
  append: ["append", "追加"],
  append_unique: ["append if missing", "追加（去重）"],
  remove: ["remove", "移除"],
  inc_by: ["increase by", "增加"],
});

type Assign = Parameters<typeof assignWords>[0];

/** A row that is made, or rows that are changed or deleted. */
export function TableOperation({ path }: { path: string }) {
  const { tables } = useForm();
  const { value: settings, set } = useMember<Draft>(path);
  const operation = settings?.operation;
  const operations = (["create", "update", "delete"] as const).map((value) => ({ value, label: t(value) }));

  /** A new row has no where, and a deletion no values. */
  function choose(next: string) {
    const { where, assign, ...rest } = settings ?? {};
    set({ ...rest, operation: next, ...(next !== "create" && { where }), ...(next !== "delete" && { assign }) });
  }

  return (
    <>
      <div class="pair">
        <SelectField path={path + ".operation"} label={t("operation")} options={operations} onChoose={choose} />
        <TableField path={path + ".table"} label={t("table")} tables={tables} />
      </div>
      {operation !== "create" && <JsonField path={path + ".where"} label={t("where")} hint={t("whereHint")} rows={2} />}
      {operation !== "delete" && <Assignments path={path} />}
    </>
  );
}

function Assignments({ path }: { path: string }) {
  const { tables } = useForm();
  const { value: ref } = useMember<string | number>(path + ".table");
  const { value: list = [], set, wrong } = useMember<Draft[]>(path + ".assign");
  const columns = tables.find((table) => table.id === ref || table.name === ref)?.schema.fields ?? [];
  return (
    <fieldset>
      <legend>{t("set")}</legend>
      {wrong && <p class="hint bad">{wrong}</p>}
      {list.map((_, i) => (
        <Line key={i} name={String(i + 1)} onRemove={() => set(list.filter((_, other) => other !== i))}>
          <Assignment path={`${path}.assign[${i}]`} columns={columns} />
        </Line>
      ))}
      <AddLine label={t("add")} onClick={() => set([...list, { operator: "=" }])} />
    </fieldset>
  );
}

function Assignment({ path, columns }: { path: string; columns: Form["tables"][number]["schema"]["fields"] }) {
  const { choices } = useForm();
  const { value: name } = useMember<string>(path + ".field");
  const column = columns.find((column) => column.name === name);
  const operators = (choices.columns.find((choice) => choice.type === column?.type)?.assignments ?? ["="]) as Assign[];
  const read = column?.type === "string" ? readText : readJson;
  return (
    <>
      <SelectField path={path + ".field"} label={t("column")} options={columns.map(({ name }) => ({ value: name, label: name }))} />
      <SelectField path={path + ".operator"} label={t("assign")} options={operators.map((value) => ({ value, label: assignWords(value) }))} />
      <JsonField path={path + ".value"} label={t("value")} hint={t("valueHint")} read={read} />
    </>
  );
}
