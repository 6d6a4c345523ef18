// A call of a hook runs a function and fails to write a row: its trace says what happened, in what order, and why it failed.
const HOSTILE = `<img src=x onerror="document.title='pwned'"> 🌱 \u202Eلا`;

export async function play(stage) {
  const trace = await callHook(stage);
  const page = await stage.open({ height: 1000 });

  await page.goto(stage.url("trace"));
  await page.getByRole("region", { name: "Recent trigger actions" }).waitFor();
  await stage.look("latest");
  await page.getByLabel("Trace id").fill(trace);
  await page.getByRole("button", { name: "View trace" }).click();

  await page.getByText(/no such table|there is no|is gone|not_found/).first().waitFor();
  await page.getByRole("button", { name: "trigger" }).click();
  await page.getByText("No conditions: every event fires").waitFor();
  await page.getByRole("button", { name: "job hello" }).click();
  await page.getByText("greeting").waitFor();
  await page.getByRole("button", { name: "action table_operation" }).click();
  await page.getByRole("heading", { name: "Attempt 1" }).waitFor();
  await stage.look("waterfall");

  stage.check(!(await page.title()).includes("pwned"), "a name was run as markup");
  stage.check((await page.locator("main img").count()) === 0, "a name became an image");
  stage.check(await fits(page), "the page is wider than its window");
  await page.setViewportSize({ width: 360, height: 800 });
  stage.check(await fits(page), "the page is wider than a phone");
  await stage.screenshot("phone");

  await page.getByRole("link", { name: "Open" }).last().click();
  await page.getByRole("heading", { name: /^Run / }).waitFor();
  await page.getByRole("link", { name: trace }).click();
  await page.getByRole("button", { name: "job hello" }).waitFor();

  stage.expected.add(404);
  await page.goto(stage.url("trace", "0123456789abcdef"));
  await page.getByRole("alert").getByText("no trigger has acted in a trace").waitFor();
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Makes a trigger, calls its hook, and returns the trace of the call once everything has ended. */
async function callHook(stage) {
  const table = await stage.api("POST", "/oserve/v1.8/table/", {
    name: "traced_" + Date.now(),
    schema: { fields: [{ name: "name", type: "string" }] },
  });
  const trigger = await stage.api("POST", "/oserve/v3/trigger/", {
    name: HOSTILE,
    type: "incoming_webhook",
    condition: {},
    actions: [
      { type: "cloud_function", settings: { function: "hello" } },
      { type: "table_operation", settings: { table: table.id, operation: "create", assign: [{ field: "name", value: "x" }] } },
    ],
  });
  await stage.api("DELETE", `/oserve/v1.8/table/${table.id}/`);

  const called = await fetch(trigger.hook_url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: HOSTILE }),
  });
  const trace = called.headers.get("x-request-id");
  await stage.until(`/oserve/v3/trace/${encodeURIComponent(trace)}/`, (root) => root.ok !== null && JSON.stringify(root).includes('"job"'));
  return trace;
}
