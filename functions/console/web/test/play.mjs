// Plays every story of stories/ but grown (or those named as arguments) in Chromium against BASE_URL, two at a time,
// and prints a line of JSON for each. See kit.mjs for what a story gets.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { chromium } from "playwright-core";

import { Stage } from "./kit.mjs";

const AT_ONCE = 2;
const folder = join(import.meta.dirname, "stories");
const wanted = process.argv.slice(2);
const stories = readdirSync(folder)
  .map((file) => basename(file, ".mjs"))
  .filter((name) => (wanted.length === 0 ? name !== "grown" : wanted.includes(name))) // it needs an application of its own
  .sort();

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
const world = {
  browser,
  base: process.env.BASE_URL ?? "http://127.0.0.1:8080",
  credentials: JSON.parse(readFileSync(process.env.CREDENTIALS ?? ".local/credentials.json", "utf8")),
  screenshots: process.env.SCREENSHOTS ?? ".local/screenshots",
};

async function play(name) {
  const start = Date.now();
  const stage = new Stage(world, name);
  try {
    const story = await import(join(folder, name + ".mjs"));
    await story.play(stage);
  } catch (error) {
    stage.errors.push(String(error?.stack ?? error));
    await stage.screenshot("failed").catch(() => {});
  }
  await stage.end();
  console.log(JSON.stringify({ story: name, ms: Date.now() - start, errors: stage.errors, notes: stage.notes }));
}

async function worker() {
  for (let name = stories.shift(); name; name = stories.shift()) await play(name);
}

await Promise.all(Array.from({ length: AT_ONCE }, worker));
await browser.close();
