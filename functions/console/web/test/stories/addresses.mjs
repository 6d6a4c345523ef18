// Every address leads somewhere: to what it names, or to a page that says that there is none; and what is shown there is
// whole on a narrow screen, too.
import { openShop } from "../shop.mjs";

const SLASHED = "2026/11 a%b";

export async function play(stage) {
  const page = await stage.open();
  const shop = await openShop(stage, "Addresses " + Date.now());
  const home = `${stage.base}/console/${shop.id}`;
  const go = (...parts) => page.goto([home, "production", ...parts.map(encodeURIComponent)].join("/"));

  await nowhere(stage, page, go);
  await application(stage, page, home, shop);
  await tabs(stage, page, go, shop);
  await calls(stage, page, go);
  await order(stage, page, go, shop);
  await numbers(stage, page, go, shop);
  await narrow(stage, page, home, shop);
}

async function nowhere(stage, page, go) {
  for (const parts of [["triggers", "abc"], ["triggers", "abc", "edit"], ["users", "abc"], ["users", "0"], ["functions", "f", "runs", "x"], ["settings", "accounts", "me"]]) {
    await go(...parts);
    await page.getByRole("heading", { name: "Page not found" }).waitFor().catch(() => stage.errors.push(`${parts.join("/")} says something else`));
  }
  await page.goto(stage.base + "/console/1");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
}

/** An application without an environment leads to its overview, of the one that was looked at last. */
async function application(stage, page, home, shop) {
  await page.goto(home);
  await page.waitForURL(home + "/production");
  await page.goto(`${home}/${shop.test}/functions`);
  await page.getByRole("heading", { name: "Functions", level: 1 }).waitFor();
  await page.goto(home);
  await page.waitForURL(`${home}/${shop.test}`);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
}

async function tabs(stage, page, go, shop) {
  await go("triggers", shop.low);
  const tab = page.getByRole("tab", { name: "Try", exact: true });
  for (const time of ["once", "twice", "three times"]) {
    await tab.click();
    stage.check((await tab.getAttribute("aria-selected")) === "true", `the tab chosen ${time} is not the one shown`);
  }
}

/** A list is there after three calls: who is signed in, a token, the list with all it shows. */
async function calls(stage, page, go) {
  const asked = [];
  const note = (request) => /\/(oserve|userve|hserve|console\/api)\//.test(request.url()) && asked.push(request.url());
  page.on("request", note);
  await go("triggers");
  const row = page.getByRole("row", { name: /Reorder when few are left/ });
  await row.getByText("Row of plants is changed").waitFor();
  await row.getByText("succeeded").waitFor();
  await stage.idle();
  page.off("request", note);
  stage.check(asked.length <= 3, `the triggers take ${asked.length} calls: ${asked.join(" ")}`);
  await stage.look("triggers");
}

/** The number of an order can have anything in it. */
async function order(stage, page, go, shop) {
  const detail = {
    miniapp: shop.id, gateway_type: "chatpay", status: "success", transaction_no: SLASHED, trade_no: "4200/7", total_cost: 12,
    merchandise_description: "Aloe",
  };
  const headers = { "Content-Type": "application/json" };
  await fetch(stage.base + "/_local/events", { method: "POST", headers, body: JSON.stringify({ "detail-type": "payment", detail }) });
  await stage.until("/oserve/v3/trigger/", () => true);
  await go("orders");
  for (let left = 30; left > 0 && (await page.getByRole("link", { name: SLASHED }).count()) === 0; left--) {
    await page.waitForTimeout(200);
    await page.reload();
    await stage.idle();
  }
  await page.getByRole("link", { name: SLASHED }).click();
  await page.getByText("Aloe", { exact: true }).waitFor();
  await page.getByRole("heading", { name: SLASHED, level: 1 }).waitFor();
  await page.getByText("12.00 of 12.00 can still be refunded.").or(page.getByText("No refunds")).waitFor();
  await page.getByRole("heading", { name: "Triggered actions" }).waitFor();
}

/** Amounts stand under each other, and a number that is exact is shown so. */
async function numbers(stage, page, go, shop) {
  await page.route("**/record/query/", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    if (answer.meta?.total_count) answer.meta.total_count = 123_456;
    await route.fulfill({ response, json: answer });
  });
  await go("tables", shop.plants);
  await page.getByText("123,456 rows").waitFor();
  await page.unroute("**/record/query/");

  const align = (name) => page.getByRole("columnheader", { name }).evaluate((head) => {
    const cell = document.querySelector(`[role=gridcell][aria-colindex="${head.getAttribute("aria-colindex")}"]`);
    return getComputedStyle(head).textAlign + " " + getComputedStyle(cell).textAlign;
  });
  stage.check((await align(/^price/)) === "end end", `prices stand ${await align(/^price/)}`);
  stage.check((await align(/^species/)) === "start start", `names stand ${await align(/^species/)}`);
}

async function narrow(stage, page, home, shop) {
  for (const width of [768, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${home}/production/promote?from=${shop.test}&to=production`);
    const badge = page.getByText("only in production").first();
    await badge.waitFor();
    const cut = await badge.evaluate((element) => element.scrollWidth > element.clientWidth + 1);
    stage.check(!cut, `at ${width} pixels the badge of what production alone has is cut`);
    stage.check(await page.getByRole("link", { name: "Your account" }).isVisible(), `at ${width} pixels nothing leads to the account`);
    for (const name of ["Application", "Environment"]) {
      const box = await page.getByRole("combobox", { name, exact: true }).boundingBox();
      stage.check(box.width >= 150, `at ${width} pixels the list of ${name} is ${box.width} wide`);
    }
    stage.check((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `the page is wider than ${width}`);
    await stage.look("promote-" + width);
  }
}
