import { useSignal } from "@preact/signals";
import { Save, Undo2 } from "lucide-preact";

import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Badge, type Tone } from "~/ui/badge";
import { confirm } from "~/ui/confirm";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { toast } from "~/ui/toast";
import { show, toText } from "./cell";
import type { Column } from "./columns";
import type { Edit, Edits } from "./edits";
import { saveAll } from "./save";

const t = texts({
  change: ["change", "修改"],
  changes: ["Review {n:change|changes}", "查看 {n} 处修改"],
  conflict: ["Someone else changed this row after you loaded it.", "该行在您查看之后已被他人修改。"],
  create: ["new", "新增"],
  delete: ["delete", "删除"],
  deleteAction: ["Delete {n:row|rows}", "删除 {n} 行"],
  deleteText: ["Deleted rows can't be restored.", "删除的数据无法恢复。"],
  deleteTitle: ["Delete {n:row|rows}?", "删除 {n} 行？"],
  discard: ["Discard all", "全部放弃"],
  discardOne: ["Discard", "放弃此项"],
  notSaved: ["{n:change|changes} couldn't be saved. See the errors below.", "{n} 项未能写入，原因见下。"],
  overwrite: ["Overwrite", "保留我的修改"],
  review: ["Review changes", "将写入的内容"],
  saved: ["{n:row|rows} saved", "已保存 {n} 行"],
  saving: ["Saving…", "保存中…"],
  keepTheirs: ["Keep theirs", "采用对方的值"],
  willDelete: ["The row will be deleted.", "该行将被删除。"],
});

const TONES: Record<Edit["kind"], Tone> = { change: "warn", create: "good", delete: "bad" };

/** The bar that says how much is staged, and the list of it. */
export function Review({
  table,
  name,
  columns,
  edits,
  onSaved,
}: {
  table: string;
  /** The text to type in production before rows are deleted. */
  name: string;
  columns: readonly Column[];
  edits: Edits;
  onSaved: () => void;
}) {
  const open = useSignal(false);
  const saving = useSignal(false);
  const staged = [...edits.all.value.values()];
  const refused = staged.filter((edit) => edit.error !== undefined || edit.theirs).length;

  async function save() {
    const n = staged.filter((edit) => edit.kind === "delete").length;
    if (n > 0 && !(await confirm({ title: t("deleteTitle", { n }), text: t("deleteText"), action: t("deleteAction", { n }), name }))) return;
    saving.value = true;
    const written = await saveAll(table, edits);
    saving.value = false;
    if (written > 0) toast(t("saved", { n: written }));
    if (edits.all.value.size === 0) open.value = false;
    onSaved();
  }

  if (staged.length === 0) return null;
  return (
    <>
      <p class="row staged-bar">
        <button class="wa-brand" onClick={() => (open.value = true)}>
          {t("changes", { n: staged.length })}
        </button>
        <button onClick={() => edits.drop()}>{t("discard")}</button>
      </p>
      <Dialog
        wide
        title={t("review")}
        open={open.value}
        onClose={() => (open.value = false)}
        footer={
          <button class="wa-brand" disabled={!mayChange.value || saving.value} onClick={save}>
            <Save size={16} /> {saving.value ? t("saving") : common("save")}
          </button>
        }
      >
        {refused > 0 && <ErrorNote error={t("notSaved", { n: refused })} />}
        {staged.map((edit) => (
          <Staged key={edit.id} columns={columns} edit={edit} edits={edits} />
        ))}
      </Dialog>
    </>
  );
}

/** The staged change of a row, and its last error. */
function Staged({ columns, edit, edits }: { columns: readonly Column[]; edit: Edit; edits: Edits }) {
  return (
    <section class="staged-row">
      <div class="row">
        <Badge tone={TONES[edit.kind]}>{t(edit.kind)}</Badge> <code class="grow">{edit.kind === "create" ? "" : edit.id}</code>
        <button class="icon" aria-label={`${t("discardOne")}: ${edit.id}`} title={t("discardOne")} onClick={() => edits.drop(edit.id)}>
          <Undo2 size={16} />
        </button>
      </div>
      {edit.kind === "delete" ? (
        <p class="quiet">{t("willDelete")}</p>
      ) : (
        <dl class="facts">
          {columns
            .filter((column) => column.name in edit.values)
            .map((column) => (
              <Value key={column.name} column={column} edit={edit} />
            ))}
        </dl>
      )}
      <ErrorNote error={edit.error} />
      {edit.theirs && <Conflict edit={edit} edits={edits} />}
    </section>
  );
}

function Value({ column, edit }: { column: Column; edit: Edit }) {
  const before = (edit.theirs ?? edit.base)[column.name];
  return (
    <Fact label={column.name}>
      {edit.kind === "change" && (
        <>
          <del title={toText(before).slice(0, 2000)}>{show(column, before) || "null"}</del> →{" "}
        </>
      )}
      <ins>{show(column, edit.values[column.name]) || "null"}</ins>
    </Fact>
  );
}

function Conflict({ edit, edits }: { edit: Edit; edits: Edits }) {
  // The reader has seen their version, so the next save compares with it.
  const write = () => edits.set({ ...edit, base: { ...edit.base, ...edit.theirs }, theirs: undefined });
  return (
    <div class="note warn" role="alert">
      <span class="grow">{t("conflict")}</span>
      <button onClick={write}>{t("overwrite")}</button>
      <button onClick={() => edits.drop(edit.id)}>{t("keepTheirs")}</button>
    </div>
  );
}
