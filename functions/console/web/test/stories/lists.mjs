// Lists are sorted by their heads and say the date; a run shows what went in and came out; rows and users have a field for
// each column; the audit log names what was changed.
import { openShop } from "../shop.mjs";

export async function play(stage) {
  const page = await stage.open();
  const shop = await openShop(stage, "Lists " + Date.now());
  const go = (...parts) => page.goto([stage.base, "console", shop.id, "production", ...parts.map(encodeURIComponent)].join("/"));

  await sorted(stage, page, go);
  await ran(stage, page, go, shop);
  await row(stage, page, go, shop);
  await user(stage, page);
  await audited(stage, page, go, shop);
}

async function sorted(stage, page, go) {
  await go("functions");
  const names = () => page.locator(".list tbody tr td:first-child").allTextContents();
  const head = page.getByRole("columnheader", { name: "Name" });
  const button = head.getByRole("button");
  await button.waitFor();
  const before = await names();
  await button.click();
  stage.check((await names()).join() === before.toSorted().join(), `sorted by name: ${await names()}`);
  stage.check((await head.getAttribute("aria-sort")) === "ascending", "the head does not say that it sorts");
  await button.click();
  stage.check((await names()).join() === before.toSorted().toReversed().join(), `sorted downwards: ${await names()}`);
  await button.click();
  stage.check((await names()).join() === before.join(), `as they came: ${await names()}`);
  stage.check(/ago|now/.test(await page.locator("time").first().textContent()), "no distance from now");
  stage.check(/\b20\d\d\b.*:\d\d/.test(await page.locator("time small").first().textContent()), "no date beside the distance");
  await stage.look("functions");
}

async function ran(stage, page, go, shop) {
  await shop.api("POST", "/oserve/v1.3/cloud-function/quote_shipping/job/", { data: { weight: 4, city: "beijing" } });
  await go("functions", "quote_shipping");
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.locator(".list tbody tr a").first().click();
  await page.getByRole("region", { name: "Input" }).getByText('"city": "beijing"').waitFor();
  await page.getByRole("region", { name: "Result" }).getByText('"price": 22').waitFor();
  await stage.look("run");
}

/** A field for each column; what is changed there is staged in the grid. */
async function row(stage, page, go, shop) {
  await go("tables", shop.plants);
  await page.getByRole("gridcell", { name: "Calathea" }).first().click();
  await page.getByRole("button", { name: "View row" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("stock").fill("77");
  await dialog.getByLabel("pets_safe").selectOption("true");
  await dialog.getByLabel("arrived").fill("2026-10-01T08:30:00");
  await dialog.getByLabel("light").fill('["dark"]');
  await stage.look("row");
  await dialog.getByRole("button", { name: "Apply to the grid" }).click();
  await page.getByRole("gridcell", { name: "77", exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Review 1 change" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 row saved").waitFor();
  const { objects } = await shop.api("POST", `/oserve/v2.4/table/${shop.plants}/record/query/`, { where: { stock: 77 } });
  const [one] = objects;
  stage.check(objects.length === 1 && one.pets_safe === true && one.light.join() === "dark", `the row is ${JSON.stringify(objects)}`);
  stage.check(new Date(one?.arrived).getTime() === new Date("2026-10-01T08:30:00").getTime(), `it arrived ${one?.arrived}`);
  await page.keyboard.press("Escape");
}

/** In the demo application, which has users. */
async function user(stage, page) {
  const { id, schema } = await stage.api("GET", "/oserve/v1.8/table/_userprofile/");
  const own = schema.fields.filter((column) => !column.built_in);
  const [level, vip] = ["level" + Date.now(), "vip" + Date.now()];
  const fields = [...own, { name: level, type: "integer" }, { name: vip, type: "boolean" }];
  await stage.api("PUT", `/oserve/v1.8/table/${id}/`, { schema: { fields } });
  await page.goto(stage.url("users"));
  await page.locator(".list tbody tr a").first().click();
  await page.getByLabel(level).fill("x");
  stage.expected.add(400);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  stage.expected.delete(400);
  await page.getByLabel(level).fill("3");
  await page.getByLabel(vip).selectOption("true");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByText(`"${level}": 3`).waitFor();
  await stage.look("user");
  await stage.api("PUT", `/oserve/v1.8/table/${id}/`, { schema: { fields: own } });
}

async function audited(stage, page, go, shop) {
  await go("triggers", shop.low);
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByRole("button", { name: "Enable", exact: true }).waitFor();
  await go("settings", "audit");
  await page.getByRole("row", { name: /Trigger Reorder when few are left/ }).first().waitFor();
  await stage.look("audit");
}
