// The four pictures of the README, made anew by `make pictures`: what happened, why something did not, all that came of a
// call, and a function with its runner.
import { statSync } from "node:fs";
import { join } from "node:path";

import { openShop } from "../shop.mjs";

const SIZE = { width: 1200, height: 800 };
const MOST_BYTES = 150 << 10;

export async function play(stage) {
  const page = await stage.open(SIZE);
  const shop = await openShop(stage);
  const go = async (...parts) => {
    await page.goto([stage.base, "console", shop.id, "production", ...parts.map(encodeURIComponent)].join("/"));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await stage.idle();
  };

  await go("functions", "quote_shipping");
  await page.getByRole("textbox", { name: "Code" }).waitFor();
  await runIt(stage, page);
  await take(stage, page, "editor");

  await go("triggers", shop.low);
  await page.getByRole("tab", { name: "Evaluations" }).click();
  await page.locator("section").getByText("Conditions not met").first().waitFor();
  await take(stage, page, "why");

  await go("trace", shop.trace);
  await page.getByRole("button", { name: "job thank_buyer" }).click();
  await page.getByText(/: pack .* until/).waitFor();
  await take(stage, page, "trace");

  await go();
  await page.getByRole("region", { name: "Active functions" }).getByRole("row").nth(3).waitFor();
  await take(stage, page, "overview");
}

/** The runner on half of the page, with what the function gave. */
async function runIt(stage, page) {
  await page.keyboard.press("Control+`");
  const runner = page.getByRole("region", { name: "Run a function" });
  await runner.getByRole("textbox", { name: "Input (JSON)" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText('{\n  "weight": 3.2,\n  "city": "chengdu"\n}');
  await runner.getByRole("button", { name: "Run", exact: true }).click();
  await runner.getByText("done", { exact: true }).waitFor();
}

async function take(stage, page, title) {
  await stage.idle();
  await page.mouse.move(0, 0);
  await stage.screenshot(title);
  const bytes = statSync(join(stage.screenshots, `${stage.name}-${title}.png`)).size;
  stage.check(bytes <= MOST_BYTES, `the picture ${title} has ${bytes} bytes`);
}
