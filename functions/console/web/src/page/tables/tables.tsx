import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Empty } from "~/ui/empty";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";

type Table = components["schemas"]["Table"];

const t = texts({
  changed: ["Changed", "修改时间"],
  columns: ["Columns", "列"],
  none: ["No table yet", "还没有数据表"],
  teach: ["A table has typed columns; rows are kept, asked for with any condition, and fire triggers.", "数据表由带类型的列组成；可按任意条件查询，行的变化会触发触发器。"],
  title: ["Tables", "数据表"],
});

const CURL = `curl -H "Authorization: Bearer $TOKEN" --json '{"name":"plants","schema":{"fields":[{"name":"name","type":"string"},{"name":"height","type":"number"}]}}' ${location.origin}/oserve/v1.8/table/`;

/** Every table of the environment. */
export function Tables() {
  const tables = useLoad(() => ask(api.GET("/oserve/v1.8/table/", { params: { query: { limit: 100 } } })), [place.value]);
  const hrefOf = (table: Table) => link("tables", table.id);
  return (
    <Page title={t("title")}>
      <Load from={tables}>
        {({ objects }) =>
          objects.length === 0 ? (
            <Empty title={t("none")} curl={CURL}>
              <p>{t("teach")}</p>
            </Empty>
          ) : (
            <List
              label={t("title")}
              rows={objects}
              rowKey={(table) => table.id}
              href={hrefOf}
              columns={[
                { label: common("name"), cell: (table) => <a href={hrefOf(table)}>{table.name}</a> },
                { label: t("columns"), numeric: true, cell: (table) => table.schema.fields.length },
                { label: t("changed"), cell: (table) => <Ago at={table.updated_at} /> },
              ]}
            />
          )
        }
      </Load>
    </Page>
  );
}
