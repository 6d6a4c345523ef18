import { Eye, Filter, FilterX, Pencil, Trash2 } from "lucide-preact";
import { useSignal } from "@preact/signals";

import { link } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { Json } from "~/ui/json";
import { toText } from "./cell";
import { changedValues, FieldInputs, useTyped } from "./field-inputs";
import type { Row } from "./rows";
import type { Sheet } from "./sheet";

const LONGEST = 2000;

const t = texts({
  creator: ["Created by user {id}", "由用户 {id} 创建"],
  delete: ["Delete {n:row|rows} (Delete)", "删除 {n} 行（Delete）"],
  deleteOne: ["Delete row (Delete)", "删除行（Delete）"],
  edit: ["Edit (Enter)", "编辑（Enter）"],
  filter: ["Show only rows with this value (f)", "只看该值的行（f）"],
  hide: ["Hide rows with this value", "排除该值的行"],
  json: ["View as JSON", "JSON 格式"],
  open: ["View row", "查看整行"],
  row: ["Row {id}", "行 {id}"],
  stage: ["Apply to the grid", "应用到表格"],
});

/** All fields of a row. What is changed here is staged as if it were typed in the grid. */
function WholeRow({ row, sheet, onDone }: { row: Row; sheet: Sheet; onDone: () => void }) {
  const typed = useTyped();
  const own = sheet.columns.filter((column) => !column.built_in);
  const values = { ...row, ...sheet.edits.all.value.get(row.id)?.values };

  if (sheet.readOnly || sheet.edits.all.value.get(row.id)?.kind === "delete") return <Json value={row} />;
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        for (const [name, value] of Object.entries(changedValues(own, values, typed))) sheet.edits.put(row, name, value);
        onDone();
      }}
    >
      <FieldInputs columns={own} values={values} typed={typed} />
      <details>
        <summary>{t("json")}</summary>
        <Json value={row} />
      </details>
      <div class="dialog-foot">
        <button type="button" onClick={onDone}>
          {common("close")}
        </button>
        <button class="wa-brand" disabled={!mayChange.value}>
          {t("stage")}
        </button>
      </div>
    </form>
  );
}

/** The whole value under the grid's cursor, and the actions on it. */
export function CellBar({ sheet, onFilter }: { sheet: Sheet; onFilter: (isNot: boolean) => void }) {
  const open = useSignal(false);
  void sheet.rows.loaded.value;
  const cell = sheet.cell();
  if (!cell) return null;
  const { row, column } = cell;
  const text = toText(sheet.value(row, column));
  const isDraft = sheet.edits.all.value.get(row.id)?.kind === "create";
  const n = sheet.chosen().length;
  return (
    <div class="row cell-bar">
      <code class="grow clip" title={text.slice(0, LONGEST)}>
        {column.name}: {text === "" ? "null" : text.slice(0, LONGEST)}
      </code>
      <button class="icon" title={t("filter")} aria-label={t("filter")} disabled={isDraft} onClick={() => onFilter(false)}>
        <Filter size={16} />
      </button>
      <button class="icon" title={t("hide")} aria-label={t("hide")} disabled={isDraft} onClick={() => onFilter(true)}>
        <FilterX size={16} />
      </button>
      <button class="icon" title={t("edit")} aria-label={t("edit")} disabled={!sheet.canEdit()} onClick={() => sheet.edit()}>
        <Pencil size={16} />
      </button>
      <button class="icon" title={t("open")} aria-label={t("open")} onClick={() => (open.value = true)}>
        <Eye size={16} />
      </button>
      <button class="icon" title={n > 1 ? t("delete", { n }) : t("deleteOne")} aria-label={t("delete", { n })} disabled={!sheet.canDelete} onClick={() => sheet.remove()}>
        <Trash2 size={16} /> {n > 1 && n}
      </button>
      <Dialog
        wide
        title={t("row", { id: row.id })}
        open={open.value}
        onClose={() => (open.value = false)}
      >
        {typeof row.created_by === "number" && (
          <p>
            <a href={link("users", row.created_by)}>{t("creator", { id: row.created_by })}</a>
          </p>
        )}
        {open.value && <WholeRow key={row.id} row={row} sheet={sheet} onDone={() => (open.value = false)} />}
      </Dialog>
    </div>
  );
}
