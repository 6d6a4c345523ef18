import { useRoute } from "preact-iso";

import { api, askTagged } from "~/api/client";
import { link, place } from "~/place";
import { common, texts } from "~/text";
import { Load, useLoad } from "~/ui/load";
import { Page } from "~/ui/page";
import { Tabs } from "~/ui/tabs";
import { Indexes } from "./indexes";
import { RowsPanel } from "./rows-panel";
import { Schema } from "./schema";
import { TableSettings } from "./table-settings";

const t = texts({
  indexes: ["Indexes", "索引"],
  rows: ["Rows", "数据"],
  settings: ["Name and permissions", "名称与权限"],
  tables: ["Tables", "数据表"],
});

/** The page of a table: its rows in a grid, its columns, its permissions. */
export function TablePage() {
  const { table = "" } = useRoute().params;
  const found = useLoad(() => askTagged(api.GET("/oserve/v1.8/table/{table}/", { params: { path: { table } } })), [table, place.value]);
  const name = found.data?.data.name ?? table;
  return (
    <Page title={name} crumbs={[{ label: t("tables"), href: link("tables") }]}>
      <Load from={found}>
        {({ data: it, tag }) => (
          <Tabs
            label={name}
            tabs={[
              { key: "rows", label: t("rows"), panel: () => <RowsPanel key={it.id} table={it} /> },
              { key: "columns", label: common("columns"), panel: () => <Schema key={tag} table={it} tag={tag} onSaved={found.reload} /> },
              { key: "indexes", label: t("indexes"), panel: () => <Indexes key={it.id} table={it} onChanged={found.reload} /> },
              { key: "settings", label: t("settings"), panel: () => <TableSettings key={tag} table={it} tag={tag} onSaved={found.reload} /> },
            ]}
          />
        )}
      </Load>
    </Page>
  );
}
