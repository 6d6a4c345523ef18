import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import { common, texts } from "~/text";
import { Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";
import { useDraft } from "~/ui/use-draft";
import { ColumnsEditor } from "./columns-editor";
import { columnOf, draftAgain, draftOf, type DraftColumn } from "./schema-change";

const t = texts({
  hint: ["Starts with a letter. Letters, digits, _, and - are allowed.", "以字母开头，可含字母、数字、_ 和 -。"],
  rows: ["Every row also has id, created_at, updated_at, and created_by.", "每行还自动包含 id、created_at、updated_at 和 created_by。"],
  title: ["New table", "新建数据表"],
});

/** Asks for a name and columns and makes a table of them. */
export function NewTable({ open, onClose, onMade }: { open: boolean; onClose: () => void; onMade: (id: number) => void }) {
  const kept = useDraft<DraftColumn[]>("new-table/columns");
  const drafts = useSignal<DraftColumn[]>(kept.kept.peek()?.map(draftAgain) ?? [draftOf()]);

  function edit(next: DraftColumn[]) {
    drafts.value = next;
    kept.keep(t("title"), next);
  }

  function close() {
    kept.drop();
    drafts.value = [draftOf()];
    onClose();
  }

  function save(said: FormData) {
    const name = String(said.get("name"));
    return ask(api.POST("/oserve/v1.8/table/", { body: { name, schema: { fields: drafts.value.map(columnOf) } } }));
  }

  return (
    <FormDialog
      wide
      title={t("title")}
      draft="new-table"
      action={common("create")}
      open={open}
      onClose={close}
      onSave={save}
      onSaved={({ id }) => onMade(id)}
    >
      <Input label={common("name")} hint={t("hint")} name="name" required maxLength={64} autofocus />
      <ColumnsEditor drafts={drafts.value} onChange={edit} disabled={false} />
      <p class="hint">{t("rows")}</p>
    </FormDialog>
  );
}
