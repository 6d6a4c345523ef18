// Every command that the page hands out runs in a shell: those of "copy as curl", those that get a token, and those by
// which an empty page teaches how to make the first thing.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { openShop } from "../shop.mjs";

const run = promisify(execFile);

export async function play(stage) {
  const page = await stage.open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const shop = await openShop(stage, "Curl " + Date.now());
  const go = async (env, ...parts) => {
    await page.goto([stage.base, "console", shop.id, env, ...parts.map(encodeURIComponent)].join("/"));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await stage.idle();
  };

  const env = { ...process.env, CLIENT_ID: shop.credentials.client_id, TOKEN: await newToken(stage, page, shop, go) };
  const pages = [
    ["functions"], ["functions", "thank_buyer"], ["functions", "thank_buyer", "runs", shop.job], ["triggers"], ["triggers", shop.paid], ["tables"],
    ["tables", shop.plants], ["users"], ["orders"], ["orders", shop.order], ["trace"], ["trace", shop.trace], ["settings", "mail"],
  ];
  for (const parts of pages) {
    await go("production", ...parts);
    const commands = await copied(page);
    stage.check(commands.length > 0, `nothing to copy at ${parts.join("/")}`);
    for (const command of commands) await works(stage, env, command);
  }

  for (const parts of [["functions"], ["triggers"], ["tables", shop.empty]]) {
    await go(shop.test, ...parts);
    await works(stage, env, await page.locator(".empty code").textContent());
  }
  await madeUpOrder(stage, page, env);
  const made = await shop.api("GET", "/oserve/v1.3/cloud-function/greet/", undefined, { env: shop.test });
  stage.check(made.name === "greet", "the command of the empty page made its function elsewhere");
}

/** On a laptop an application without orders says how to make one up. */
async function madeUpOrder(stage, page, env) {
  const { id } = await stage.console("POST", "/console/api/application/", { name: "Curl, no orders " + Date.now() });
  await page.goto(`${stage.base}/console/${id}/production/orders`);
  await works(stage, env, await page.locator(".empty code").textContent());
  for (let tries = 0; tries < 20 && (await page.getByRole("link", { name: "order-1" }).count()) === 0; tries++) {
    await page.reload();
    await stage.idle();
  }
  await page.getByRole("link", { name: "order-1" }).waitFor();
}

/** The page's own two commands turn the credentials into a token. */
async function newToken(stage, page, shop, go) {
  await go("production", "functions");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByRole("button", { name: "Copy the commands for $TOKEN" }).click();
  const commands = await clipboard(page);
  const env = { ...process.env, CLIENT_ID: shop.credentials.client_id, CLIENT_SECRET: shop.credentials.client_secret };
  const { stdout } = await run("sh", ["-c", commands + "\nprintf %s \"$TOKEN\""], { env });
  stage.check(/^[\w.-]{20,}$/.test(stdout), `the commands for a token gave ${stdout}`);
  return stdout;
}

async function copied(page) {
  await page.getByRole("button", { name: "Copy as curl" }).click();
  const commands = [];
  for (const button of await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).all()) {
    await button.click();
    commands.push(await clipboard(page));
  }
  await page.keyboard.press("Escape");
  return commands;
}

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

async function works(stage, env, command) {
  const { stdout } = await run("sh", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`], { env });
  stage.check(/^20[0-9]$/.test(stdout) || (stdout === "404" && command.includes("-setting/")), `${stdout}: ${command}`);
}
