// The kit of every story: a signed-in page, checks of its content, and the API to prepare and to check.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const axeSource = readFileSync(join(import.meta.dirname, "../node_modules/axe-core/axe.min.js"), "utf8");

/** The browser context of a story. It collects failures in errors and measurements in notes. */
export class Stage {
  errors = [];
  notes = [];
  #contexts = [];
  #api;
  #asking = 0;

  constructor(world, name) {
    Object.assign(this, world);
    this.name = name;
  }

  /** The address of a page of the demo application: `url("functions", "hello")`. */
  url(...parts) {
    return this.urlIn("production", ...parts);
  }

  urlIn(env, ...parts) {
    return [this.base, "console", this.credentials.miniapp, env, ...parts.map(encodeURIComponent)].join("/");
  }

  /** Opens a page of its own; errors in its console count against the story. */
  async open({ signedIn = true, width = 1280, height = 800, theme = "light", locale = "en-US" } = {}) {
    this.page = await this.#newPage({ viewport: { width, height }, colorScheme: theme, locale });
    if (signedIn) await this.signIn();
    return this.page;
  }

  /** A page in another browser, where somebody else signs in; look and screenshot stay with the first. */
  async another(email, password) {
    const page = await this.#newPage({ locale: "en-US" });
    await this.signIn(email, password, page);
    return page;
  }

  async #newPage(options) {
    const context = await this.browser.newContext({ ...options, reducedMotion: "reduce" });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on("request", () => this.#asking++);
    page.on("requestfinished", () => this.#asking--);
    page.on("requestfailed", () => this.#asking--);
    page.on("pageerror", (error) => this.errors.push("error in the page: " + error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !this.#expected(message)) this.errors.push("console: " + message.text());
    });
    return page;
  }

  /** Statuses that a story asks for on purpose, such as 400 for a form that is sent wrong. */
  expected = new Set();
  /** Further checks in the browser. */
  expectedText = [];

  #expected(message) {
    if (this.expectedText.some((text) => text.test(message.text()))) return true;
    const status = /status of (\d+)/.exec(message.text());
    return status !== null && this.expected.has(Number(status[1]));
  }

  async signIn(email = this.credentials.console_email, password = this.credentials.console_password, page = this.page) {
    this.expected.add(401); // the first question who is signed in
    await page.goto(this.base + "/console/");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation").waitFor();
    this.expected.delete(401);
  }

  /** Looks the page over with axe-core in both themes, which differ in colors only, and keeps a screenshot of each. */
  async look(title) {
    for (const [theme, only] of [["light"], ["dark", ["color-contrast"]]]) {
      await this.page.emulateMedia({ colorScheme: theme });
      await this.screenshot(`${title}-${theme}`);
      await this.axe(`${title} (${theme})`, { only });
    }
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  /** Waits until the pages have asked nothing for a tenth of a second. */
  async idle() {
    for (let calm = 0; calm < 4; ) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      calm = this.#asking === 0 ? calm + 1 : 0;
    }
  }

  /** Fails the story for each finding of axe-core, except for rules that a story checks itself; only: these rules alone. */
  async axe(title, { judged = [], only } = {}) {
    if (await this.page.evaluate(() => globalThis.axe === undefined)) await this.page.evaluate(axeSource);
    const { violations } = await this.page.evaluate((rules) => globalThis.axe.run(rules ? { runOnly: rules } : {}), only);
    for (const { id, help, nodes } of violations.filter(({ id }) => !judged.includes(id))) {
      for (const node of nodes) this.errors.push(`axe, ${title}: ${id}: ${help}: ${node.target.join(" ")} ${node.failureSummary}`);
    }
  }

  async screenshot(title, options) {
    mkdirSync(this.screenshots, { recursive: true });
    await this.page?.screenshot({ path: join(this.screenshots, `${this.name}-${title}.png`), ...options });
  }

  /** Asks the open API as a program of the demo application would, to prepare or to check; throws on an error status. */
  api(...request) {
    this.#api ??= openApi(this.base, this.credentials);
    return this.#api(...request);
  }

  /** Asks the console's own API as the page does, by the session of whoever is signed in. */
  async console(method, path, body) {
    const { status, text } = await this.page.evaluate(
      async ({ method, path, body }) => {
        const session = await (await fetch("/console/api/session/")).json();
        const headers = { "Content-Type": "application/json", "X-CSRF-Token": session.csrf_token };
        const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
        return { status: response.status, text: await response.text() };
      },
      { method, path, body },
    );
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Asks until the answer is as wanted; what is not there yet is asked for again. */
  async until(path, wanted, { tries = 60, pauseMs = 200 } = {}) {
    for (let left = tries; left > 0; left--) {
      const answer = await this.api("GET", path).catch((error) => error);
      if (!(answer instanceof Error) && wanted(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    throw new Error(`${path} did not become as wanted`);
  }

  /** Fails the story when a thing that must hold does not. */
  check(holds, what) {
    if (!holds) this.errors.push(what);
  }

  async end() {
    await Promise.all(this.#contexts.map((context) => context.close()));
  }
}

/** Asks the open API with an application's credentials: `await api("GET", path)`; throws on an error status. */
export function openApi(base, credentials) {
  let token;

  return async (method, path, body, { env } = {}) => {
    token ??= newToken(base, credentials);
    const headers = { Authorization: "Bearer " + (await token), "Content-Type": "application/json" };
    if (env) headers["X-Service-Env-ID"] = env;
    const response = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
}

async function newToken(base, { client_id, client_secret }) {
  const post = async (path, body) => {
    const response = await fetch(base + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const { code } = await post("/api/oauth2/service/openapi/authorize/", { client_id, client_secret });
  const answer = await post("/api/oauth2/access_token/", { client_id, client_secret, code, grant_type: "authorization_code" });
  return answer.access_token;
}
