// Everything is within reach of the keyboard: the palette finds all that has a name, j, k and Enter walk every list, the
// sheet prints the keys that work, filters are kept under a name that can be changed, and what is deleted is typed.
import { openShop } from "../shop.mjs";

export async function play(stage) {
  const page = await stage.open();
  const shop = await openShop(stage, "By hand " + Date.now());
  const go = async (...parts) => {
    await page.goto([stage.base, "console", shop.id, "production", ...parts.map(encodeURIComponent)].join("/"));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await stage.idle();
  };

  await go();
  await palette(stage, page);
  await lists(stage, page, go, shop);
  await sheet(stage, page, go, shop);
  await views(stage, page, go, shop);
  await typed(stage, page, go, shop);
}

async function palette(stage, page) {
  const wanted = [
    ...["Overview", "Functions", "Triggers", "Tables", "Users", "Orders", "Trace", "Settings"].map((name) => "Go to " + name),
    ...["Application", "Administrators", "Audit log", "Payments", "Email", "SMS", "Template messages", "Inbox"].map((name) => "Settings " + name),
    ...["New function", "New trigger", "New table", "Dark theme", "Sign out", "Run a function"].map((name) => "Command " + name),
    ...["Function thank_buyer", "Run quote_shipping", "Table deliveries", "Trigger Water round", "Copy Copy as curl"],
  ];
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Search or run a command…" });
  for (const name of wanted) {
    await box.fill(name.slice(name.indexOf(" ") + 1));
    const option = page.getByRole("option", { name: new RegExp("^" + name) });
    await option.first().waitFor({ timeout: 5000 }).catch(() => stage.errors.push(`the palette does not find ${name}`));
  }

  await box.fill("New table");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("heading", { name: "New table" }).waitFor();
  await page.keyboard.press("Escape");
}

/** The second row of every list, or the only one, opens: a page, or a dialog. */
async function lists(stage, page, go, shop) {
  const pages = [
    ["functions"], ["triggers"], ["tables"], ["orders"], ["trace"], ["functions", "quote_shipping", "?tab=jobs"], ["triggers", shop.paid],
    ["triggers", "?tab=log"], ["settings", "audit"], ["settings", "inbox"],
  ];
  for (const parts of pages) {
    const tab = String(parts.at(-1)).startsWith("?") ? parts.pop() : "";
    await go(...parts);
    if (tab) await page.goto(page.url() + tab);
    const rows = page.locator(".list tbody tr");
    await rows.first().waitFor();
    await stage.idle();
    const before = page.url();
    for (const key of ["j", "j", "k", "j"]) await page.keyboard.press(key);
    const marked = await rows.evaluateAll((all) => all.findIndex((one) => one.classList.contains("current")));
    stage.check(marked === Math.min(1, (await rows.count()) - 1), `${parts.join("/")}${tab}: j, j, k, j leads to row ${marked}`);
    await page.keyboard.press("Enter");
    const opened = page.waitForURL((url) => url.href !== before, { timeout: 3000 }).then(() => "a page");
    const shown = page.locator("dialog[open]").waitFor({ timeout: 3000 }).then(() => "a dialog");
    await Promise.any([opened, shown]).catch(() => stage.errors.push(`${parts.join("/")}${tab}: Enter opens nothing`));
    await Promise.allSettled([opened, shown]);
  }
}

async function sheet(stage, page, go, shop) {
  await go("tables", shop.plants);
  await page.keyboard.press("Shift+?");
  const keys = await page.getByRole("dialog").innerText();
  for (const word of ["Grid: edit cell", "Grid: show only rows with this value", "Command palette", "Overview"]) {
    stage.check(keys.includes(word), `the sheet does not say ${word}`);
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await page.getByRole("heading", { name: "Functions", level: 1 }).waitFor();
  await page.keyboard.press("c");
  await page.getByRole("dialog").getByRole("heading", { name: "New function" }).waitFor();
  await page.keyboard.press("Escape");
  await stage.idle();
  const titles = await page.locator("header [title], nav [title], main [title]").evaluateAll((all) => all.map((one) => one.title));
  stage.check(titles.some((title) => title.includes("(g f)")), "no chord stands in a tooltip of the navigation");
}

async function views(stage, page, go, shop) {
  await go("triggers", shop.paid);
  await page.getByLabel("Result").selectOption("1");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByLabel("View name").fill("what went well");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Rename view" }).click();
  await page.getByLabel("View name").fill("done");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const names = await page.getByRole("combobox", { name: /^View/ }).locator("option").allTextContents();
  stage.check(names.join() === "all,done", `the views are ${names}`);
  await page.getByRole("button", { name: "Delete view" }).click();
  await page.getByRole("combobox", { name: /^View/ }).waitFor({ state: "detached" });
}

/** In production each deletion waits for the name. */
async function typed(stage, page, go, shop) {
  const asks = async (what) => {
    const button = page.locator("dialog[open] .wa-danger");
    stage.check((await button.count()) === 1 && (await button.isDisabled()), `${what} is deleted without its name`);
    await page.keyboard.press("Escape");
  };
  await go("functions", "quote_shipping");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await asks("a function");
  await page.getByRole("tab", { name: "Variables" }).click();
  await page.getByRole("button", { name: "Delete CARRIER_URL" }).or(page.getByRole("button", { name: /Delete/ }).last()).first().click();
  await asks("a variable");
  await go("triggers", shop.paid);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await asks("a trigger");
  await go("triggers");
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await asks("a chosen trigger");
  await go("tables", shop.plants);
  await page.getByRole("tab", { name: "Name and permissions" }).click();
  await page.getByRole("button", { name: "Delete table" }).click();
  await asks("a table");
  await go("settings");
  await page.getByRole("button", { name: "Delete test" }).click();
  await asks("an environment");
}
