import { useSignal } from "@preact/signals";
import { Plus } from "lucide-preact";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Empty } from "~/ui/empty";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";
import { List } from "~/ui/list";
import { Load } from "~/ui/load";
import { More, usePages } from "~/ui/more";
import { NamedOptions } from "~/ui/options";
import { RowButtons } from "~/ui/row-buttons";

type Listed = components["schemas"]["ListedCategory"];
type Category = components["schemas"]["Category"];

const t = texts({
  change: ["Edit {name}", "修改 {name}"],
  deleteText: ["Its files and subcategories are kept, without this category.", "其中的文件和子分类会保留，但不再属于该分类。"],
  deleteTitle: ["Delete the category {name}?", "删除分类 {name}？"],
  files: ["Files", "文件数"],
  list: ["Categories", "分类"],
  new: ["New category", "新建分类"],
  none: ["No categories yet", "还没有分类"],
  parent: ["Parent category", "上级分类"],
  teach: ["Categories group files. Mini-programs choose one when they upload a file.", "分类用于整理文件，小程序上传文件时可指定分类。"],
  top: ["None (top level)", "无（顶级）"],
});

const PAGE = 100;

/** The categories of files: created, renamed, moved and deleted. */
export function Categories() {
  const action = useAction();
  const open = useSignal<Category | "new" | undefined>(undefined);
  const found = usePages(
    PAGE,
    (limit) => ask(api.GET("/oserve/v2.2/file-category/", { params: { query: { limit, order_by: "name", return_total_count: "1" } } })),
    [place.value],
  );

  const remove = ({ id, name }: Listed) =>
    action.confirmed({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete") }, async () => {
      await ask(api.DELETE("/oserve/v2.2/file-category/{id}/", { params: { path: { id } } }));
      await found.reload();
    });

  const edit = ({ id }: Listed) =>
    action.run(async () => {
      open.value = await ask(api.GET("/oserve/v2.2/file-category/{id}/", { params: { path: { id } } }));
    });

  return (
    <>
      <p class="row filters">
        <button disabled={!mayChange.value} onClick={() => (open.value = "new")}>
          <Plus size={16} /> {t("new")}
        </button>
      </p>
      <ErrorNote error={action.failure.value} />
      <Load from={found}>
        {({ objects, meta }) => (
          <>
            {objects.length === 0 ? (
              <Empty title={t("none")} curl={command("/oserve/v2.2/file-category/", { name: "photos" })}>
                <p>{t("teach")}</p>
              </Empty>
            ) : (
              <Table all={objects} onEdit={edit} onRemove={remove} />
            )}
            <More meta={meta} onMore={found.more} />
            {open.value && (
              <Edit of={open.value === "new" ? undefined : open.value} all={objects} onClose={() => (open.value = undefined)} onSaved={found.reload} />
            )}
          </>
        )}
      </Load>
    </>
  );
}

function Table({ all, onEdit, onRemove }: { all: Listed[]; onEdit: (it: Listed) => unknown; onRemove: (it: Listed) => unknown }) {
  const hrefOf = (it: Listed) => link("files") + "?category=" + it.id;
  return (
    <List
      label={t("list")}
      rows={all}
      rowKey={(it) => it.id}
      href={hrefOf}
      columns={[
        { label: common("name"), by: (it) => it.name, cell: (it) => <a class="clip" href={hrefOf(it)}>{it.name}</a> },
        { label: t("files"), by: (it) => it.files, numeric: true, cell: (it) => it.files ?? 0 },
        { label: common("id"), cell: (it) => <code>{it.id}</code> },
        { label: common("created"), by: (it) => it.created_at, cell: (it) => <Ago at={it.created_at} /> },
        {
          label: "",
          cell: (it) => <RowButtons name={it.name} onEdit={() => onEdit(it)} onDelete={() => onRemove(it)} />,
        },
      ]}
    />
  );
}

type EditProps = { of?: Category; all: Listed[]; onClose: () => void; onSaved: () => Promise<void> };

function Edit({ of, all, onClose, onSaved }: EditProps) {
  const parents = all.filter(({ id }) => id !== of?.id && id !== of?.parent?.id);

  function save(said: FormData) {
    const body = { name: String(said.get("name")), parent: String(said.get("parent")) || null };
    if (of) return ask(api.PUT("/oserve/v2.2/file-category/{id}/", { params: { path: { id: of.id } }, body }));
    return ask(api.POST("/oserve/v2.2/file-category/", { body }));
  }

  return (
    <FormDialog
      title={of ? t("change", { name: of.name }) : t("new")}
      draft={`file-category/${of?.id ?? "new"}`}
      open
      onClose={onClose}
      onSave={save}
      onSaved={onSaved}
    >
      <Input label={common("name")} name="name" required maxLength={64} autofocus defaultValue={of?.name} />
      <Field label={t("parent")}>
        <select name="parent">
          <option value="">{t("top")}</option>
          {of?.parent && (
            <option value={of.parent.id} selected>
              {of.parent.name}
            </option>
          )}
          <NamedOptions of={parents} />
        </select>
      </Field>
    </FormDialog>
  );
}
