import { useSignal } from "@preact/signals";

import { exact } from "~/format";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { download, Export, type Format } from "./export";
import type { RowsDialog } from "./rows";

const t = texts({
  all: ["Exports {n:matching row|matching rows}, in the order of the grid.", "导出全部 {n} 行匹配的数据，顺序与表格一致。"],
  export: ["Export", "导出"],
  format: ["Format", "格式"],
  progress: ["Progress", "进度"],
  read: ["{n:row|rows} read", "已读取 {n} 行"],
  spreadsheets: ["For spreadsheets: add ' before text that would run as a formula", "供电子表格使用：在会被当作公式的文本前加 '"],
  stop: ["Stop", "停止"],
  title: ["Export rows of {name}", "导出 {name} 的数据"],
});

/** Reads the rows that the grid shows into a file. */
export function ExportDialog({ table, columns, rows, open, onClose }: RowsDialog) {
  const running = useSignal<Export | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const total = rows.total.value ?? 0;

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const said = new FormData(event.currentTarget as HTMLFormElement);
    const format = said.get("format") as Format;
    const { where, orderBy } = rows.question;
    failure.value = undefined;
    try {
      const names = columns.map((column) => column.name);
      running.value = new Export(String(table.id), names, format, said.get("spreadsheets") !== null);
      const file = await running.value.run({ where, order_by: orderBy });
      if (file) download(file, `${table.name}.${format}`);
    } catch (error) {
      failure.value = error;
    }
    running.value = undefined;
  }

  return (
    <Dialog title={t("title", { name: table.name })} open={open} onClose={() => (running.value?.stop(), onClose())}>
      <form onSubmit={submit}>
        <p>{t("all", { n: exact(total) })}</p>
        <Field label={t("format")}>
          <select name="format">
            <option value="csv">CSV</option>
            <option value="json">JSON</option>
            <option value="jsonl">JSON Lines</option>
          </select>
        </Field>
        <label class="row filters">
          <input type="checkbox" name="spreadsheets" defaultChecked /> {t("spreadsheets")}
        </label>
        {running.value && (
          <p role="status">
            <progress class="wide" aria-label={t("progress")} max={Math.max(total, 1)} value={running.value.written.value} />
            {t("read", { n: exact(running.value.written.value) })}
          </p>
        )}
        <ErrorNote error={failure.value} />
        <div class="dialog-foot">
          {running.value ? (
            <button type="button" onClick={() => running.value?.stop()}>
              {t("stop")}
            </button>
          ) : (
            <>
              <button type="button" onClick={onClose}>
                {common("close")}
              </button>
              <button class="wa-brand">{t("export")}</button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  );
}
