import { useSignal } from "@preact/signals";
import { Download, ListChecks, Upload } from "lucide-preact";

import type { components } from "~/api/schema";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { BulkDialog } from "./bulk-dialog";
import type { Column } from "./columns";
import { ExportDialog } from "./export-dialog";
import { ImportDialog } from "./import-dialog";
import type { Rows } from "./rows";

const t = texts({
  bulk: ["Change all", "批量修改"],
  export: ["Export", "导出"],
  import: ["Import", "导入"],
});

/** The actions on many rows: import, export, and change or delete by a condition. */
export function RowActions({
  table,
  columns,
  rows,
  readOnly,
}: {
  table: components["schemas"]["Table"];
  columns: readonly Column[];
  rows: Rows;
  readOnly: boolean;
}) {
  const open = useSignal<"" | "bulk" | "export" | "import">("");
  const close = () => (open.value = "");
  const cannot = !mayChange.value || readOnly;
  return (
    <>
      <button disabled={cannot} onClick={() => (open.value = "import")}>
        <Upload size={16} /> {t("import")}
      </button>
      <button onClick={() => (open.value = "export")}>
        <Download size={16} /> {t("export")}
      </button>
      <button disabled={cannot} onClick={() => (open.value = "bulk")}>
        <ListChecks size={16} /> {t("bulk")}
      </button>
      <ImportDialog table={table} open={open.value === "import"} onClose={close} onWritten={() => rows.refresh()} />
      <ExportDialog table={table} columns={columns} rows={rows} open={open.value === "export"} onClose={close} />
      <BulkDialog table={table} columns={columns} rows={rows} open={open.value === "bulk"} onClose={close} />
    </>
  );
}
