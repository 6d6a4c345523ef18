// Payments that nobody can work on are given up: they are seen, sent again, come back with how often, and are deleted.
const HOSTILE = `<img src=x onerror="document.title='pwned'"> 🌱 \u202Eلا ` + "long ".repeat(60);

export async function play(stage) {
  for (const trade_no of ["lost-1", "lost-2", HOSTILE]) await refusedPayment(stage, trade_no);
  const page = await stage.open({ height: 1000 });
  await page.goto(stage.url());
  await page.getByRole("region", { name: "Dead letters" }).getByRole("link", { name: "Events: 3" }).click();
  await page.getByRole("row", { name: /lost-1/ }).waitFor();
  await stage.look("list");

  stage.check(!(await page.title()).includes("pwned"), "a number was run as markup");
  stage.check((await page.locator("main img").count()) === 0, "a number became an image");
  stage.check(await fits(page), "the page is wider than its window");
  await page.setViewportSize({ width: 360, height: 800 });
  stage.check(await fits(page), "the page is wider than a phone");
  await stage.screenshot("phone");
  await page.setViewportSize({ width: 1280, height: 1000 });

  await page.getByRole("row", { name: /lost-1/ }).getByRole("button").click();
  await page.getByRole("dialog").getByText('"reason": "env is not an environment').waitFor();
  await stage.look("letter");
  await page.getByRole("dialog").getByRole("button", { name: "Redrive" }).click();
  await page.getByText("1 redriven").first().waitFor();
  await untilShown(page, /lost-1.*redriven 1 time/);

  await page.getByRole("row", { name: /lost-1/ }).getByRole("checkbox").check();
  await page.getByRole("row", { name: /lost-2/ }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Delete selected…" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("event");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("2 deleted").waitFor();
  await page.getByRole("button", { name: "Delete all…" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("event");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No dead letters").waitFor();
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Puts a payment of an environment that does not exist on the bus. */
async function refusedPayment(stage, trade_no) {
  const detail = { miniapp: stage.credentials.miniapp, env: "00112233445566778899", gateway_type: "chatpay", trade_no, total_cost: 1 };
  await fetch(stage.base + "/_local/events", { method: "POST", body: JSON.stringify({ "detail-type": "payment", detail }) });
}

/** Reloads until a row says so: what is refused again takes a moment. */
async function untilShown(page, words) {
  for (let left = 40; left > 0; left--) {
    if ((await page.getByRole("row", { name: words }).count()) > 0) return;
    await page.getByRole("button", { name: "Reload" }).click();
    await page.waitForTimeout(150);
  }
  throw new Error(`no row says ${words}`);
}
