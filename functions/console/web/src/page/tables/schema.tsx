import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { count } from "~/format";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { Badge } from "~/ui/badge";
import { confirm } from "~/ui/confirm";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Do } from "~/ui/form";
import { useDraft } from "~/ui/use-draft";
import { ColumnsEditor } from "./columns-editor";
import { changeOf, draftAgain, draftOf, type DraftColumn, type SchemaChange } from "./schema-change";
import { useTableWrite } from "./use-table-write";

type Table = components["schemas"]["Table"];

const t = texts({
  building: ["building indexes: {names}", "正在建立索引：{names}"],
  discard: ["Discard", "放弃"],
  hint: [
    "A column's name and type can't be changed. Add a new column and remove the old one instead. Enter defaults as text in text columns and as JSON in other columns.",
    "列的名称与类型不可更改：请新增列并删除旧列。文本列的默认值为文本，其他列为 JSON。",
  ],
  removeText: ["The values in {names} are deleted immediately. This can't be undone.", "{names} 中的数据将立即丢失。"],
  removeTitle: ["Remove columns and their values?", "删除列及其数据？"],
  review: ["Review changes", "查看改动"],
  title: ["Effect on {n:row|rows}", "对 {n} 行数据的影响"],
});

/** The columns of a table. What a change does to the rows that are there is said before it is done. */
export function Schema({ table, tag, onSaved }: { table: Table; tag: string; onSaved: () => Promise<void> }) {
  const first = () => table.schema.fields.map((column) => draftOf(column));
  const kept = useDraft<{ drafts: DraftColumn[]; tag: string }>(`columns/${table.id}`);
  const drafts = useSignal<DraftColumn[]>(kept.kept.peek()?.drafts.map(draftAgain) ?? first());
  const { write, conflict } = useTableWrite(table, onSaved, kept.drop);
  const change = useSignal<SchemaChange | undefined>(undefined);
  const rows = useSignal("");
  const failure = useSignal<unknown>(undefined);
  const building = table.schema.fields.filter((column) => column.index_ready === false).map((column) => column.name);

  function edit(next: DraftColumn[]) {
    drafts.value = next;
    const { effects } = changeOf(next, "");
    if (effects.length === 0) kept.drop();
    else kept.keep(table.name, { tag, ...kept.kept.peek(), drafts: next });
  }

  function discard() {
    kept.drop();
    drafts.value = first();
  }

  async function review(event: SubmitEvent) {
    event.preventDefault();
    try {
      const body = { limit: 1, keys: ["id"], return_total_count: true };
      const { meta } = await ask(api.POST("/oserve/v2.4/table/{table}/record/query/", { params: { path: { table: String(table.id) } }, body }));
      rows.value = count(meta.total_count ?? 0);
      change.value = changeOf(drafts.value, rows.value);
      failure.value = undefined;
    } catch (error) {
      failure.value = error;
    }
  }

  async function save() {
    const { fields, remove_fields } = change.value!;
    const names = remove_fields.join(", ");
    const question = { title: t("removeTitle"), text: t("removeText", { names }), action: common("delete"), name: table.name };
    if (remove_fields.length > 0 && !(await confirm(question))) return;
    try {
      await write({ schema: { fields }, remove_fields }, kept.kept.peek()?.tag ?? tag);
      change.value = undefined;
    } catch (error) {
      failure.value = error;
    }
  }

  return (
    <form onSubmit={review}>
      <p class="hint filters">{t("hint")}</p>
      {building.length > 0 && <p class="note">{t("building", { names: building.join(", ") })}</p>}
      <ErrorNote error={change.value ? undefined : failure.value} />
      <ColumnsEditor drafts={drafts.value} onChange={edit} disabled={!mayChange.value} />
      <p class="row">
        <button class="wa-brand" disabled={!mayChange.value}>
          {t("review")}
        </button>
        <button type="button" onClick={discard}>
          {t("discard")}
        </button>
      </p>
      <Dialog
        wide
        title={t("title", { n: rows.value })}
        open={change.value !== undefined}
        onClose={() => (change.value = undefined)}
        footer={
          <Do class="wa-brand" disabled={change.value?.effects.length === 0} onClick={save}>
            {common("save")}
          </Do>
        }
      >
        {change.value && <Effects change={change.value} />}
        <ErrorNote error={failure.value} />
      </Dialog>
      {conflict}
    </form>
  );
}

function Effects({ change }: { change: SchemaChange }) {
  if (change.effects.length === 0) return <p class="quiet">{common("noChanges")}</p>;
  return (
    <ul class="rules">
      {change.effects.map((effect, i) => (
        <li key={i}>
          <Badge tone={effect.tone}>{effect.column}</Badge> {effect.text}
        </li>
      ))}
    </ul>
  );
}
