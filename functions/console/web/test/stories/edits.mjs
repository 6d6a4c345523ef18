// Edits are neither lost nor overwritten: Back, a link, a reload, the end of a session, another editor, a slow server.
import { setTimeout as pause } from "node:timers/promises";

const FIRST = "exports.main = async () => 'first'\n";
const PATH = "/oserve/v1.3/cloud-function/";

export async function play(stage) {
  const page = await stage.open();
  const name = `kept_${Date.now()}`;
  await stage.api("POST", PATH, { name, function_code: FIRST });
  // A reload asks, too; here somebody always means it.
  let asked = 0;
  page.on("dialog", (dialog) => (asked++, dialog.accept()));

  await leavesByBackAndLink(stage, page, name);
  await reloads(stage, page, name, () => asked);
  await sessionEnds(stage, page, name);
  await restores(stage, page, name);
  await overwrites(stage, page, name);
  await overwritesTrigger(stage, page, name);
  await overwritesTable(stage, page);
  await page.goto(fnURL(stage, name));
  await runsWhatIsSaved(stage, page, name);
  await forms(stage, page);
  await staged(stage, page);
  await happensOnce(stage, page);
}

const code = (page) => page.getByRole("textbox", { name: "Code", exact: true });
const shows = (page, text) => code(page).getByText(text).first().waitFor();
const dialog = (page) => page.getByRole("dialog");
const fnURL = (stage, name) => stage.url("functions", name);

async function write(page, text) {
  await code(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
  await page.getByText("Unsaved changes").waitFor();
}

/** Answers the question before leaving; the page stays, or the edits go. */
async function question(page, leave) {
  await dialog(page).getByText("unsaved changes on this page").waitFor();
  await dialog(page).getByRole("button", { name: leave ? "Leave without saving" : "Cancel" }).click();
}

async function leavesByBackAndLink(stage, page, name) {
  await page.goto(stage.url("functions"));
  await page.getByRole("link", { name, exact: true }).click();
  await shows(page, "first");
  await write(page, "// one");

  await page.goBack();
  await question(page, false);
  stage.check(page.url() === fnURL(stage, name), `after Back and Cancel the address is ${page.url()}`);
  await shows(page, "// one");
  await page.getByRole("link", { name: "Tables", exact: true }).click();
  await question(page, false);
  await page.getByRole("tab", { name: "Versions" }).click(); // another tab of the page loses nothing
  await page.getByRole("tab", { name: "Code" }).click();
  await shows(page, "// one");
  await stage.look("unsaved");

  await page.goBack(); // the tabs replace the entry: this leaves the page
  await question(page, true);
  await page.getByRole("heading", { level: 1, name: "Functions" }).waitFor();
  await page.goForward();
  await shows(page, "first");
  stage.check((await code(page).getByText("// one").count()) === 0, "what was discarded is there again");
}

async function reloads(stage, page, name, asked) {
  await write(page, "// two");
  await pause(400); // it is stored when typing pauses
  const before = asked();
  await page.reload();
  stage.check(asked() > before, "a reload did not ask");
  await shows(page, "// two");
}

async function sessionEnds(stage, page, name) {
  stage.expected.add(401);
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save", exact: true }).first().click(); // its token still writes; the next question is refused
  await page.getByText("Saved as version 2").waitFor();
  await write(page, "// three");
  await page.evaluate(() => new BroadcastChannel("minicloud.session").postMessage("in")); // another tab asks everybody to look
  await page.getByText("Your session has expired").waitFor();
  await stage.look("session-ended");
  stage.check((await page.getByRole("heading", { level: 1, name }).count()) === 0, "the page is shown to nobody in particular");
  await page.getByLabel("Email").fill(stage.credentials.console_email);
  await page.getByLabel("Password").fill(stage.credentials.console_password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await shows(page, "// three");
  stage.expected.delete(401);
}

async function restores(stage, page, name) {
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Restore" }).last().click();
  await dialog(page).getByText("unsaved changes to the code will be lost").waitFor();
  await dialog(page).getByLabel(new RegExp("Type " + name)).fill(name);
  await dialog(page).getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored version 1").waitFor();
  await page.getByRole("tab", { name: "Code" }).click();
  await shows(page, "first");
  stage.check((await code(page).getByText("// three").count()) === 0, "a restored function shows the code from before");
  stage.check(await page.getByRole("button", { name: "Save", exact: true }).first().isDisabled(), "Save would undo the restore");
}

/** Somebody else saves first: nothing is overwritten before it was seen. */
async function overwrites(stage, page, name) {
  const theirs = (text) => stage.api("PATCH", PATH + name + "/", { function_code: `exports.main = async () => '${text}'\n` });
  const stored = async () => (await stage.api("GET", PATH + name + "/")).function_code;
  const save = () => page.getByRole("button", { name: "Save", exact: true }).first().click();
  stage.expected.add(409);

  await write(page, "// mine");
  await theirs("theirs");
  await save();
  await dialog(page).getByText("was changed by someone else").waitFor();
  await dialog(page).locator(".cm-mergeView").waitFor();
  await stage.idle();
  await stage.look("conflict");
  stage.check((await stored()).includes("theirs"), "a write of an older version was made");
  await dialog(page).getByRole("button", { name: "Keep theirs" }).click();
  await shows(page, "theirs");

  await write(page, "// mine");
  await theirs("again");
  await save();
  await dialog(page).getByRole("button", { name: "Save my version" }).click();
  await page.getByText("Saved as version 6").waitFor(); // the first, one saved, one restored, two of theirs
  stage.check((await stored()).includes("// mine"), "one's own version was not saved");
  await shows(page, "// mine");

  await stage.api("PATCH", PATH + name + "/", { remark: "no code" }); // of another part: no reason to ask
  await write(page, "// more");
  await save();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  stage.check((await stored()).includes("// more"), "a change of the remark is in the way of the code");
  await shows(page, "// mine// more"); // what was saved stays on the screen
  stage.expected.delete(409);
}

/** A trigger: what is edited stands beside what is saved, and each of the three answers is taken at its word. */
async function overwritesTrigger(stage, page, fn) {
  const { id } = await stage.api("POST", "/oserve/v3/trigger/", {
    name: "of two",
    type: "timer",
    condition: { cron: "0 3 * * *" },
    actions: [{ type: "cloud_function", settings: { function: fn } }],
  });
  const path = `/oserve/v3/trigger/${id}/`;
  const field = page.getByLabel("Name", { exact: true });
  const description = page.getByLabel("Description", { exact: true });
  const clash = async (mine, theirs) => {
    await field.fill(mine);
    await stage.api("PUT", path, { description: theirs });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await dialog(page).getByText("was changed by someone else").waitFor();
    await dialog(page).locator(".cm-mergeView").waitFor();
    stage.check((await stage.api("GET", path)).name !== mine, "an older version of a trigger was written");
  };
  const answer = async (button) => {
    await dialog(page).getByRole("button", { name: button }).click();
    await dialog(page).waitFor({ state: "detached" });
  };
  stage.expected.add(409);

  await page.goto(stage.url("triggers", String(id), "edit"));
  await clash("mine", "theirs");
  await stage.idle();
  await stage.look("conflict-trigger");
  await answer("Keep theirs");
  stage.check((await field.inputValue()) === "of two", `theirs was taken, and the name is ${await field.inputValue()}`);
  stage.check((await description.inputValue()) === "theirs", `theirs was taken, and the description is ${await description.inputValue()}`);

  await clash("merged", "twice");
  await answer("Merge manually"); // the form stays where it is, and its next save is written
  stage.check((await field.inputValue()) === "merged", "one's own version is gone before it was merged");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "merged" }).waitFor();

  await page.goto(stage.url("triggers", String(id), "edit"));
  await clash("mine", "thrice");
  await answer("Save my version");
  await page.getByRole("heading", { level: 1, name: "mine" }).waitFor();
  const stored = await stage.api("GET", path);
  stage.check(stored.name === "mine" && stored.description !== "thrice", `one's own version was not saved: ${stored.name}, ${stored.description}`);
  stage.expected.delete(409);
}

/** A table: its columns, and its name and permissions. */
async function overwritesTable(stage, page) {
  const fields = [{ name: "n", type: "integer" }];
  const { id } = await stage.api("POST", "/oserve/v1.8/table/", { name: `of_two_${Date.now()}`, schema: { fields } });
  const path = `/oserve/v1.8/table/${id}/`;
  const stored = () => stage.api("GET", path);
  const theirs = (permission) => stage.api("PUT", path, { write_perm: [permission] });
  const asked = async () => {
    await dialog(page).getByText("was changed by someone else").waitFor();
    await dialog(page).locator(".cm-mergeView").waitFor();
  };
  const answer = async (button) => {
    await dialog(page).getByRole("button", { name: button }).click();
    await stage.idle();
    stage.check((await dialog(page).count()) === 0, `after ${button} a dialog is open`);
  };
  stage.expected.add(409);

  const second = page.getByLabel("Name of column 2");
  const addColumn = async (permission) => {
    await page.getByRole("button", { name: "Add column" }).click();
    await second.fill("mine");
    await theirs(permission);
    await page.getByRole("button", { name: "Review changes" }).click();
    await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
    await asked();
  };
  const hasMine = async () => (await stored()).schema.fields.some(({ name }) => name === "mine");
  await page.goto(stage.url("tables", String(id)) + "?tab=columns");
  await addColumn("user:1");
  stage.check(!(await hasMine()), "an older version of a table was written");
  await stage.look("conflict-table");
  await answer("Keep theirs");
  stage.check((await second.count()) === 0, "theirs was taken, and one's own column is there");
  await addColumn("user:2");
  await answer("Save my version");
  stage.check(await hasMine(), "one's own column was not saved");
  stage.check((await stored()).write_perm.join() === "user:2", "a new column takes somebody else's permission away");

  await page.getByRole("tab", { name: "Name and permissions" }).click();
  const rows = page.getByLabel("Who can add rows");
  const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
  await rows.fill("user:3");
  await theirs("user:4");
  await save();
  await asked();
  await answer("Keep theirs");
  stage.check((await rows.inputValue()) === "user:4", `theirs was taken, and the field shows ${await rows.inputValue()}`);
  await rows.fill("user:5");
  await theirs("user:6");
  await save();
  await asked();
  await answer("Merge manually");
  stage.check((await rows.inputValue()) === "user:5", "what was typed is gone before it was merged");
  await save();
  await stage.until(path, ({ write_perm }) => write_perm.join() === "user:5");
  stage.expected.delete(409);
}

async function runsWhatIsSaved(stage, page, name) {
  await write(page, "// to be run");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const runner = page.getByRole("region", { name: "Run a function" });
  await runner.getByRole("button", { name: "Save and run" }).click();
  await runner.getByText(/version \d+/).waitFor();
  await stage.look("ran");
  stage.check((await stage.api("GET", PATH + name + "/")).function_code.includes("to be run"), "what ran is not what is on the screen");
  await page.keyboard.press("Control+`");
}

/** All forms follow the same rule: a setting, a trigger, a new column, a dialog. */
async function forms(stage, page) {
  await page.goto(stage.url("settings", "mail"));
  await page.getByLabel("Reply-to").fill("kept@example.com");
  await pause(400);
  await page.reload();
  stage.check((await page.locator("[name=reply_to]").inputValue()) === "kept@example.com", "a setting is lost by a reload");
  await page.getByRole("link", { name: "Tables", exact: true }).click();
  await question(page, true);

  const table = await stage.api("POST", "/oserve/v1.8/table/", { name: `edits${Date.now()}`, schema: { fields: [{ name: "n", type: "integer" }] } });
  await page.goto(stage.url("tables", String(table.id)) + "?tab=columns");
  await page.getByRole("button", { name: "Add column" }).click();
  await page.getByLabel("Name of column 2").fill("kept");
  await page.getByRole("tab", { name: "Rows" }).click();
  await page.getByRole("tab", { name: "Columns" }).click();
  stage.check((await page.getByLabel("Name of column 2").inputValue()) === "kept", "a new column is lost by another tab");
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await question(page, true);

  await page.goto(stage.url("triggers", "new"));
  await page.getByRole("radio").first().check();
  await page.getByLabel("Name", { exact: true }).fill("kept trigger");
  await pause(400);
  await page.reload();
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some((field) => field.value === "kept trigger"));
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await question(page, true);
  stage.tableOfEdits = table;
}

async function staged(stage, page) {
  const { id } = stage.tableOfEdits;
  await page.goto(stage.url("tables", String(id)));
  await dialogs(page, stage);
  await page.getByRole("button", { name: "New row" }).click();
  await page.getByRole("button", { name: "Review 1 change" }).waitFor();
  await pause(400);
  await page.reload();
  await page.getByRole("button", { name: "Review 1 change" }).waitFor();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await question(page, true);
  await page.goto(stage.url("tables", String(id)));
  await page.getByRole("button", { name: "New row" }).waitFor();
  stage.check((await page.getByRole("button", { name: /Review/ }).count()) === 0, "staged rows that were discarded are there again");
}

/** Escape and the cross of a dialog ask; what was typed comes back where it is opened after a reload. */
async function dialogs(page, stage) {
  const text = dialog(page).getByLabel("Or paste here");
  const open = async () => (await page.getByRole("button", { name: "Import", exact: true }).click(), await text.waitFor());
  const discards = async (sure) => {
    await dialog(page).getByText("What you entered will be lost").waitFor();
    await dialog(page).getByRole("button", { name: sure ? "Discard" : "Cancel" }).last().click();
  };

  await open();
  await page.keyboard.press("Escape"); // nothing was typed
  await text.waitFor({ state: "detached" });
  await open();
  await text.fill("n\n1\n");
  await page.keyboard.press("Escape");
  await discards(false);
  stage.check((await text.inputValue()) === "n\n1\n", "Escape and Cancel lose what was pasted");
  await pause(400);
  await page.reload();
  await open();
  stage.check((await text.inputValue()) === "n\n1\n", "a reload loses what was pasted");
  await dialog(page).getByRole("button", { name: "Close" }).click();
  await discards(true);
  await text.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Change all" }).click();
  await dialog(page).getByLabel("Value").fill("7");
  await page.keyboard.press("Escape");
  await discards(true);
  await dialog(page).waitFor({ state: "detached" });
}

/** On a slow server the second click does nothing, and a retry after no answer is the same write. */
async function happensOnce(stage, page) {
  const keys = [];
  await page.route("**/oserve/v1/user-group/", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    if (keys.length === 1) {
      await pause(400);
      await route.fetch(); // it is made, and nobody hears of it
      return route.abort();
    }
    await route.continue();
  });
  stage.expectedText.push(/net::ERR_FAILED/);
  await page.goto(stage.url("users") + "?tab=groups");
  const name = `once ${Date.now()}`;
  await page.getByLabel("New group").fill(name);
  const create = page.getByRole("button", { name: "Create" });
  await create.click();
  stage.check(await create.isDisabled(), "a button whose write is under way can be pressed");
  await page.getByText("Can't reach the server").waitFor();
  await create.click();
  await page.getByRole("cell", { name, exact: true }).waitFor();
  stage.check(keys.length === 2 && keys[0] !== undefined && keys[0] === keys[1], `keys of a write and its retry: ${keys}`);
  const { objects } = await stage.api("GET", "/oserve/v1/user-group/?limit=1000");
  stage.check(objects.filter((group) => group.name === name).length === 1, "a retry made a second group");
  await page.unroute("**/oserve/v1/user-group/");
}
