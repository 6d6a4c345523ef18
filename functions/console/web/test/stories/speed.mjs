// How much the first page loads, how soon each page can be used, and how many calls it makes.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const DIST = join(import.meta.dirname, "../../dist");
const FIRST_LOAD = 120 << 10;
const MOST_CALLS = 3;
const CONSOLE_CALLS = /\/console\/api\/(session|token)\//; // once in a visit, not once in a page

export async function play(stage) {
  const page = await stage.open();
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
}

/** In the page: when its last answer was there, and the files it is made of. */
function timing() {
  const entries = performance.getEntriesByType("resource");
  const files = entries.filter((entry) => entry.name.includes("/console/assets/")).map((entry) => new URL(entry.name).pathname);
  return { usable: Math.max(...entries.map((entry) => entry.responseEnd)), loaded: files };
}

/** What the files take as gzip, as they lie beside the program. */
function gzip(paths) {
  return paths
    .map((path) => join(DIST, path.replace("/console/", "")) + ".gz")
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + statSync(file).size, 0);
}
