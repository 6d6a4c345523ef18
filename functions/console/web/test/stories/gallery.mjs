// Every page and every dialog of a shop with something in it: in both languages, both themes, on a screen and on a phone.
// axe-core looks at each in both themes; nothing may be wider than a phone, and nothing English stay in a Chinese page.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { openShop } from "../shop.mjs";

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 800 };

const button = (name) => (page) => page.getByRole("button", { name, exact: true }).first().click();
const tab = (name) => (page) => page.getByRole("tab", { name, exact: true }).click();
const key = (keys) => (page) => page.keyboard.press(keys);
/** Texts of an owner, which are not translated. */
const THEIRS = "Paid: |Thank the buyer|A mail, and|Reorder when|Water round|Parcel has left|Tell who packs|a parcel has|as on the label|String of pearls|Mary Anning|App ID|App Secret";

const cell = (n) => (page) => page.getByRole("gridcell").nth(n).click();
const row = (page) => page.getByRole("table").first().getByRole("button").first().click();
const steps = (...all) => async (page) => {
  for (const step of all) await step(page);
};

/** The pages: a name, an address, and the steps before the picture. */
const views = (shop) => [
  ["overview", []],
  ["overview-empty", [], undefined, { env: shop.test }],
  ["palette", [], key("Control+k")],
  ["keys", ["tables", shop.plants], key("Shift+?")],
  ["curl", ["functions"], button("Copy as curl")],

  ["functions", ["functions"]],
  ["functions-empty", ["functions"], undefined, { env: shop.test }],
  ["function-new", ["functions"], button("New function")],
  ["function", ["functions", "quote_shipping"]],
  ["function-runs", ["functions", "quote_shipping"], tab("Runs")],
  ["function-versions", ["functions", "thank_buyer"], tab("Versions")],
  ["function-difference", ["functions", "thank_buyer"], steps(tab("Versions"), button("Compare with current"))],
  ["function-variables", ["functions", "quote_shipping"], tab("Variables")],
  ["function-delete", ["functions", "quote_shipping"], button("Delete")],
  ["runner", ["functions", "quote_shipping"], key("Control+`")],
  ["runner-later", ["functions", "quote_shipping"], steps(key("Control+`"), button("Later…"))],
  ["runner-earlier", ["functions", "quote_shipping"], steps(key("Control+`"), button("Earlier input…"))],
  ["run", ["functions", "thank_buyer", "runs", shop.job]],

  ["triggers", ["triggers"]],
  ["triggers-empty", ["triggers"], undefined, { env: shop.test }],
  ["triggers-chosen", ["triggers"], (page) => page.getByRole("checkbox").nth(1).check()],
  ["triggers-log", ["triggers"], tab("All logs")],
  ["triggers-map", ["triggers"], tab("Trigger map")],
  ["trigger-new", ["triggers", "new"]],
  ["trigger-edit-when", ["triggers", shop.low, "edit"]],
  ["trigger-edit-if", ["triggers", shop.low, "edit"], (page) => page.getByRole("button", { name: /Only if/ }).click()],
  ["trigger-edit-then", ["triggers", shop.hook, "edit"], (page) => page.getByRole("button", { name: /Then/ }).click()],
  ["trigger-timer", ["triggers", shop.round, "edit"]],
  ["trigger", ["triggers", shop.paid]],
  ["trigger-try", ["triggers", shop.low], tab("Try")],
  ["trigger-why", ["triggers", shop.low], tab("Evaluations")],
  ["trigger-keys", ["triggers", shop.hook], tab("Keys")],
  ["trigger-entry", ["triggers", shop.paid], row],
  ["trigger-replay", ["triggers", shop.paid], button("Replay a time range…")],

  ["tables", ["tables"]],
  ["tables-empty", ["tables"], undefined, { env: shop.test }],
  ["table-new", ["tables"], button("New table")],
  ["table", ["tables", shop.plants]],
  ["table-cell", ["tables", shop.plants], cell(9)],
  ["table-import", ["tables", shop.plants], button("Import")],
  ["table-export", ["tables", shop.plants], button("Export")],
  ["table-change-all", ["tables", shop.plants], button("Change all")],
  ["table-conditions", ["tables", shop.plants], steps(button("Conditions"), button("Add condition"))],
  ["table-columns", ["tables", shop.deliveries], tab("Columns")],
  ["table-indexes", ["tables", shop.plants], tab("Indexes")],
  ["table-index-new", ["tables", shop.plants], steps(tab("Indexes"), button("New index"))],
  ["table-settings", ["tables", shop.plants], tab("Name and permissions")],
  ["table-empty", ["tables", shop.empty], undefined, { env: shop.test }],

  ["users", ["users"], undefined, { demo: true }],
  ["users-empty", ["users"], undefined, { env: shop.test }],
  ["user", ["users", shop.buyer]],
  ["user-account", ["users", shop.buyer], tab("Account")],
  ["user-sessions", ["users", shop.buyer], tab("Sessions")],
  ["user-close", ["users", shop.buyer], steps(tab("Sessions"), button("Close account"))],
  ["user-groups", ["users", shop.buyer], tab("Groups")],
  ["user-files", ["users", shop.buyer], tab("Files")],
  ["user-orders", ["users", shop.buyer], tab("Orders")],
  ["user-messages", ["users", shop.buyer], tab("Template messages")],
  ["user-acting", ["users", shop.buyer], button("View as user")],
  ["user-rows", ["users", shop.buyer], steps(button("View as user"), (page) => page.getByRole("link", { name: "plants" }).click())],
  ["groups", ["users"], tab("Groups")],
  ["super-groups", ["users"], tab("Super groups")],
  ["super-group-new", ["users"], steps(tab("Super groups"), button("New super group"))],

  ["files", ["files"]],
  ["files-empty", ["files"], undefined, { env: shop.test }],
  ["files-upload", ["files"], button("Upload files")],
  ["categories", ["files"], tab("Categories")],
  ["category-edit", ["files"], steps(tab("Categories"), button("Edit leaves"))],

  ["orders", ["orders"]],
  ["orders-empty", ["orders"], undefined, { env: shop.test }],
  ["order", ["orders", shop.order]],
  ["order-refund", ["orders", shop.order], (page) => page.getByRole("button", { name: /Refund/ }).first().click()],

  ["dead-letters", ["dead-letters"]],

  ["trace", ["trace"]],
  ["trace-one", ["trace", shop.trace]],

  ["promote", ["promote"]],
  ["promote-item", ["promote"], button("quote_shipping")],
  ["promote-review", ["promote"], steps((page) => page.getByRole("checkbox").first().check(), button("Review 1 item…"))],
  ["promote-history", ["promote"], tab("History")],

  ["settings", ["settings"]],
  ["application-new", ["settings"], button("New application")],
  ["environment-new", ["settings"], button("Add a test environment")],
  ["administrators", ["settings", "accounts"]],
  ["administrator-new", ["settings", "accounts"], button("Add an administrator")],
  ["administrator", ["settings", "accounts", shop.account]],
  ["audit", ["settings", "audit"]],
  ["audit-entry", ["settings", "audit"], row],
  ["payments", ["settings", "payments"]],
  ["mail", ["settings", "mail"]],
  ["sms", ["settings", "sms"], button("Template")],
  ["clients", ["settings", "clients"]],
  ["logins", ["settings", "logins"]],
  ["logins-add", ["settings", "logins"], button("Add an OpenID Connect provider")],
  ["messages", ["settings", "messages"]],
  ["inbox", ["settings", "inbox"]],
  ["inbox-mail", ["settings", "inbox"], (page) => page.getByRole("button", { name: /^Paid: / }).first().click()],

  ["not-found", ["nothing-here"]],
];

export async function play(stage) {
  const page = await stage.open(WIDE);
  const shop = await openShop(stage);
  stage.expected.add(404); // settings that nobody has set
  coversAll(stage, views(shop).map(([, parts]) => parts));
  const only = process.env.VIEWS?.split(",");

  for (const [name, parts, first, { env = "production", demo = false } = {}] of views(shop)) {
    if (only && !only.includes(name)) continue;
    const app = demo ? stage.credentials.miniapp : shop.id;
    await page.goto([stage.base, "console", app, env, ...parts.map(encodeURIComponent)].join("/"));
    try {
      await settled(stage, page);
      await first?.(page);
      await settled(stage, page);
      await photograph(stage, page, name);
    } catch (error) {
      stage.errors.push(`${name}: ${error.message.split("\n").slice(0, 4).join(" ")}`);
    }
  }
}

/** Every address of pages.ts is looked at, those that come later, too. */
export function coversAll(stage, shown) {
  const source = readFileSync(join(import.meta.dirname, "../../src/page/pages.ts"), "utf8");
  for (const [, path] of source.matchAll(/path: "([^"]*)"/g)) {
    const pattern = new RegExp("^" + path.replace(/:\w+/g, "[^/]+") + "$");
    stage.check(shown.some((parts) => pattern.test(parts.map((part) => "/" + part).join(""))), `nothing shows ${path}`);
  }
}

/** When all that a page asks for is there. A button may wait for the answer to a question of its own. */
export async function settled(stage, page) {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await stage.idle();
  await page.locator(".spinner, [aria-busy=true]:not(button)").first().waitFor({ state: "detached" });
}

async function photograph(stage, page, name) {
  for (const language of ["en", "zh"]) {
    if (language === "zh") await otherLanguage(page);
    for (const [size, viewport] of [["wide", WIDE], ["phone", PHONE]]) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await stage.screenshot(`${name}-${language}-${size}-${colorScheme}`, { fullPage: true });
        if (language === "en" && size === "wide") await stage.axe(`${name}, ${size}, ${colorScheme}`);
      }
      for (const what of await page.evaluate(misfits)) stage.errors.push(`${name}, ${language}, ${size}: ${what}`);
      await page.emulateMedia({ colorScheme: "light" });
    }
    await page.setViewportSize(WIDE);
  }
  if (["function-delete", "user-close"].includes(name)) return otherLanguage(page); // what is asked was said in the language of before
  for (const text of await page.evaluate(english, THEIRS)) stage.errors.push(`${name} stays English: ${text}`);
  await otherLanguage(page);
}

/** By script, for a dialog may stand before the button. */
const otherLanguage = (page) => page.evaluate(() => document.querySelector(".preferences button:last-child").click());

/**
 * In the page: what is wider than its window, and buttons whose text takes two lines. A difference between environments
 * is said in full, with the name of one, and may take two.
 */
export function misfits() {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const box of document.querySelectorAll("dialog[open], .runner")) {
    if (box.scrollWidth > box.clientWidth) found.push(`the ${box.localName} is wider than itself`);
  }
  for (const element of document.querySelectorAll("button:not(:has(*:not(svg))), [role=tab], .badge:not(.differences *), th")) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const lines = new Set([...range.getClientRects()].filter((r) => r.width > 2).map((r) => Math.round(r.bottom / 12)));
    if (element.checkVisibility() && lines.size > 1 && range.getBoundingClientRect().height > 30) found.push(`"${element.textContent.slice(0, 60)}" takes two lines`);
  }
  return found;
}

/** In the Chinese page: texts of two English words and more that are neither code nor what somebody wrote. */
function english(written) {
  // Other stories create and rename applications meanwhile: the select of the page has the names that this page shows.
  const applications = Array.from(document.querySelectorAll(".place-picker select:first-child option"), (option) => option.text);
  const own = (text) => new RegExp(written).test(text) || applications.some((name) => text.startsWith(name));
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const theirs = "code, pre, kbd, td, dd, option, [role=gridcell], .editor, .theirs, [lang]:not(html), script, style";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    if (own(text) || !/[A-Za-z]{2,} [A-Za-z]{2,}/.test(text) || /[\u4e00-\u9fff]/.test(text)) continue;
    if (!node.parentElement.closest(theirs) && node.parentElement.checkVisibility()) found.add(text.slice(0, 80));
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    for (const name of ["aria-label", "title", "placeholder"]) {
      const text = element.getAttribute(name) ?? "";
      if (own(text)) continue;
      if (/[A-Za-z]{2,} [A-Za-z]{2,}/.test(text) && !/[\u4e00-\u9fff]/.test(text) && !element.closest(theirs)) found.add(`${name} ${text.slice(0, 80)}`);
    }
  }
  return [...found];
}
