import { useSignal } from "@preact/signals";

import type { components } from "~/api/schema";
import { exact } from "~/format";
import { common, texts } from "~/text";
import { copy } from "~/ui/copy";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { Field, Input } from "~/ui/field";
import { Form } from "~/ui/form";
import { useRunning } from "~/ui/use-running";
import { Import, read, type LineError, type Reading } from "./import";

type Table = components["schemas"]["Table"];

const SHOWN = 100;

const t = texts({
  copyRefused: ["Copy rejected rows as JSON", "复制被拒绝的数据（JSON）"],
  file: ["File", "文件"],
  hint: [
    'CSV with column names in the first line, a JSON array, or one JSON object per line. In CSV, an empty field is null, "" is empty text, and objects and arrays are JSON.',
    "CSV（首行为列名）、JSON 数组或每行一个 JSON 对象。CSV 中留空为 null，\"\" 为空文本，对象与数组写作 JSON。",
  ],
  import: ["Import", "导入"],
  kept: ["Every imported row is a new row with a new ID and new timestamps.", "ID 与时间将重新生成：每行都是新行。"],
  leftOut: ["Ignored, because the table has no such column: {names}", "数据表没有这些列，已忽略：{names}"],
  item: ["Object {n}", "第 {n} 个对象"],
  line: ["Line {n}", "第 {n} 行"],
  more: ["and {n} more", "还有 {n} 条"],
  nothing: ["Choose a file or paste text first.", "请先选择文件或粘贴文本。"],
  paste: ["Or paste here", "或在此粘贴"],
  progress: ["Progress", "进度"],
  refused: ["{n} rejected", "{n} 行被拒绝"],
  stop: ["Stop", "停止"],
  title: ["Import rows into {name}", "向 {name} 导入数据"],
  triggers: ["Fire triggers", "触发触发器"],
  written: ["{n:row|rows} written", "已写入 {n} 行"],
});

/** Writes the rows of a file into the table. */
export function ImportDialog({ table, open, onClose, onWritten }: { table: Table; open: boolean; onClose: () => void; onWritten: () => void }) {
  const running = useSignal<Import | undefined>(undefined);
  const busy = useSignal(false);
  const leftOut = useSignal<string[]>([]);
  const counts = useSignal<Reading["counts"]>("line");
  const failure = useSignal<unknown>(undefined);

  useRunning(busy.value);

  async function submit(said: FormData): Promise<boolean> {
    failure.value = running.value = undefined;
    busy.value = true;
    try {
      const file = said.get("file") as File;
      const text = file.size > 0 ? await file.text() : String(said.get("text"));
      if (text.trim() === "") throw new Error(t("nothing"));
      const reading = read(text, table.schema.fields);
      leftOut.value = reading.leftOut;
      counts.value = reading.counts;
      running.value = new Import(String(table.id), said.get("triggers") !== null);
      await running.value.run(reading);
    } catch (error) {
      failure.value = error;
    }
    busy.value = false;
    if (running.value) onWritten();
    return failure.value === undefined;
  }

  return (
    <Dialog wide title={t("title", { name: table.name })} open={open} onClose={() => (running.value?.stop(), (running.value = undefined), onClose())}>
      <Form draft={`import/${table.id}`} name={t("title", { name: table.name })} onSubmit={submit}>
        <p class="hint filters">{t("hint")}</p>
        <Input label={t("file")} hint={t("kept")} name="file" type="file" accept=".csv,.json,.jsonl,.ndjson,.txt" />
        <Field label={t("paste")}>
          <textarea name="text" rows={5} spellcheck={false} class="code" />
        </Field>
        <label class="row filters">
          <input type="checkbox" name="triggers" /> {t("triggers")}
        </label>
        {leftOut.value.length > 0 && <p class="note warn">{t("leftOut", { names: leftOut.value.join(", ") })}</p>}
        {running.value && <Progress of={running.value} counts={counts.value} />}
        <ErrorNote error={failure.value} />
        <div class="dialog-foot">
          {busy.value ? (
            <button type="button" onClick={() => running.value?.stop()}>
              {t("stop")}
            </button>
          ) : (
            <button class="wa-brand">{t("import")}</button>
          )}
        </div>
      </Form>
    </Dialog>
  );
}

function Progress({ of, counts }: { of: Import; counts: Reading["counts"] }) {
  const errors = of.errors.value;
  const refused = errors.flatMap((error) => (error.values ? [error.values] : []));
  return (
    <>
      <progress class="wide" aria-label={t("progress")} max={1} value={of.share.value} />
      <p class="row" role="status">
        {t("written", { n: exact(of.written.value) })}
        {errors.length > 0 && <b>{t("refused", { n: exact(errors.length) })}</b>}
        {refused.length > 0 && (
          <button type="button" onClick={() => copy(JSON.stringify(refused, null, 2))}>
            {t("copyRefused")}
          </button>
        )}
      </p>
      {errors.length > 0 && <Errors errors={errors} counts={counts} />}
    </>
  );
}

function Errors({ errors, counts }: { errors: readonly LineError[]; counts: Reading["counts"] }) {
  return (
    <dl class="facts line-errors" tabIndex={0} aria-label={common("status")}>
      {errors.slice(0, SHOWN).map((error, i) => (
        <div key={i}>
          <Fact label={t(counts, { n: error.line })}>{error.message}</Fact>
        </div>
      ))}
      {errors.length > SHOWN && <p>{t("more", { n: exact(errors.length - SHOWN) })}</p>}
    </dl>
  );
}
