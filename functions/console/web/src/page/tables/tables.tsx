import { useLocation } from "preact-iso";

import { api, ask } from "~/api/client";
import { command } from "~/api/requests";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Empty } from "~/ui/empty";
import { useFilter } from "~/ui/filter";
import { List } from "~/ui/list";
import { Load } from "~/ui/load";
import { More, usePages } from "~/ui/more";
import { useNewButton } from "~/ui/new-button";
import { Page } from "~/ui/page";
import { Search } from "~/ui/search";
import { useMaking } from "~/ui/use-making";
import { NewTable } from "./new-table";

type Table = components["schemas"]["Table"];

const t = texts({
  builtIn: ["users", "用户"],
  indexes: ["Indexes", "索引列"],
  new: ["New table", "新建数据表"],
  none: ["No tables yet", "还没有自己的数据表"],
  teach: [
    "A table has typed columns. You can query its rows, and row changes can fire triggers. Create a table to get started.",
    "数据表由带类型的列组成；可按任意条件查询，行的变化会触发触发器。",
  ],
  title: ["Tables", "数据表"],
});

const FIRST = { name: "plants", schema: { fields: [{ name: "name", type: "string" }, { name: "height", type: "number" }] } };
const PAGE = 100;

/** Every table of the environment. */
export function Tables() {
  const { route } = useLocation();
  const making = useMaking();
  const named = useFilter<string>("name");
  const tables = usePages(
    PAGE,
    (limit) => ask(api.GET("/oserve/v1.8/table/", { params: { query: { limit, name__contains: named.value || undefined } } })),
    [place.value, named.value],
  );
  const hrefOf = (table: Table) => link("tables", table.id);
  const create = useNewButton(t("new"), () => (making.value = true));
  return (
    <Page title={t("title")} actions={create}>
      {(named.value || tables.data?.objects.length !== 0) && (
        <div class="row filters" role="search">
          <Search filter={named} />
        </div>
      )}
      <Load from={tables}>
        {({ objects, meta }) => (
          <>
            {objects.length === 0 && <p class="quiet">{common("noneNamed")}</p>}
            {!named.value && objects.every((table) => table.name === "_userprofile") && (
              <Empty title={t("none")} curl={command("/oserve/v1.8/table/", FIRST)} action={create}>
                <p>{t("teach")}</p>
              </Empty>
            )}
            <List
              label={t("title")}
              rows={objects}
              rowKey={(table) => table.id}
              href={hrefOf}
              columns={[
                { label: common("name"), by: (table) => table.name, cell: (table) => <NameOf table={table} href={hrefOf(table)} /> },
                { label: common("columns"), by: (table) => table.schema.fields.length, numeric: true, cell: (table) => table.schema.fields.length },
                { label: t("indexes"), cell: (table) => <span class="clip">{indexed(table)}</span> },
                { label: common("updated"), by: (table) => table.updated_at, cell: (table) => <Ago at={table.updated_at} /> },
              ]}
            />
            <More meta={meta} onMore={tables.more} />
          </>
        )}
      </Load>
      <NewTable open={making.value} onClose={() => (making.value = false)} onMade={(id) => route(link("tables", id))} />
    </Page>
  );
}

function NameOf({ table, href }: { table: Table; href: string }) {
  return (
    <>
      <a href={href}>{table.name}</a> {table.name === "_userprofile" && <small class="quiet">{t("builtIn")}</small>}
    </>
  );
}

const indexed = (table: Table): string =>
  table.schema.fields
    .filter((column) => column.indexed)
    .map((column) => column.name)
    .join(", ");
