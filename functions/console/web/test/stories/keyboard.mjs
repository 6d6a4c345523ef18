// The story of the README, by keyboard alone: an application, a function, a sender, a trigger, a paid order, the email that
// came of it. Wherever a step ends, the focus is on the page and not at its beginning.
import { codeFor, openLink } from "../sender.mjs";

const MOST_TABS = 120;

export async function play(stage) {
  const page = await stage.open();
  const hands = new Hands(stage, page);

  await hands.press("g", "s");
  await page.getByRole("heading", { name: "Settings", level: 1 }).or(page.getByRole("heading", { name: "Application", level: 1 })).first().waitFor();
  await hands.push("New application");
  await hands.type("Name", "By keyboard " + Date.now());
  await hands.push("Create");
  const before = page.url();
  await hands.push("I've saved the secret");
  await page.waitForURL((url) => url.href !== before);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const home = page.url();
  await hands.isSomewhere("a new application");

  await makeFunction(page, hands);
  await setSender(stage, page, hands);
  await makeTrigger(page, hands);
  await tryAndEnable(page, hands);
  await payAndRead(stage, page, hands, home);
}

async function makeFunction(page, hands) {
  await hands.press("g", "f");
  await page.getByRole("heading", { name: "Functions", level: 1 }).waitFor();
  await hands.press("c");
  await hands.type("Name", "greet");
  await hands.push("Create");
  await page.getByRole("heading", { name: "greet", level: 1 }).waitFor();
  await hands.isSomewhere("a new function");
  await page.keyboard.press("Control+`");
  const runner = page.getByRole("region", { name: "Run a function" });
  await runner.waitFor();
  await hands.press("Control+Enter");
  await runner.getByText("done", { exact: true }).waitFor();
  await page.keyboard.press("Control+`");
  await runner.waitFor({ state: "detached" });
  await hands.isSomewhere("the runner was closed");
}

async function setSender(stage, page, hands) {
  await hands.press("g", "s");
  await page.getByRole("link", { name: "Email" }).waitFor();
  await hands.push("Email");
  await hands.type("Sender", "shop@example.com");
  const saved = page.waitForResponse((response) => response.request().method() === "PUT");
  await page.keyboard.press("Enter");
  await saved;
  await hands.isSomewhere("a setting was saved");

  await hands.push("Verify");
  const link = page.getByText("Amazon SES sent a link");
  await page.locator("input[name=code]").or(link).first().waitFor();
  if (await link.isVisible()) {
    await openLink(stage, "shop@example.com");
    await hands.push("Send code");
    await page.locator("input[name=code]").waitFor();
  }
  await hands.type("Code", await codeFor(stage, "shop@example.com"));
  await page.keyboard.press("Enter");
  await page.getByText("confirmed", { exact: true }).waitFor();
}

/** As the README says it: To, Subject and Text, then without enabling. */
async function makeTrigger(page, hands) {
  await hands.press("g", "t");
  await page.getByRole("heading", { name: "Triggers", level: 1 }).waitFor();
  await hands.press("c");
  await hands.type("Name", "thank the buyer");
  await hands.reach(/Row change/);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("radio", { name: /WeChat payment/, checked: true }).waitFor();
  await hands.push("Next");
  await hands.isIn("Only if");
  await hands.push("Next");
  await hands.isIn("Then");
  await hands.push("email");
  await hands.type("To", "owner@example.com");
  await hands.type("Subject", "Paid: {{ trade_no }}");
  await hands.type("Body", "{{ merchandise_description }}");
  await hands.push("Create without enabling");
  await page.getByRole("heading", { name: "thank the buyer", level: 1 }).waitFor();
  await hands.isSomewhere("a new trigger");
}

async function tryAndEnable(page, hands) {
  await hands.push("Dry run");
  await page.getByText("Conditions met").waitFor();
  await hands.isSomewhere("a dry run");
  await hands.push("Enable");
  await page.getByRole("button", { name: "Disable", exact: true }).waitFor();
  await hands.isSomewhere("the trigger was enabled");
}

/** Runs the command that the page of orders shows, and finds the email. */
async function payAndRead(stage, page, hands, home) {
  await hands.press("g", "r");
  const command = await page.locator("code, pre").filter({ hasText: "_local/events" }).first().textContent();
  const body = /--json '(.*)' /.exec(command)[1];
  const headers = { "Content-Type": "application/json" };
  const paid = await fetch(stage.base + "/_local/events", { method: "POST", headers, body });
  stage.check(paid.ok, `the command of the page is answered ${paid.status}`);

  await stage.page.waitForTimeout(1000);
  await page.goto(home + "/settings/inbox");
  await page.getByText("Paid: 4200001").first().waitFor({ timeout: 30_000 });
  await hands.press("j", "Enter");
  await page.getByRole("dialog").getByText("Monstera").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });

  await hands.press("g", "t");
  await page.getByRole("link", { name: "thank the buyer" }).waitFor();
  await hands.push("thank the buyer");
  await page.locator(".badge", { hasText: "succeeded" }).first().waitFor();
  await hands.isSomewhere("a link was followed");
  await hands.press("j", "Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Preview: already_done").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await hands.isSomewhere("a dialog was closed");
}

/** Two hands on a keyboard. */
class Hands {
  constructor(stage, page) {
    Object.assign(this, { stage, page });
  }

  async press(...keys) {
    await this.stage.idle();
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Tabs until what is called so has the focus. */
  async reach(name) {
    await this.stage.idle();
    const seen = [];
    for (let left = MOST_TABS; left > 0; left--) {
      const here = await this.page.evaluate(focused);
      if (typeof name === "string" ? here === name : name.test(here)) return;
      seen.push(here);
      if (await this.page.evaluate(() => document.activeElement.matches(".editor"))) await this.page.keyboard.press("Escape"); // Tab indents
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`no Tab leads to ${name}: ${[...new Set(seen)].join(" | ")}`);
  }

  async push(name) {
    await this.reach(name);
    await this.page.keyboard.press("Enter");
    await this.stage.idle();
  }

  async type(name, text) {
    await this.reach(name);
    await this.page.keyboard.insertText(text);
  }

  async isSomewhere(after) {
    await this.stage.idle();
    const lost = await this.page.evaluate(() => document.activeElement === document.body);
    this.stage.check(!lost, `after ${after} the focus is at the beginning of the page`);
  }

  async isIn(group) {
    await this.stage.idle();
    const here = await this.page.evaluate(() => document.activeElement.closest("[role=group]")?.getAttribute("aria-label"));
    this.stage.check(here === group, `the focus is in ${here}, not in the step ${group}`);
  }
}

/** In the page: what the element with the focus is called. */
function focused() {
  const element = document.activeElement;
  if (!element || element === document.body) return "(the body)";
  const label = element.labels?.[0]?.textContent;
  return (element.getAttribute("aria-label") ?? label ?? element.textContent ?? "").trim() || `<${element.tagName} ${element.className}>`;
}
