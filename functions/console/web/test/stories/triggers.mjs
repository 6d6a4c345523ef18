// An owner makes a webhook trigger in three steps, calls it by fetch, sees it in the log and replays it; a row trigger that
// does not fire says why; a timer tells its next times; a loop is told.
const HOSTILE = `<img src=x onerror="document.title='hacked'">‮😀 ${"long ".repeat(40)}`;

export async function play(stage) {
  const stamp = Date.now().toString(36);
  const table = `story_${stamp}`;
  await stage.api("POST", "/oserve/v1.8/table/", {
    name: table,
    schema: { fields: [{ name: "title", type: "string" }, { name: "price", type: "number" }, { name: "when", type: "date" }] },
  });
  const page = await stage.open();

  await hook(stage, page, `called ${stamp}`);
  await row(stage, page, `dear ${stamp}`, table);
  await timer(stage, page);
  await keys(stage, page, `keyed ${stamp}`);
  await loop(stage, page, table, stamp);
}

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Waits until something holds; what happens between the call and the log takes its time. */
async function until(holds, what) {
  for (let i = 0; i < 40; i++) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error("not in ten seconds: " + what);
}

async function hook(stage, page, name) {
  await page.goto(stage.url("triggers"));
  await button(page, "New trigger").first().click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("radio", { name: /Incoming webhook/ }).check();
  await stage.look("when");
  await button(page, "Next").click();
  await button(page, "Next").click();
  stage.check((await page.getByRole("button", { name: "table operation" }).count()) === 1, "a call cannot write into tables");
  await button(page, "email").click();
  await page.getByLabel("To", { exact: true }).fill("ada@example.com");
  await page.getByLabel("Subject").fill("called");
  await page.getByLabel("Body", { exact: true }).fill("called");
  await button(page, "Create without enabling").click();

  await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
  await button(page, "Dry run").click();
  await page.getByText("Conditions met").waitFor();
  await button(page, "Back-test").click();
  await page.getByText("0 of 0 events would have fired this trigger").waitFor();
  await stage.look("try");
  await button(page, "Enable trigger").click();
  await page.getByText("enabled", { exact: true }).waitFor();

  const id = Number(new URL(page.url()).pathname.split("/").at(-1));
  const { hook_url } = await stage.api("GET", `/oserve/v3/trigger/${id}/`);
  const called = await fetch(stage.base + new URL(hook_url).pathname, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ said: HOSTILE }),
  });
  stage.check(called.ok, `the hook answered ${called.status}`);
  await until(async () => (await stage.api("GET", `/oserve/v3/trigger/${id}/log/`)).objects[0]?.finished_at, "an entry of the log");

  await page.goto(stage.url("triggers", String(id)));
  await page.getByRole("table").getByRole("button").first().click();
  await page.getByText("Preview: ").waitFor();
  await stage.screenshot("entry");
  await button(page, "Replay").click();
  await page.getByText("Replay started").waitFor();
  await page.keyboard.press("Escape");

  await button(page, "Replay a time range…").click();
  await page.getByLabel("Failed actions only").uncheck();
  await button(page, "Preview").click();
  await button(page, "Replay 1").click();
  await page.getByText("1 of 1 done, 0 failed").waitFor();
  await page.getByText("success", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await stage.look("log");
}

async function row(stage, page, name, table) {
  await page.goto(stage.url("triggers", "new"));
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("radio", { name: /Row change/ }).check();
  await button(page, "Next").click();
  await page.getByLabel("Table", { exact: true }).selectOption(table);
  await button(page, "Add condition").click();
  await page.getByLabel("Column").selectOption("price");
  const operators = await page.getByLabel("Operator").locator("option").allTextContents();
  stage.check(operators.includes("is at least") && !operators.includes("matches"), `operators of a number: ${operators}`);
  await page.getByLabel("Operator").selectOption(">=");
  await page.getByLabel("Value").fill("a lot");
  await button(page, "Next").click();
  await page.getByText("condition.rules[0].value").waitFor();
  await button(page, "Back").click();
  await page.getByLabel("Value").fill("100");
  await button(page, "Add condition").click();
  await page.getByLabel("Column").nth(1).selectOption("when");
  await page.getByLabel("Operator").nth(1).selectOption("isempty");
  await page.getByLabel("Value").nth(1).selectOption("true");
  await page.getByText("condition.rules[0].value").waitFor({ state: "hidden" });
  await stage.look("if");

  await button(page, "Next").click();
  await button(page, "email").click();
  await page.getByLabel("To", { exact: true }).fill("ada@example.com");
  await page.getByLabel("Subject").fill("It is {{ tit");
  await page.getByRole("option", { name: "title", exact: true }).waitFor();
  await stage.look("then");
  await page.keyboard.press("Enter");
  stage.check((await page.getByLabel("Subject").inputValue()) === "It is {{ title }}", "the variable is not completed");
  await page.getByLabel("Body", { exact: true }).fill("{{ nobody }}");
  await page.getByText('variable "nobody" does not exist').waitFor();
  await button(page, "Create and enable").click();
  await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();

  const id = new URL(page.url()).pathname.split("/").at(-1);
  await stage.api("POST", `/oserve/v2.4/table/${table}/record/`, { title: HOSTILE, price: 5 });
  await until(async () => (await stage.api("GET", `/oserve/v3/trigger/${id}/evaluation/`)).objects.length > 0, "an evaluation");
  await page.getByRole("tab", { name: "Evaluations" }).click();
  await page.locator("section").getByText("Conditions not met").waitFor();
  await page.getByText("not met", { exact: true }).waitFor();
  await stage.look("why");
  stage.check((await page.title()).includes(name), "a hostile value ran");
  await page.getByLabel("Result").selectOption("Conditions met");
  await page.getByText("None of the recorded evaluations has this result.").waitFor();
  await page.getByLabel("Result").selectOption("Conditions not met");
  await page.getByText("not met", { exact: true }).waitFor();

  const { objects } = await stage.api("GET", `/oserve/v3/trigger/${id}/evaluation/`);
  await page.getByRole("link", { name: objects[0].subject_id }).first().click();
  await page.getByText(/^1 row ·/).waitFor();
  await page.getByRole("gridcell", { name: objects[0].subject_id }).waitFor();
}

async function timer(stage, page) {
  await page.goto(stage.url("triggers", "new"));
  await page.getByLabel("Name", { exact: true }).fill("nightly");
  await page.getByRole("radio", { name: /Schedule/ }).check();
  await button(page, "Next").click();
  await page.getByLabel("Cron expression").fill("0 9 * * 1-5");
  await page.getByText("At 09:00, Monday through Friday").first().waitFor();
  await page.locator(".next li").nth(4).getByText("09:00").waitFor();
  await stage.look("timer");
  await button(page, "Next").click();
  stage.check((await page.getByRole("button", { name: "webhook" }).count()) === 0, "a timer offers a webhook");
}

async function keys(stage, page, name) {
  const made = await stage.api("POST", "/oserve/v3/trigger/", {
    name,
    type: "incoming_webhook",
    actions: [{ type: "webhook", settings: { url: "https://example.com/hook", key_overlap_days: 2 }, flow: { throttle: { count: 5, period_seconds: 60 } } }],
  });
  await page.goto(stage.url("triggers", String(made.id)));
  await page.getByRole("tab", { name: "Keys" }).click();
  await button(page, "New key").click();
  await page.getByRole("dialog").getByRole("button", { name: "New key" }).click();
  await page.getByText("Copy the key now.").waitFor();
  stage.check(/[A-Za-z0-9]{32}/.test(await page.getByRole("dialog").innerText()), "no key is shown");
  await page.keyboard.press("Escape");
  await button(page, "Reset URL").click();
  const typed = page.getByLabel(/Type .* to confirm/);
  await typed.fill(String(made.id));
  await page.getByRole("dialog").getByRole("button", { name: "Reset URL" }).click();
  await page.getByText(made.hook_url.split("/").at(-2)).waitFor({ state: "hidden" });

  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("Description").fill("with its throttle");
  await page.getByRole("button", { name: "Then" }).click();
  stage.check((await page.getByLabel("Max. runs per period", { exact: true }).inputValue()) === "5", "the throttle is not shown");
  await page.getByLabel("Period (seconds)").fill("");
  await page.getByText("actions[0].flow.throttle.period_seconds").waitFor();
  await page.getByLabel("Max. runs per period", { exact: true }).fill("");
  await page.getByText("actions[0].flow.throttle.period_seconds").waitFor({ state: "hidden" });
  await button(page, "Save").click();
  await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
  const { actions, description } = await stage.api("GET", `/oserve/v3/trigger/${made.id}/`);
  stage.check(actions[0].id === made.actions[0].id && !actions[0].flow?.throttle && description === "with its throttle", "the change is not stored");
}

async function loop(stage, page, table, stamp) {
  const name = `again ${stamp} ${HOSTILE}`.slice(0, 64);
  await stage.api("POST", "/oserve/v3/trigger/", {
    name,
    enabled: true,
    type: "table",
    condition: { table, event: "delete" },
    actions: [{ type: "table_operation", settings: { table, operation: "delete", where: { title: { $eq: "{{ title }}" } } } }],
  });
  await page.goto(stage.url("triggers"));
  const chosen = page.getByRole("checkbox", { name: `Select: again ${stamp}` });
  await chosen.waitFor();
  await stage.look("list");
  await page.getByRole("tab", { name: "Trigger map" }).click();
  await page.getByRole("heading", { name: /^Loops/ }).waitFor();
  await stage.look("map");

  await page.getByRole("tab", { name: "Triggers", exact: true }).click();
  await chosen.check();
  await button(page, "Disable").click();
  await page.getByText("1 of 1 done, 0 failed").waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await stage.screenshot("list-narrow");
  stage.check((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, "the list is wider than 360 px");
}
