// An owner makes a function, writes it with completion, breaks and mends it, runs it from anywhere, runs it later,
// looks at what it did, and goes back to what it was.
const NAME = "story_functions";
const HOSTILE = `<img src=x onerror=alert(1)> \u202eRTL ${"😀".repeat(50)} ${"w".repeat(100_000)}`;
const FIRST = `exports.main = async (event) => {
  console.log(event.data.text ?? "nothing")
  if (event.data.fail) throw new Error(event.data.text)
  return { n: event.data.n }
}
`;

export async function play(stage) {
  const page = await stage.open();
  page.on("dialog", (dialog) => {
    if (dialog.type() !== "beforeunload") stage.errors.push("a script of a value ran: " + dialog.message());
    void dialog.accept();
  });
  await remove(stage);

  await make(stage, page);
  await complete(stage, page);
  await save(stage, page);
  await run(stage, page);
  await look(stage, page);
  await later(stage, page);
  await restore(stage, page);
  await remove(stage);
}

async function remove(stage) {
  await stage.api("DELETE", `/oserve/v1.3/cloud-function/${NAME}/`).catch(() => {});
}

async function make(stage, page) {
  await page.goto(stage.url("functions"));
  await page.getByRole("button", { name: "New function" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill(NAME);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: NAME }).waitFor();
  await code(page).waitFor();
}

const code = (page) => page.getByRole("textbox", { name: "Code" });

const write = (page, text) => replace(page, code(page), text);

/** Over a selection Chromium writes with an inline style, of which the page's policy would complain. */
async function replace(page, editor, text) {
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

async function complete(stage, page) {
  const offers = [
    ["const table = new BaaS.TableObject('x')\ntable.cou", "count"],
    ["const { createHa", "createHash", ' } = require("crypto")'],
    ['require("node:crypto").createHash("sha1").dig', "digest"],
    ["exports.main = async (event) => { event.data.trade", "trade_no"],
    ["exports.main = async ({ data, jobI", "jobId", " }) => data"],
    ['const fs = require("fs/prom', "fs/promises"],
  ];
  for (const [text, wanted, after] of offers) {
    await write(page, text + (after ?? ""));
    for (const _ of after ?? "") await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Control+Space");
    const offer = page.locator(".cm-completionLabel").filter({ hasText: new RegExp(`^${wanted}$`) });
    await offer.waitFor({ timeout: 5000 }).catch(() => stage.errors.push(`nothing offers ${wanted} for ${text}`));
    if (wanted === "digest") await stage.screenshot("completion");
    await page.keyboard.press("Escape");
  }
}

async function save(stage, page) {
  await write(page, "exports.main = async (event) => {\n  return event.data +* 1\n}");
  await page.locator(".cm-lintRange-error, .cm-lintPoint-error").first().waitFor();
  await stage.look("diagnostics");

  await page.getByRole("link", { name: "Tables" }).click();
  await page.getByRole("heading", { name: `Leave ${NAME}?` }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();

  await write(page, FIRST);
  await page.keyboard.press("Control+s");
  await page.getByText("Saved as version 2").waitFor();
}

async function run(stage, page) {
  await page.getByRole("link", { name: "Tables" }).click();
  await page.getByRole("heading", { level: 1, name: "Tables" }).waitFor();
  await page.keyboard.press("Control+`");
  const runner = page.getByRole("region", { name: "Run a function" });
  await runner.getByLabel("Function").first().selectOption(NAME);
  await runner.getByLabel("Simulate").selectOption("chat_pay_success");
  await runner.getByRole("button", { name: "Run", exact: true }).click();
  await runner.getByText("done").waitFor();
  await runner.getByText(/LOG event\.data: .*trade_no/).waitFor();
  await stage.look("runner");

  const input = runner.getByRole("textbox", { name: "Input (JSON)" });
  await replace(page, input, JSON.stringify({ n: 7, fail: true, text: "<img src=x onerror=alert(2)>" }));
  await page.keyboard.press("Control+Enter");
  await runner.getByText("failed", { exact: true }).waitFor();
  await runner.getByRole("link", { name: "View run" }).click();
  await page.getByText(/^Error: <img src=x onerror/).first().waitFor();
  await page.keyboard.press("Control+`");
  await stage.look("run");
}

async function look(stage, page) {
  await page.getByRole("button", { name: "Run again…" }).click();
  const runner = page.getByRole("region", { name: "Run a function" });
  await runner.getByText('"n": 7').waitFor();
  stage.check((await runner.getByLabel("Simulate").inputValue()) === "chat_pay_success", "a run again has another source");
  await runner.getByRole("button", { name: "Earlier input…" }).click();
  await page.getByRole("button", { name: "Use" }).nth(1).click();
  await runner.getByText('"trade_no"').waitFor();
  await page.keyboard.press("Control+`");

  for (const n of [1, 2, 3]) await stage.api("POST", `/oserve/v1.3/cloud-function/${NAME}/job/`, { data: { n } });
  await stage.api("POST", `/oserve/v1.3/cloud-function/${NAME}/job/`, { data: { text: HOSTILE, fail: true } });
  await page.goto(stage.url("functions", NAME));
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByText("Status of 6 runs").first().waitFor();
  await page.getByText("Show as table").click();
  await stage.look("runs");
  await page.setViewportSize({ width: 360, height: 740 });
  await stage.screenshot("runs-narrow");
  stage.check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the runs are wider than a phone");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel("Source").selectOption("chat_pay_success");
  await page.getByText("Show as table").waitFor({ state: "detached" });
  stage.check((await page.getByRole("region", { name: "Runs" }).locator("tbody tr").count()) === 2, "the filter shows other runs");
}

async function later(stage, page) {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Later…" }).click();
  await page.getByLabel("Start time", { exact: true }).fill(local(new Date(Date.now() + 3600_000)));
  await stage.look("later");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("link", { name: /is waiting to start/ }).click();
  await page.getByText("The log appears when the run ends").waitFor();
  await page.keyboard.press("Control+`");

  await page.getByRole("link", { name: NAME }).click();
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByRole("heading", { name: "Scheduled runs" }).waitFor();
  await stage.look("upcoming");
  await page.getByRole("button", { name: "Cancel run" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
  await page.getByRole("heading", { name: "Scheduled runs" }).waitFor({ state: "detached" });
}

/** The value of an input of type datetime-local. */
function local(date) {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

async function restore(stage, page) {
  await page.getByRole("tab", { name: "Variables" }).click();
  await page.getByLabel("Key").fill("STORY_KEY");
  await page.getByLabel("Value", { exact: true }).fill("<b>not bold</b>");
  await page.getByRole("button", { name: "Set variable" }).click();
  await page.getByText("<b>not bold</b>").waitFor();

  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Compare with current" }).first().click();
  await page.locator(".cm-mergeView").waitFor();
  await stage.look("difference");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Restore" }).first().click();
  await page.getByLabel(/Type story_functions/).fill(NAME);
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored version 1").waitFor();
  await page.getByRole("tab", { name: "Code" }).click();
  await code(page).getByText("called with").waitFor();
}
