import { useSignal } from "@preact/signals";
import { Plus, SlidersHorizontal, X } from "lucide-preact";

import { common, texts } from "~/text";
import { ErrorNote } from "~/ui/error-note";
import { Options } from "~/ui/options";
import type { Column } from "./columns";
import { meantBy, operandOf, OPERATORS, toTerms, toWhere, type Term, type Terms } from "./where";

const t = texts({
  add: ["Add condition", "添加条件"],
  all: ["Match all conditions", "满足全部条件"],
  any: ["Match any condition", "满足任一条件"],
  apply: ["Apply", "应用"],
  builder: ["Conditions", "条件"],
  clear: ["Clear", "清除"],
  column: ["Column", "列"],
  list: ["a, b or JSON", "a, b 或 JSON"],
  match: ["Match", "匹配方式"],
  operator: ["Operator", "运算符"],
  remove: ["Remove condition {n}", "删除条件 {n}"],
  tooComplex: ["This filter is too complex for the builder. Edit it as JSON.", "此条件超出下方可表达的范围，请直接修改 JSON。"],
  where: ["Search text or where (JSON)", "搜索文字或 where 条件（JSON）"],
  whereHint: ["Search, or {example}", "搜索，或 {example}"],
});

/** The filter of rows: a text to search for or a condition as JSON, and a builder for it. */
export function Filter({
  columns,
  typed,
  onApply,
}: {
  columns: readonly Column[];
  typed: string;
  onApply: (typed: string) => void;
}) {
  const text = useSignal(typed);
  const failure = useSignal<unknown>(undefined);
  const open = useSignal(false);

  function apply(event: Event) {
    event.preventDefault();
    try {
      const next = text.value.trim();
      meantBy(next, columns); // JSON may be wrong
      onApply(next);
      failure.value = undefined;
    } catch (error) {
      failure.value = error;
    }
  }

  return (
    <form role="search" onSubmit={apply}>
      <div class="row filters">
        <button type="button" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          <SlidersHorizontal size={16} /> {t("builder")}
        </button>
        <input
          type="text"
          class="where"
          aria-label={t("where")}
          placeholder={t("whereHint", { example: '{"height":{"$gte":10}}' })}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button>{t("apply")}</button>
        {typed && (
          <button type="button" onClick={() => onApply("")}>
            {t("clear")}
          </button>
        )}
      </div>
      {open.value && <Builder columns={columns} text={text.value} onText={(next) => (text.value = next)} />}
      <ErrorNote error={failure.value} />
    </form>
  );
}

function parsed(text: string, columns: readonly Column[]): Terms | undefined {
  try {
    return toTerms(meantBy(text.trim(), columns));
  } catch {
    return undefined;
  }
}

/** The lines of a condition; each change is written as JSON at once. */
function Builder({ columns, text, onText }: { columns: readonly Column[]; text: string; onText: (text: string) => void }) {
  // A text may not be a value yet ("1e"), so the lines are kept beside their JSON.
  const mine = useSignal<{ text: string; said: Terms | undefined }>({ text, said: parsed(text, columns) });
  if (mine.value.text !== text) mine.value = { text, said: parsed(text, columns) };
  const { said } = mine.value;
  if (!said) return <p class="hint filters">{t("tooComplex")}</p>;

  function say(next: Terms) {
    const where = toWhere(columns, next);
    mine.value = { text: where ? JSON.stringify(where) : "", said: next };
    onText(mine.value.text);
  }

  const put = (i: number, term: Term) => say({ ...said, terms: said.terms.map((old, n) => (n === i ? term : old)) });
  return (
    <fieldset class="builder">
      {said.terms.length > 1 && (
        <select aria-label={t("match")} value={said.any ? "any" : "all"} onChange={(event) => say({ ...said, any: event.currentTarget.value === "any" })}>
          <option value="all">{t("all")}</option>
          <option value="any">{t("any")}</option>
        </select>
      )}
      {said.terms.map((term, i) => (
        <div key={i} class="row">
          <Line columns={columns} term={term} onChange={(next) => put(i, next)} />
          <button type="button" class="icon" aria-label={t("remove", { n: i + 1 })} onClick={() => say({ ...said, terms: said.terms.filter((_, n) => n !== i) })}>
            <X size={16} />
          </button>
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => say({ ...said, terms: [...said.terms, first(columns)] })}>
          <Plus size={16} /> {t("add")}
        </button>
      </div>
    </fieldset>
  );
}

/** A new line is about the first column of the table's own. */
function first(columns: readonly Column[]): Term {
  const column = columns[1] ?? columns[0]!;
  return { column: column.name, operator: OPERATORS[column.type][0]!, text: "" };
}

function Line({ columns, term, onChange }: { columns: readonly Column[]; term: Term; onChange: (term: Term) => void }) {
  const column = columns.find(({ name }) => name === term.column);
  const operators = column ? OPERATORS[column.type] : [term.operator];

  function choose(name: string) {
    const type = columns.find((it) => it.name === name)!.type;
    onChange({ ...term, column: name, operator: OPERATORS[type].includes(term.operator) ? term.operator : OPERATORS[type][0]! });
  }

  return (
    <>
      <select aria-label={t("column")} value={term.column} onChange={(event) => choose(event.currentTarget.value)}>
        {!column && <option value={term.column}>{term.column}</option>}
        <Options of={columns.map(({ name }) => name)} />
      </select>
      <select aria-label={t("operator")} value={term.operator} onChange={(event) => onChange({ ...term, operator: event.currentTarget.value })}>
        <Options of={operators} />
      </select>
      {column && operandOf(column, term.operator) === "flag" ? (
        <select aria-label={common("value")} value={term.text === "false" ? "false" : "true"} onChange={(event) => onChange({ ...term, text: event.currentTarget.value })}>
          <option value="true">{common("yes")}</option>
          <option value="false">{common("no")}</option>
        </select>
      ) : (
        <input
          type="text"
          aria-label={common("value")}
          autocomplete="off"
          placeholder={column && operandOf(column, term.operator) === "list" ? t("list") : ""}
          value={term.text}
          onInput={(event) => onChange({ ...term, text: event.currentTarget.value })}
        />
      )}
    </>
  );
}
