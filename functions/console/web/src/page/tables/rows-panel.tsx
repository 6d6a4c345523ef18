import { Eye, Plus } from "lucide-preact";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";

import { acting, actingName, stopActing } from "~/acting";
import type { components } from "~/api/schema";
import { command } from "~/api/requests";
import { exact } from "~/format";
import { link } from "~/place";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { Empty } from "~/ui/empty";
import { ErrorNote } from "~/ui/error-note";
import { addressWith } from "~/ui/filter";
import { Views } from "~/ui/views";
import { CellBar } from "./cell-bar";
import { type Column, gridColumns } from "./columns";
import { Edits, editsOf } from "./edits";
import { Filter } from "./filter";
import { Grid } from "./grid";
import { Review } from "./review";
import { RowActions } from "./row-actions";
import { REACH, Rows } from "./rows";
import { Sheet } from "./sheet";
import { meantBy, narrowed, type Where } from "./where";

type Table = components["schemas"]["Table"];

const USERS = "_userprofile";

const t = texts({
  empty: ["No matching rows", "没有匹配的数据。"],
  first: ["First {n} rows. Filter or sort to see others.", "显示前 {n} 行：筛选或排序可查看其他行"],
  help: [
    "Arrow keys move, Shift selects rows, Enter edits, Backspace clears, Delete deletes, f filters by the value.",
    "方向键移动，Shift 选择多行，Enter 编辑，Backspace 清空，Delete 删除，f 按值筛选。",
  ],
  newRow: ["New row", "新建行"],
  none: ["No rows yet", "还没有数据"],
  plan: ["plan: {plan}", "查询方式 {plan}"],
  plans: [
    'How the rows were found. "scan" means that every row was read; add an index on a filtered column to make this faster.',
    "查询方式。scan 表示读取了所有行；为条件中的列建立索引会更快。",
  ],
  rows: ["Rows of {name}", "{name} 的数据"],
  seen: ["Rows that {name} can read. They are read-only here.", "{name} 可读的数据，在此只读。"],
  size: ["{n:row|rows}", "{n} 行"],
  scanned: ["{n} read", "读取 {n} 行"],
  stop: ["Show all rows", "显示全部数据"],
  teach: ["Add a row with New row, add many with Import, or have a program write them.", "用“新建行”写入一行，用“导入”批量写入，或由程序写入。"],
  unseen: ["{name} can read no rows of this table.", "{name} 不能读取此表的任何数据。"],
  users: ["Edit users on the Users page", "用户数据请在用户页面修改。"],
  usersUnseen: [
    "Users aren't read as rows. Each user can read their own profile, and the nickname and avatar of others.",
    "用户数据不作为数据行读取：每个用户可读自己的资料，以及他人的昵称和头像。",
  ],
});

/** The rows of a table that a condition finds, in a grid; while the administrator acts as a user, as that user sees them. */
export function RowsPanel({ table }: { table: Table }) {
  if (acting.value && table.name === USERS) return <p class="quiet">{t("usersUnseen")}</p>;
  return <Panel key={acting.value?.user.id} table={table} user={acting.value?.user.id} />;
}

function Panel({ table, user }: { table: Table; user: number | undefined }) {
  const { query, route } = useLocation();
  const orderBy = query.order_by ?? "-created_at";
  const typed = query.where ?? "";
  const columns = useMemo(() => gridColumns(user === undefined ? table.schema.fields : table.schema.fields.filter(isShown)), [table, user]);
  const where = useMemo(() => whereOf(typed, columns), [typed, columns]);
  const rows = useMemo(() => new Rows({ table: String(table.id), where, orderBy, acting: user !== undefined }), [table.id, where, orderBy, user]);
  const edits = useMemo(() => (user === undefined ? editsOf(link("tables", table.id), table.name) : new Edits()), [table, user]);
  const isUsers = table.name === USERS;
  const sheet = useMemo(() => new Sheet(columns, rows, edits, isUsers || user !== undefined), [columns, rows, edits]);

  function put(next: { typed: string; orderBy: string }) {
    const params = new URLSearchParams(location.search);
    params.delete("where");
    params.delete("order_by");
    if (next.typed) params.set("where", next.typed);
    if (next.orderBy !== "-created_at") params.set("order_by", next.orderBy);
    route(addressWith(params), true);
  }

  function filter(isNot = false) {
    const cell = sheet.cell();
    if (cell) put({ typed: JSON.stringify(narrowed(where, cell.column, cell.row[cell.column.name], isNot)), orderBy });
  }

  return (
    <>
      {actingName.value && (
        <div class="note warn">
          <Eye size={16} /> <strong>{t("seen", { name: actingName.value })}</strong>
          <button onClick={stopActing}>{t("stop")}</button>
        </div>
      )}
      <Filter key={typed} columns={columns} typed={typed} onApply={(next) => put({ typed: next, orderBy })} />
      <ErrorNote error={rows.error.value} again={() => rows.refresh()} />
      <div class="row filters">
        <span class="quiet grow">
          <Price rows={rows} />
        </span>
        <Views list={"rows-" + table.id} />
        {user === undefined && (
          <>
            <button disabled={!mayChange.value || isUsers} onClick={() => addRow(sheet)}>
              <Plus size={16} /> {t("newRow")}
            </button>
            <RowActions table={table} columns={columns} rows={rows} readOnly={isUsers} />
          </>
        )}
      </div>
      <Grid
        label={t("rows", { name: table.name })}
        name={String(table.id)}
        sheet={sheet}
        orderBy={orderBy}
        onOrder={(next) => put({ typed, orderBy: next })}
        onFilter={() => filter()}
      />
      {rows.total.value === 0 && sheet.height === 0 && <NoRow table={table} filtered={where !== undefined} />}
      <CellBar sheet={sheet} onFilter={filter} />
      {isUsers ? (
        <p class="hint">
          <a href={link("users")}>{t("users")}</a>
        </p>
      ) : (
        user === undefined && <p class="hint">{t("help")}</p>
      )}
      <Review table={String(table.id)} name={table.name} columns={columns} edits={edits} onSaved={() => rows.refresh()} />
    </>
  );
}

/** Without a condition nothing is there: how the first one comes. */
function NoRow({ table, filtered }: { table: Table; filtered: boolean }) {
  if (actingName.value && !filtered) return <p class="quiet">{t("unseen", { name: actingName.value })}</p>;
  if (filtered || table.name === USERS) return <p class="quiet">{t("empty")}</p>;
  const own = table.schema.fields.filter((column) => !column.built_in && column.type in SAMPLES).slice(0, 3);
  const row = Object.fromEntries(own.map(({ name, type }) => [name, SAMPLES[type]]));
  return (
    <Empty title={t("none")} curl={command(`/oserve/v2.4/table/${table.name}/record/`, row)}>
      <p>{t("teach")}</p>
    </Empty>
  );
}

/** Whether clients can read a column in some rows. */
const isShown = (column: Column): boolean => column.acl?.clientVisible !== false;

const SAMPLES: Partial<Record<Column["type"], unknown>> = { string: "Monstera", integer: 3, number: 1.5, boolean: true, date: "2026-01-31T08:00:00Z" };

function addRow(sheet: Sheet): void {
  sheet.edits.add();
  sheet.at.value = { row: 0, column: Math.min(1, sheet.columns.length - 1), anchor: 0 };
  document.querySelector<HTMLElement>(".grid")?.scrollTo({ top: 0 });
  document.querySelector<HTMLElement>(".grid")?.focus();
}

/** The number of matching rows, and the cost of the query. */
function Price({ rows }: { rows: Rows }) {
  const total = rows.total.value;
  const price = rows.price.value;
  if (total === undefined || !price) return null;
  return (
    <span title={t("plans")}>
      {t("size", { n: exact(total) })} · {total > REACH && <>{t("first", { n: exact(REACH) })} · </>}
      {t("scanned", { n: exact(price.scanned) })} · {t("plan", { plan: price.plan })}
    </span>
  );
}

/** The condition of an address; all rows where it was cut. */
function whereOf(typed: string, columns: readonly Column[]): Where | undefined {
  try {
    return meantBy(typed, columns);
  } catch {
    return undefined;
  }
}
