// Every page, every tab of it and every page of its lists, over an application with many of everything: infra/scenario
// makes one and plays this story, which is not among those of the demo application.
import { coversAll, misfits, settled } from "./gallery.mjs";

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 800 };
const MOST_PAGES = 30; // of a list

export async function play(stage) {
  const page = await stage.open(WIDE);
  stage.expected.add(404); // settings that nobody has set
  let shown = "";
  page.on("response", async (response) => {
    if (response.status() >= 500) stage.errors.push(`${shown}: ${response.status()} of ${response.url()}`);
  });
  page.on("requestfailed", (request) => {
    const { errorText } = request.failure() ?? {};
    if (errorText !== "net::ERR_ABORTED") stage.errors.push(`${shown}: ${errorText} of ${request.url()}`); // aborted by the next page
  });

  const addresses = await known(stage);
  coversAll(stage, addresses);
  const look = async (what) => {
    shown = what;
    await settled(stage, page);
    for (const [size, viewport] of Object.entries({ phone: PHONE, wide: WIDE })) {
      await page.setViewportSize(viewport);
      for (const misfit of await page.evaluate(misfits)) stage.errors.push(`${what}, ${size}: ${misfit}`);
    }
  };

  for (const parts of addresses) {
    const name = "/" + parts.join("/");
    try {
      shown = name;
      await page.goto(stage.url(...parts));
      await settled(stage, page);
      const tabs = await page.getByRole("tab").count();
      for (let tab = 0; tab < Math.max(1, tabs); tab++) {
        if (tabs > 0) await page.getByRole("tab").nth(tab).click();
        const title = tabs > 0 ? `${name} ${await page.getByRole("tab").nth(tab).textContent()}` : name;
        await look(title);
        await wholeList(stage, page, title, look);
      }
    } catch (error) {
      stage.errors.push(`${name}: ${error.message.split("\n").slice(0, 4).join(" ")}`);
    }
  }
}

/** The second page of a list, and the largest; the last rows of a grid. */
async function wholeList(stage, page, title, look) {
  const more = page.locator("p.more button");
  let pages = 1;
  for (; pages < MOST_PAGES && (await more.count()) > 0; pages++) {
    const rows = await page.locator("tbody tr").count();
    await more.first().click();
    await page.waitForFunction((n) => document.querySelectorAll("tbody tr").length > n, rows, { timeout: 60_000 }).catch(() => {
      stage.errors.push(`${title}: page ${pages + 1} has no more rows than ${rows}`);
    });
    await settled(stage, page);
    if (pages === 1) await look(title + ", second page");
  }
  if (pages > 2) await look(title + ", largest page");
  if (pages > 1) stage.notes.push(`${title}: ${await page.locator("tbody tr").count()} rows in ${pages} pages`);

  const grid = page.getByRole("grid");
  if ((await grid.count()) === 0) return;
  for (const where of [0.5, 1]) {
    await grid.evaluate((element, where) => (element.scrollTop = element.scrollHeight * where), where);
    await look(`${title}, rows at ${where * 100} %`);
  }
  stage.notes.push(`${title}: a grid of ${await grid.getAttribute("aria-rowcount")} rows`);
}

/** The address of every page, with what there is of the grown application. */
async function known(stage) {
  const first = async (path) => (await stage.api("GET", path)).objects[0];
  const job = await first("/oserve/v1.3/cloud-function/owned/job/?status=fulfilled&limit=1");
  const { objects: triggers } = await stage.api("GET", "/oserve/v3/trigger/?limit=1000");
  const trigger = String(triggers.find(({ name }) => name === "sources").id);
  const entry = await first(`/oserve/v3/trigger/${trigger}/log/?limit=1`);
  const table = await stage.api("GET", "/oserve/v1.8/table/owned/");
  const user = await first("/userve/v2.2/miniapp/user_profile/?limit=1");
  const { account } = await stage.console("GET", "/console/api/session/");
  return [
    [],
    ["functions"],
    ["functions", "owned"],
    ["functions", "owned", "runs", String(job.job_id ?? job.id)],
    ["triggers"],
    ["triggers", "new"],
    ["triggers", trigger],
    ["triggers", trigger, "edit"],
    ["tables"],
    ["tables", String(table.id)],
    ["users"],
    ["users", String(user.id)],
    ["files"],
    ["orders"],
    ["orders", "paid1"],
    ["trace"],
    ["trace", entry.trace_id],
    ["dead-letters"],
    ["promote"],
    ["settings"],
    ["settings", "clients"],
    ["settings", "logins"],
    ["settings", "accounts"],
    ["settings", "accounts", String(account.id)],
    ["settings", "audit"],
    ["settings", "payments"],
    ["settings", "mail"],
    ["settings", "sms"],
    ["settings", "messages"],
    ["settings", "inbox"],
  ];
}
