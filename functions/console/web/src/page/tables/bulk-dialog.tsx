import { useSignal } from "@preact/signals";

import { exact } from "~/format";
import { common, texts } from "~/text";
import { confirm } from "~/ui/confirm";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { Options } from "~/ui/options";
import { useDraft } from "~/ui/use-draft";
import { BulkChange, type Change } from "./bulk";
import { fromText } from "./cell";
import type { Column } from "./columns";
import type { RowsDialog } from "./rows";

const t = texts({
  background: [
    "Changes to more than 1,000 rows run in the background and fire no triggers. You can close this dialog meanwhile.",
    "超过 1,000 行时在后台执行且不触发触发器；可关闭此窗口。",
  ],
  change: ["Change {n:row|rows}", "修改 {n} 行"],
  column: ["Column", "列"],
  confirmText: ["This applies to every row that matches {where}. It can't be undone.", "所有匹配 {where} 的数据"],
  delete: ["Delete {n:row|rows}", "删除 {n} 行"],
  done: ["{done} succeeded, {failed} failed", "完成 {done}，失败 {failed}"],
  empty: ["clear", "清空"],
  action: ["Action", "操作"],
  increase: ["increase by", "增加"],
  progress: ["Progress", "进度"],
  set: ["set to", "设为"],
  title: ["Change {n:matching row|matching rows}", "匹配的全部 {n} 行"],
  toDelete: ["delete rows", "删除这些行"],
  value: ["Value", "值"],
  appliesTo: ["Applies to rows that match {where}. Unsaved edits are not included.", "匹配 {where} 的数据，不含尚未保存的修改。"],
});

/** Changes or deletes every row that the grid's condition finds. */
export function BulkDialog({ table, columns, rows, open, onClose }: RowsDialog) {
  const own = columns.filter((column) => !column.built_in);
  const how = useSignal("set");
  const name = useSignal("");
  const running = useSignal<BulkChange | undefined>(undefined);
  const draft = useDraft(`form/bulk/${table.id}`);
  const failure = useSignal<unknown>(undefined);
  const n = exact(rows.total.value ?? 0);
  const where = JSON.stringify(rows.question.where ?? {});
  const column = own.find((it) => it.name === name.value) ?? own[0];
  const action = t(how.value === "delete" ? "delete" : "change", { n });

  async function submit(said: FormData): Promise<boolean> {
    if (!(await confirm({ title: action + "?", text: t("confirmText", { where }), action, name: table.name }))) return false;
    failure.value = undefined;
    draft.drop(); // it goes on in the background: closing loses nothing any more
    try {
      running.value = new BulkChange(String(table.id), rows.question.where);
      await running.value.run(changeOf(how.value, column, String(said.get("value") ?? "")));
      return true;
    } catch (error) {
      failure.value = error;
      return false;
    } finally {
      rows.refresh();
    }
  }

  function close() {
    running.value?.leave();
    running.value = undefined;
    onClose();
  }

  return (
    <Dialog title={t("title", { n })} open={open} onClose={close}>
      <Form draft={`bulk/${table.id}`} name={t("title", { n })} onSubmit={submit}>
        <p class="breaks">{t("appliesTo", { where })}</p>
        <Field label={t("action")}>
          <select name="how" value={how.value} onChange={(event) => (how.value = event.currentTarget.value)}>
            {column && <option value="set">{t("set")}</option>}
            {column && <option value="increase">{t("increase")}</option>}
            {column && <option value="empty">{t("empty")}</option>}
            <option value="delete">{t("toDelete")}</option>
          </select>
        </Field>
        {how.value !== "delete" && column && (
          <Field label={t("column")}>
            <select name="column" value={column.name} onChange={(event) => (name.value = event.currentTarget.value)}>
              <Options of={own.map((it) => it.name)} />
            </select>
          </Field>
        )}
        {(how.value === "set" || how.value === "increase") && (
          <Input label={t("value")} name="value" required={how.value === "increase"} />
        )}
        <p class="hint">{t("background")}</p>
        {running.value && <Shown of={running.value} />}
        <ErrorNote error={failure.value} />
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {common("close")}
          </button>
          <Submit class={how.value === "delete" ? "wa-danger" : "wa-brand"}>{action}</Submit>
        </div>
      </Form>
    </Dialog>
  );
}

function changeOf(how: string, column: Column | undefined, text: string): Change {
  if (how === "delete" || !column) return { delete: true };
  if (how === "increase") return { set: { [column.name]: { $incr_by: Number(text) } } };
  return { set: { [column.name]: how === "empty" ? null : fromText(column, text) } };
}

function Shown({ of }: { of: BulkChange }) {
  const at = of.progress.value;
  if (!at) return null;
  const n = at.done + at.failed;
  return (
    <div role="status">
      <progress class="wide" aria-label={t("progress")} max={1} value={at.ended ? 1 : n / Math.max(at.total ?? 0, n, 1)} />
      <p>{t("done", { done: exact(at.done), failed: exact(at.failed) })}</p>
      {at.errors.slice(0, 5).map((message) => (
        <ErrorNote key={message} error={message} />
      ))}
    </div>
  );
}
