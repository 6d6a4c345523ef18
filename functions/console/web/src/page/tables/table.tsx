import { useSignal } from "@preact/signals";
import { Save } from "lucide-preact";
import { useMemo } from "preact/hooks";
import { useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { count } from "~/format";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { toast } from "~/ui/toast";
import { Edits } from "./edits";
import { Grid } from "./grid";
import { Rows } from "./rows";

type Table = components["schemas"]["Table"];
type Where = components["schemas"]["Where"];

const t = texts({
  apply: ["Apply", "应用"],
  changes: ["Review {n} changed rows", "查看 {n} 行修改"],
  clear: ["Clear", "清除"],
  discard: ["Discard all", "全部放弃"],
  order: ["Order by", "排序"],
  price: ["{n} rows · read {scanned} · {plan}", "{n} 行 · 读取 {scanned} 行 · {plan}"],
  saved: ["{n} rows saved", "已保存 {n} 行"],
  review: ["What will be written", "将写入的内容"],
  rows: ["Rows of {name}", "{name} 的数据"],
  tables: ["Tables", "数据表"],
  where: ["where (JSON)", "where 条件（JSON）"],
});

/** One table: its rows in a grid, by any condition. */
export function TablePage() {
  const { table = "" } = useRoute().params;
  const found = useLoad(() => ask(api.GET("/oserve/v1.8/table/{table}/", { params: { path: { table } } })), [table, place.value]);
  return (
    <Page title={found.data?.name ?? table} crumbs={[{ label: t("tables"), href: link("tables") }]}>
      <Load from={found}>{(it) => <RowsOf table={it} />}</Load>
    </Page>
  );
}

function RowsOf({ table }: { table: Table }) {
  const where = useSignal<Where | undefined>(undefined);
  const orderBy = useSignal("-created_at");
  const asked = useSignal(0);
  const rows = useMemo(
    () => new Rows({ table: String(table.id), where: where.value, orderBy: orderBy.value }),
    [table.id, where.value, orderBy.value, asked.value],
  );
  const edits = useMemo(() => new Edits(), [table.id]);

  return (
    <>
      <Filter where={where.value} onApply={(next) => (where.value = next)} orderBy={orderBy.value} onOrder={(next) => (orderBy.value = next)} />
      <ErrorNote error={rows.error.value} />
      <p class="quiet">
        {rows.price.value &&
          t("price", { n: count(rows.total.value ?? 0), scanned: count(rows.price.value.scanned), plan: rows.price.value.plan })}
      </p>
      <Grid
        label={t("rows", { name: table.name })}
        rows={rows}
        columns={table.schema.fields}
        edits={edits}
        onFilter={(column, value) => (where.value = { ...where.value, [column.name]: value ?? { $isnull: true } })}
      />
      <Review table={String(table.id)} edits={edits} onSaved={() => asked.value++} />
    </>
  );
}

function Filter({
  where,
  onApply,
  orderBy,
  onOrder,
}: {
  where: Where | undefined;
  onApply: (where: Where | undefined) => void;
  orderBy: string;
  onOrder: (orderBy: string) => void;
}) {
  const failure = useSignal<unknown>(undefined);

  function apply(event: SubmitEvent) {
    event.preventDefault();
    const said = new FormData(event.currentTarget as HTMLFormElement);
    const text = String(said.get("where")).trim();
    try {
      onApply(text === "" ? undefined : (JSON.parse(text) as Where));
      onOrder(String(said.get("order")) || "-created_at");
      failure.value = undefined;
    } catch (error) {
      failure.value = error;
    }
  }

  return (
    <>
      <form key={JSON.stringify(where)} class="row filters" role="search" onSubmit={apply}>
        <input
          name="where"
          type="text"
          class="where"
          aria-label={t("where")}
          placeholder={'{"height":{"$gte":10}}'}
          defaultValue={where ? JSON.stringify(where) : ""}
        />
        <input name="order" type="text" class="order" aria-label={t("order")} defaultValue={orderBy} />
        <button>{t("apply")}</button>
        {where && (
          <button type="button" onClick={() => onApply(undefined)}>
            {t("clear")}
          </button>
        )}
      </form>
      <ErrorNote error={failure.value} />
    </>
  );
}

function Review({ table, edits, onSaved }: { table: string; edits: Edits; onSaved: () => void }) {
  const open = useSignal(false);
  const staged = [...edits.all.value.values()];

  async function save() {
    const written = await edits.save(table);
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
          <button class="wa-brand" onClick={save}>
            <Save size={16} /> {common("save")}
          </button>
        }
      >
        {staged.map((edit) => (
          <section key={edit.id}>
            <h3>{edit.id}</h3>
            <pre class="json">{JSON.stringify(edit.values, null, 2)}</pre>
            <ErrorNote error={edit.error} />
          </section>
        ))}
      </Dialog>
    </>
  );
}
