// A table is made, filled from a file, looked through, changed by keyboard, asked, changed as a whole, and removed.
import { readFileSync } from "node:fs";

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';
const ROWS = 2000;

export async function play(stage) {
  const page = await stage.open({ width: 1440, height: 900 });
  const name = "story" + Date.now();
  await makeTable(stage, page, name);
  const { objects } = await stage.api("GET", `/oserve/v1.8/table/?name=${name}`);
  const id = objects[0].id;
  try {
    await importRows(stage, page);
    await seed(stage, id);
    await page.reload();
    await scroll(stage, page);
    await editRows(stage, page, id);
    await search(stage, page, id);
    await ask(stage, page);
    await exportRows(stage, page);
    await formulas(stage, page, id);
    await changeAll(stage, page);
    await changeColumns(stage, page, name);
    await access(stage, page, name);
    await indexes(stage, page, name);
    await permissions(stage, page, id);
    await look(stage, page);
  } finally {
    await stage.api("DELETE", `/oserve/v1.8/table/${id}/`);
  }
}

async function makeTable(stage, page, name) {
  await page.goto(stage.url("tables"));
  await page.getByRole("button", { name: "New table" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Name of column 1").fill("name");
  for (const [n, column, type] of [[2, "height", "number"], [3, "tags", "array"], [4, "note", "string"], [5, "alive", "boolean"]]) {
    await page.getByRole("button", { name: "Add column" }).click();
    await page.getByLabel(`Name of column ${n}`).fill(column);
    await page.getByLabel(`Type of ${column}`).selectOption(type);
  }
  await page.getByLabel("name is required").check();
  await stage.look("new-table");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("grid").waitFor();
}

/** Types are kept, and what is refused says on which line it stands. */
async function importRows(stage, page) {
  const csv = ['name,height,tags,note,alive,colour', `oak,20.5,"[""old""]","${HOSTILE.replaceAll('"', '""')}",true,green`, "elm,tall,,,,", 'ash,3,[],"two\nlines",false,', ",1,,,,"];
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByLabel("Or paste here").fill(csv.join("\n"));
  await page.locator("dialog[open]").getByRole("button", { name: "Import" }).click();
  await page.getByText("2 rows written").waitFor();
  for (const text of ["Line 3", "Line 6", "colour"]) await page.getByText(text).first().waitFor();
  await stage.look("import");
  await page.keyboard.press("Escape");
  await page.getByRole("gridcell", { name: HOSTILE }).waitFor();
  stage.check(!(await page.title()).includes("owned"), "a hostile value ran");
}

async function seed(stage, id) {
  const make = (n) => ({ name: "plant " + n, height: n / 10, tags: ["a", "b"], note: n === ROWS - 1 ? "long ".repeat(20_000) + "🌵 \u202Eright to left" : "note " + (n % 7) });
  for (let n = 0; n < ROWS; n += 1000) {
    await stage.api("POST", `/oserve/v2.4/table/${id}/record/?enable_trigger=0`, Array.from({ length: 1000 }, (_, i) => make(n + i)));
  }
}

/** Scrolls for two seconds and notes the time between frames. */
async function scroll(stage, page) {
  await page.getByRole("gridcell", { name: "plant 1999" }).waitFor();
  const frames = await page.evaluate(async () => {
    const grid = document.querySelector(".grid");
    const times = [];
    const start = performance.now();
    for (let last = start; last - start < 2000; ) {
      grid.scrollTop += 120;
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times.slice(1).sort((a, b) => a - b);
  });
  const at = (share) => frames[Math.floor(frames.length * share)].toFixed(1);
  const rows = await page.getByRole("grid").getAttribute("aria-rowcount");
  stage.notes.push(`grid of ${rows} rows: ${frames.length} frames in 2 s, median ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  await page.locator(".grid").evaluate((grid) => grid.scrollTo(0, 0));
  await page.getByRole("gridcell", { name: "plant 1999" }).waitFor();
}

/** By keyboard: a cell, a new row, a deletion; one is refused, one was changed by somebody else. */
async function editRows(stage, page, id) {
  await page.getByRole("grid").focus();
  await press(page, "ArrowRight", "Enter");
  await page.keyboard.type(" mine");
  await press(page, "Enter", "ArrowDown", "Enter");
  await page.keyboard.type("never");
  await press(page, "Escape", "ArrowDown", "ArrowRight", "Enter");
  await page.keyboard.type("x");
  await press(page, "Enter", "ArrowDown", "Delete");
  await page.getByRole("button", { name: "New row" }).click();
  await press(page, "Enter");
  await page.keyboard.type("a new plant");
  await press(page, "Enter");
  const { objects } = await stage.api("POST", `/oserve/v2.4/table/${id}/record/query/`, { where: { name: "plant 1999" } });
  await stage.api("PUT", `/oserve/v2.6/table/${id}/record/${objects[0].id}/`, { name: "theirs" });

  stage.expected.add(400);
  await page.getByRole("button", { name: "Review 4 changes" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await typeName(page);
  await page.getByRole("button", { name: "Delete 1 row", exact: true }).click();
  await page.getByText("2 rows saved").waitFor();
  await page.getByText("Someone else changed this row").waitFor();
  await page.getByText("must be a number").waitFor();
  await stage.look("review");
  await page.getByRole("button", { name: "Overwrite" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 row saved").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard all" }).click();
  stage.expected.delete(400);
  const after = await stage.api("GET", `/oserve/v2.4/table/${id}/record/${objects[0].id}/`);
  stage.check(after.name.endsWith(" mine"), `the changed name is ${after.name}`);
}

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** In production a name is typed before something is deleted. */
async function typeName(page, given) {
  const name = given ?? (await page.getByRole("heading", { level: 1 }).textContent());
  await page.locator("dialog[open] input[type=text]").last().fill(name);
}

/** A text is searched in every column, and the ID of a row leads to it; the address keeps what was typed. */
async function search(stage, page, id) {
  const where = page.getByLabel("where (JSON)");
  const finds = async (text, count) => {
    await where.fill(text);
    await page.keyboard.press("Enter");
    await page.getByText(new RegExp(`^${count} rows? ·`)).waitFor();
    stage.check((await where.inputValue()) === text && new URL(page.url()).searchParams.get("where") === text, `the search for ${text} became ${page.url()}`);
  };
  const { objects } = await stage.api("POST", `/oserve/v2.4/table/${id}/record/query/`, { where: { note: "note 3" }, limit: 1 });
  const [one] = objects;
  await finds("NOTE 3", await matching(stage, id, { note: { $icontains: "note 3" } }));
  await finds(String(one.height), await matching(stage, id, { height: one.height }));
  await finds(one.id, 1);
  await finds('{"alive":true}', await matching(stage, id, { alive: true }));
  await page.getByRole("button", { name: "Clear" }).click();
}

async function matching(stage, id, where) {
  const { meta } = await stage.api("POST", `/oserve/v2.4/table/${id}/record/query/`, { where, limit: 1, return_total_count: true });
  return meta.total_count;
}

/** A value leads to those that have it; the builder writes the condition; a head sorts. */
async function ask(stage, page) {
  await page.getByRole("gridcell", { name: "note 3" }).first().click();
  await page.getByRole("button", { name: "Show only rows with this value (f)" }).click();
  const where = page.getByLabel("where (JSON)");
  stage.check((await where.inputValue()) === '{"note":"note 3"}', "clicking a value did not filter by it");
  await page.getByRole("button", { name: "Conditions" }).click();
  await page.getByRole("button", { name: "Add condition" }).click();
  await page.getByLabel("Column", { exact: true }).last().selectOption("height");
  await page.getByLabel("Operator").last().selectOption("$gte");
  await page.getByLabel("Value", { exact: true }).last().fill("100");
  stage.check((await where.inputValue()) === '{"note":"note 3","height":{"$gte":100}}', "the builder wrote " + (await where.inputValue()));
  await stage.look("conditions");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText(/143 rows · .* read · plan/).waitFor();
  await page.getByTitle("Sort by height").click();
  await page.getByRole("gridcell", { name: "100.4" }).waitFor();
}

async function exportRows(stage, page) {
  await page.getByRole("button", { name: "Export" }).click();
  const coming = page.waitForEvent("download");
  await page.locator("dialog[open]").getByRole("button", { name: "Export" }).click();
  const lines = readFileSync(await (await coming).path(), "utf8").split("\r\n");
  stage.check(lines.length === 145 && lines[1].includes('100.4,"[""a"",""b""]",note 3'), `the export has ${lines.length} lines: ${lines[1]}`);
  await page.getByRole("button", { name: "Close" }).last().click();
}

/** A text that a spreadsheet would run leaves with a ' before it, and comes back as it was. */
async function formulas(stage, page, id) {
  const texts = ["=1+1", "+86 21 5555", "-5 °C", "@ada", "\ttab", "'=kept", "it's"];
  await stage.api("POST", `/oserve/v2.4/table/${id}/record/?enable_trigger=0`, texts.map((note) => ({ name: "formula", note })));
  const before = page.url();
  await page.goto(before.split("?")[0] + "?where=" + encodeURIComponent('{"name":"formula"}'));
  await page.getByText(`${texts.length} rows`).waitFor();
  await page.getByRole("button", { name: "Export" }).click();
  const coming = page.waitForEvent("download");
  await page.locator("dialog[open]").getByRole("button", { name: "Export" }).click();
  const csv = readFileSync(await (await coming).path(), "utf8");
  await page.getByRole("button", { name: "Close" }).last().click();
  const written = texts.map((text) => csv.includes("," + (text === "it's" ? "" : "'") + text + ",") || csv.includes(`,"'${text}",`));
  stage.check(written.every(Boolean), `the export has ${csv}`);

  await page.getByRole("button", { name: "Import" }).click();
  await page.getByLabel("Or paste here").fill(csv.replaceAll("formula", "again"));
  await page.locator("dialog[open]").getByRole("button", { name: "Import" }).click();
  await page.getByText(`${texts.length} rows written`).waitFor();
  await page.keyboard.press("Escape");
  const { objects } = await stage.api("POST", `/oserve/v2.4/table/${id}/record/query/`, { where: { name: "again" } });
  const notes = objects.map(({ note }) => note);
  stage.check(texts.every((text) => notes.includes(text)), `the import made ${JSON.stringify(notes)}`);
  await page.goto(before);
  await page.getByRole("gridcell", { name: "100.4" }).waitFor();
}

async function changeAll(stage, page) {
  await page.getByRole("button", { name: "Change all" }).click();
  await page.getByLabel("Column", { exact: true }).last().selectOption("alive");
  await page.getByRole("textbox", { name: "Value" }).last().fill("true");
  await page.locator("dialog[open]").getByRole("button", { name: "Change 143 rows" }).click();
  await typeName(page);
  await page.locator("dialog[open]").last().getByRole("button", { name: "Change 143 rows" }).click();
  await page.getByText("143 succeeded, 0 failed").waitFor();
  await page.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("gridcell", { name: "true" }).first().waitFor();
}

async function changeColumns(stage, page, name) {
  await page.getByRole("tab", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Remove tags" }).click();
  await page.getByLabel("Index height").check();
  await page.getByRole("button", { name: "Add column" }).click();
  await page.getByLabel("Name of column 6").fill("planted");
  await page.getByLabel("Type of planted").selectOption("date");
  await page.getByRole("button", { name: "Add column" }).click();
  await page.getByLabel("Name of column 7").fill("parent");
  await page.getByLabel("Type of parent").selectOption("pointer");
  await page.getByLabel("Target table of parent").selectOption(name);
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByText("are deleted immediately. This can't be undone.").waitFor();
  await stage.look("columns");
  await page.getByRole("button", { name: "Save" }).click();
  await typeName(page);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const table = await stage.api("GET", `/oserve/v1.8/table/${name}/`);
  const columns = table.schema.fields.map((column) => column.name).join();
  stage.check(columns === "name,height,note,alive,planted,parent", "the columns are " + columns);
  const { schema_name } = table.schema.fields.at(-1);
  stage.check(schema_name === name, "the pointer leads into " + schema_name);
}

/** What clients may do with a column: it is said before it is saved, and the API has it. */
async function access(stage, page, name) {
  await page.getByLabel("Clients can write height").uncheck();
  await page.getByLabel("Clients see note only in their own rows").check();
  await page.getByLabel("Clients can see alive").uncheck();
  await page.getByRole("button", { name: "Review changes" }).click();
  for (const text of ["Writes by clients that contain", "only in rows that they created", "no longer see this column"]) {
    await page.locator("dialog[open]").getByText(text).waitFor();
  }
  await stage.look("access");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  const { schema } = await stage.api("GET", `/oserve/v1.8/table/${name}/`);
  const acl = Object.fromEntries(schema.fields.map((column) => [column.name, column.acl]));
  const stored = acl.height.clientReadOnly && acl.note.creatorVisible && !acl.alive.clientVisible && acl.name.clientVisible;
  stage.check(stored, "the access is " + JSON.stringify(acl));
}

/** An index over two columns is made, a unique one is refused for rows with the same values, and one is deleted. */
async function indexes(stage, page, name) {
  await page.getByRole("tab", { name: "Indexes" }).click();
  await page.getByRole("row", { name: /height_1/ }).getByText("building").waitFor();
  const choose = async (...columns) => {
    await page.getByRole("button", { name: "New index" }).click();
    for (const [i, column] of columns.entries()) await page.getByLabel(`Column ${i + 1}`, { exact: true }).selectOption(column);
  };
  const create = () => page.locator("dialog[open]").getByRole("button", { name: "Create" }).click();
  await choose("note", "height");
  await stage.look("new-index");
  await create();
  await page.getByRole("row", { name: /note_1_height_1/ }).getByText("building").waitFor();

  stage.expected.add(400);
  await choose("name");
  await page.getByLabel("Unique").check();
  await create();
  await page.getByText("rows have the same values").waitFor();
  await stage.look("refused-index");
  await page.keyboard.press("Escape");
  stage.expected.delete(400);

  await choose("name", "note");
  await page.getByLabel("Unique").check();
  await create();
  await page.getByRole("row", { name: /name_1_note_1/ }).getByText("Unique").waitFor();
  await stage.look("indexes");
  await page.getByRole("button", { name: "Delete index note_1_height_1" }).click();
  await typeName(page, "note_1_height_1");
  await page.getByRole("button", { name: "Delete index", exact: true }).click();
  await page.getByRole("row", { name: /note_1_height_1/ }).waitFor({ state: "detached" });
  const { objects } = await stage.api("GET", `/oserve/v2.6/schema/${name}/index/`);
  const names = objects.map((index) => index.name).sort().join();
  stage.check(names === "height_1,name_1,name_1_note_1,note_1", "the indexes are " + names);
}

/** The permissions of a row are changed in the grid as its other columns. */
async function permissions(stage, page, id) {
  await page.getByRole("tab", { name: "Rows" }).click();
  const { objects } = await stage.api("POST", `/oserve/v2.4/table/${id}/record/query/`, { where: { name: "again" }, limit: 1 });
  await page.goto(page.url().split("?")[0] + "?where=" + encodeURIComponent(JSON.stringify({ id: objects[0].id })));
  await page.getByText("1 row ·").waitFor();
  await page.getByRole("gridcell", { name: '["user:*"]' }).first().dblclick();
  await page.getByRole("textbox", { name: "_read_perm" }).fill('["gid:5"]');
  await press(page, "Enter");
  await stage.look("permissions");
  await page.getByRole("button", { name: "Review 1 change" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("1 row saved").waitFor();
  await page.keyboard.press("Escape");
  const row = await stage.api("GET", `/oserve/v2.4/table/${id}/record/${objects[0].id}/`);
  stage.check(JSON.stringify([row._read_perm, row._write_perm]) === '[["gid:5"],["user:*"]]', "the row may be read by " + row._read_perm);
}

async function look(stage, page) {
  await page.getByRole("tab", { name: "Name and permissions" }).click();
  await stage.look("settings");
  await page.getByRole("tab", { name: "Rows" }).click();
  await page.getByRole("gridcell").first().waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await stage.look("narrow");
}
