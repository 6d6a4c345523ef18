import { useSignal } from "@preact/signals";
import { Plus, Trash2 } from "lucide-preact";
import { useEffect } from "preact/hooks";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Badge } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Do } from "~/ui/form";
import { FormDialog } from "~/ui/form-dialog";
import { useLoad } from "~/ui/load";
import { LoadedList } from "~/ui/loaded-list";
import { Options } from "~/ui/options";
import { isOrdered } from "./columns";

type Table = components["schemas"]["Table"];
type Index = components["schemas"]["Index"];

const t = texts({
  add: ["New index", "新建索引"],
  addText: [
    "A unique index rejects writes that repeat the values of another row. Rows with an empty value don't count.",
    "唯一索引会拒绝与其他行取值重复的写入；含空值的行不计。",
  ],
  building: ["building", "建立中"],
  column: ["Column {n}", "第 {n} 列"],
  delete: ["Delete index", "删除索引"],
  deleteOf: ["Delete index {name}", "删除索引 {name}"],
  deleteText: ["Queries on its columns become slower. The index can be built again.", "按其列的查询会变慢；可以重新建立。"],
  deleteTitle: ["Delete the index {name}?", "删除索引 {name}？"],
  deleteUnique: ["Writes that repeat values are accepted immediately. Queries on its columns become slower.", "立即允许重复的取值；按其列的查询会变慢。"],
  failed: ["failed", "失败"],
  hint: ["Indexes make queries on their columns fast. Each row write also updates them.", "索引加快按其列的查询；每次写入一行也会更新索引。"],
  label: ["Indexes", "索引"],
  name: ["Index", "索引"],
  none: ["none", "无"],
  noIndex: ["No indexes. Queries with a filter read every row.", "没有索引；带条件的查询会读取所有行。"],
  ready: ["ready", "可用"],
  unique: ["Unique", "唯一"],
});

/** The maximum number of columns of an index. */
const MOST = 5;

/** The time between two looks at an index that is being built. */
const PAUSE = 3000;

/** The indexes of a table: their state, new ones, and their deletion. */
export function Indexes({ table, onChanged }: { table: Table; onChanged: () => Promise<void> }) {
  const open = useSignal(false);
  const action = useAction();
  const path = { table: String(table.id) };
  const found = useLoad(
    () => ask(api.GET("/oserve/v2.6/schema/{table}/index/", { params: { path, query: { limit: 100 } } })),
    [table.id, place.value],
  );

  // Only indexes that are being built are looked at again.
  const building = found.data?.objects.some(({ ready, error }) => !ready && !error) ?? false;
  useEffect(() => {
    if (!building) return;
    const timer = setInterval(() => void found.reload(), PAUSE);
    return () => clearInterval(timer);
  }, [building, found.reload]);

  // The table names its indexed columns, too.
  const changed = () => Promise.all([found.reload(), onChanged()]);

  const remove = ({ name, unique }: Index) =>
    action.confirmed({ title: t("deleteTitle", { name }), text: t(unique ? "deleteUnique" : "deleteText"), action: t("delete"), name }, async () => {
      await ask(api.DELETE("/oserve/v2.6/schema/{table}/index/{index}/", { params: { path: { ...path, index: name } } }));
      await changed();
    });

  return (
    <>
      <div class="row filters">
        <p class="hint grow">{t("hint")}</p>
        <button type="button" disabled={!mayChange.value} onClick={() => (open.value = true)}>
          <Plus size={16} /> {t("add")}
        </button>
      </div>
      <ErrorNote error={action.failure.value} />
      <LoadedList<Index>
        label={t("label")}
        from={found}
        none={t("noIndex")}
        rowKey={({ name }) => name}
        columns={[
          { label: t("name"), cell: ({ name }) => <code>{name}</code>, by: ({ name }) => name },
          { label: common("columns"), cell: ({ fields }) => fields.join(", ") },
          { label: t("unique"), cell: ({ unique }) => unique && <Badge tone="good">{t("unique")}</Badge> },
          { label: common("status"), cell: (index) => <State index={index} /> },
          {
            label: "",
            cell: (index) => (
              <Do
                class="icon"
                aria-label={t("deleteOf", { name: index.name })}
                disabled={!mayChange.value || isBuiltIn(table, index)}
                onClick={() => remove(index)}
              >
                <Trash2 size={16} />
              </Do>
            ),
          },
        ]}
      />
      <NewIndex table={table} open={open.value} onClose={() => (open.value = false)} onMade={changed} />
    </>
  );
}

function isBuiltIn(table: Table, { fields, unique }: Index): boolean {
  const column = table.schema.fields.find(({ name }) => name === fields[0]);
  return fields.length === 1 && !unique && (column?.built_in ?? false);
}

function State({ index }: { index: Index }) {
  if (index.error) {
    return (
      <>
        <Badge tone="bad">{t("failed")}</Badge> {index.error}
      </>
    );
  }
  return index.ready ? <Badge tone="good">{t("ready")}</Badge> : <Badge tone="busy">{t("building")}</Badge>;
}

/** Asks for the columns of a new index, in their order. */
function NewIndex({ table, open, onClose, onMade }: { table: Table; open: boolean; onClose: () => void; onMade: () => Promise<unknown> }) {
  const chosen = useSignal<string[]>([]);
  const names = table.schema.fields.filter((column) => !column.built_in && isOrdered(column)).map(({ name }) => name);

  function close() {
    chosen.value = [];
    onClose();
  }

  function save(said: FormData) {
    const body = { fields: chosen.value, unique: said.get("unique") !== null };
    return ask(api.POST("/oserve/v2.6/schema/{table}/index/", { params: { path: { table: String(table.id) } }, body }));
  }

  // A line more than the chosen columns, for the next one.
  const lines = Math.min(MOST, names.length, chosen.value.length + 1);
  const put = (i: number, name: string) => (chosen.value = name ? chosen.value.with(i, name) : chosen.value.slice(0, i));

  return (
    <FormDialog title={t("add")} action={common("create")} open={open} onClose={close} onSave={save} onSaved={onMade}>
      {Array.from({ length: lines }, (_, i) => (
        <Field key={i} label={t("column", { n: i + 1 })}>
          <select
            required={i === 0}
            value={chosen.value[i] ?? ""}
            onChange={(event) => (i < chosen.value.length ? put(i, event.currentTarget.value) : (chosen.value = [...chosen.value, event.currentTarget.value]))}
          >
            <option value="">{i === 0 ? "" : t("none")}</option>
            <Options of={names.filter((name) => name === chosen.value[i] || !chosen.value.includes(name))} />
          </select>
        </Field>
      ))}
      <label class="row">
        <input type="checkbox" name="unique" /> {t("unique")}
      </label>
      <p class="hint">{t("addText")}</p>
    </FormDialog>
  );
}
