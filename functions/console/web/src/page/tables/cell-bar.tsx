import { Eye, Filter, FilterX, Pencil, Trash2 } from "lucide-preact";
import { useSignal } from "@preact/signals";

import { link } from "~/place";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { Json } from "~/ui/json";
import { toText } from "./cell";
import type { Sheet } from "./sheet";

const LONGEST = 2000;

const t = texts({
  author: ["Made by user {id}", "由用户 {id} 创建"],
  delete: ["Delete {n:row|rows} (Delete)", "删除 {n} 行（Delete）"],
  deleteOne: ["Delete row (Delete)", "删除行（Delete）"],
  edit: ["Edit (Enter)", "编辑（Enter）"],
  filter: ["Only rows with this value (f)", "只看该值的行（f）"],
  not: ["No rows with this value", "排除该值的行"],
  open: ["Whole row", "查看整行"],
  row: ["Row {id}", "行 {id}"],
});

/** What is under the grid's cursor, whole, and what can be done with it. */
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
      <button class="icon" title={t("not")} aria-label={t("not")} disabled={isDraft} onClick={() => onFilter(true)}>
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
        footer={<button onClick={() => (open.value = false)}>{common("close")}</button>}
      >
        {row.created_by !== undefined && row.created_by !== null && (
          <p>
            <a href={link("users", row.created_by)}>{t("author", { id: row.created_by })}</a>
          </p>
        )}
        <Json value={row} />
      </Dialog>
    </div>
  );
}
