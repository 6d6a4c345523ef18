// How much the first page loads, how soon each page can be used, and how many calls it makes.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const DIST = join(import.meta.dirname, "../../dist");
const FIRST_LOAD = 120 << 10;
const EDITOR = 150 << 10;
const NAME = "story_speed";
const MOST_CALLS = 3;
const CONSOLE_CALLS = /\/console\/api\/(session|token)\//; // once in a visit, not once in a page

export async function play(stage) {
  const page = await stage.open();
  // The page that the sign-in opened still asks: its requests are not those of the next one.
  await page.waitForLoadState("networkidle");
  // Requests that repeat every few seconds are no cost of opening a page; on a busy machine they would be counted.
  await page.addInitScript(() => (window.setInterval = () => 0));
  const pages = ["", "functions", "triggers", "tables", "users", "orders", "trace"];

  for (const name of pages) {
    const calls = [];
    const count = (request) => {
      if (/\/(oserve|userve|hserve|console\/api)\//.test(request.url()) && !CONSOLE_CALLS.test(request.url())) calls.push(request.url());
    };
    page.on("request", count);
    await page.goto(name === "" ? stage.url() : stage.url(name));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    page.off("request", count);

    const { usable, loaded } = await page.evaluate(timing);
    const title = name || "overview";
    stage.notes.push(`${title}: usable after ${usable.toFixed(0)} ms, ${calls.length} calls, ${(gzip(loaded) / 1024).toFixed(1)} KB gzip from nothing`);
    stage.check(calls.length <= MOST_CALLS, `${title} makes ${calls.length} calls: ${calls.join(" ")}`);
    if (name === "functions") {
      stage.check(gzip(loaded) <= FIRST_LOAD, `the first load is ${gzip(loaded)} bytes gzip, more than ${FIRST_LOAD}`);
    }
  }
  await editor(stage, page);
}

/** The size of the editor without the page around it, and of the parts that are loaded for writing, search and comparison. */
async function editor(stage, page) {
  await stage.api("POST", "/oserve/v1.3/cloud-function/", { name: NAME, function_code: "exports.main = async () => 1\n" }).catch(() => {});
  await page.goto(stage.url("functions", NAME) + "?tab=jobs");
  await page.getByRole("tab", { name: "Runs", selected: true }).waitFor();
  await page.waitForLoadState("networkidle");
  const code = page.getByRole("textbox", { name: "Code" });
  const steps = {
    "the editor": async () => (await page.getByRole("tab", { name: "Code" }).click(), await code.waitFor()),
    "writing in it": () => code.click(),
    completion: () => page.keyboard.type("\nconst a", { delay: 20 }),
    finding: () => page.keyboard.press("Control+f"),
  };

  let before = new Set((await page.evaluate(timing)).loaded);
  for (const [what, step] of Object.entries(steps)) {
    await step();
    await page.waitForTimeout(300);
    await page.waitForLoadState("networkidle");
    const { loaded } = await page.evaluate(timing);
    const size = gzip(loaded.filter((file) => !before.has(file)));
    stage.notes.push(`${what}: ${(size / 1024).toFixed(1)} KB gzip more`);
    if (what === "the editor") stage.check(size <= EDITOR, `the editor is ${size} bytes gzip, more than ${EDITOR}`);
    before = new Set(loaded);
  }
  await stage.api("DELETE", `/oserve/v1.3/cloud-function/${NAME}/`);
}

/** In the page: when its last answer was there, and the files it is made of. */
function timing() {
  const entries = performance.getEntriesByType("resource");
  const files = entries.filter((entry) => entry.name.includes("/console/assets/")).map((entry) => new URL(entry.name).pathname);
  return { usable: Math.max(...entries.map((entry) => entry.responseEnd)), loaded: files };
}

/** The size of the files as gzip, as stored beside the program. */
function gzip(paths) {
  return paths
    .map((path) => join(DIST, path.replace("/console/", "")) + ".gz")
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + statSync(file).size, 0);
}
