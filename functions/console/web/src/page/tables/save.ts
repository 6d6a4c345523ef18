import { api, ask } from "~/api/client";
import { texts } from "~/text";
import { isSame } from "./cell";
import type { Edit, Edits, RowId } from "./edits";
import type { Row } from "./rows";
import { pagesOf } from "./walk";

const t = texts({
  gone: ["The row no longer exists.", "该行已不存在。"],
  notDeleted: ["The row was not deleted.", "该行未被删除。"],
});

const AT_ONCE = 4;
/** Ids stand in a URL, which holds 10 KB: 200 of them take 6. */
const IDS = 200;

/** Writes all staged changes; rejected ones stay, with the reason. Returns the number of written changes. */
export async function saveAll(table: string, edits: Edits): Promise<number> {
  const before = [...edits.all.value.values()];
  const of = (kind: Edit["kind"]) => before.filter((edit) => edit.kind === kind);
  await saveChanges(table, edits, of("change"));
  for (const some of chunks(of("create"), IDS)) await together(edits, some, () => create(table, edits, some));
  for (const some of chunks(of("delete"), IDS)) await together(edits, some, () => remove(table, edits, some));
  return before.length - edits.all.value.size;
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/** Runs a request for several edits: an error of the request is an error of each edit. */
async function together(edits: Edits, some: readonly Edit[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    for (const edit of some) edits.set({ ...edit, error });
  }
}

async function create(table: string, edits: Edits, some: readonly Edit[]): Promise<void> {
  const made = await ask(
    api.POST("/oserve/v2.4/table/{table}/record/", { params: { path: { table } }, body: some.map((edit) => edit.values) }),
  );
  const outcomes = "operation_result" in made ? (made.operation_result as { error?: { err_msg: string } }[]) : [];
  some.forEach((edit, i) => {
    const refused = outcomes[i]?.error;
    if (refused) edits.set({ ...edit, error: refused.err_msg });
    else edits.drop(edit.id);
  });
}

async function remove(table: string, edits: Edits, some: readonly Edit[]): Promise<void> {
  const ids = some.map((edit) => edit.id);
  const query = { where: JSON.stringify({ id: { $in: ids } }), limit: IDS };
  await ask(api.DELETE("/oserve/v2.4/table/{table}/record/", { params: { path: { table }, query } }));
  const left = await rowsNow(table, ids, []);
  for (const edit of some) {
    if (left.has(edit.id)) edits.set({ ...edit, error: t("notDeleted") });
    else edits.drop(edit.id);
  }
}

/** Writes changes one by one, after a check that nobody else has written the same columns since. */
async function saveChanges(table: string, edits: Edits, changes: Edit[]): Promise<void> {
  const checked: Edit[] = [];
  for (const some of chunks(changes, IDS)) {
    await together(edits, some, async () => {
      const ids = some.map((edit) => edit.id);
      const now = await rowsNow(table, ids, [...new Set(some.flatMap((edit) => Object.keys(edit.values)))]);
      for (const edit of some) {
        const theirs = now.get(edit.id);
        if (!theirs) edits.set({ ...edit, error: t("gone") });
        else if (conflicts(edit, theirs)) edits.set({ ...edit, theirs, error: undefined });
        else checked.push(edit);
      }
    });
  }

  async function worker() {
    for (let edit = checked.shift(); edit; edit = checked.shift()) await saveChange(table, edits, edit);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function conflicts(edit: Edit, theirs: Row): boolean {
  return Object.keys(edit.values).some((column) => !isSame(edit.base[column], theirs[column]));
}

async function rowsNow(table: string, ids: readonly RowId[], columns: readonly string[]): Promise<Map<RowId, Row>> {
  const found = new Map<RowId, Row>();
  const question = { where: { id: { $in: ids } }, keys: ["id", ...columns], limit: IDS };
  for await (const page of pagesOf(table, question)) for (const row of page) found.set(row.id, row);
  return found;
}

async function saveChange(table: string, edits: Edits, edit: Edit): Promise<void> {
  try {
    const params = { path: { table, id: String(edit.id) } };
    await ask(api.PUT("/oserve/v2.6/table/{table}/record/{id}/", { params, body: edit.values }));
    edits.drop(edit.id);
  } catch (error) {
    edits.set({ ...edit, error });
  }
}
