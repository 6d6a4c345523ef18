// An environment with nothing in it teaches the first steps; one with failures says what failed, and leads to it.
const NAME = "failing-" + Date.now();
const MESSAGE = `<img src=x onerror="document.title='pwned'"> 🌱`;
const TIMES = 4;

export async function play(stage) {
  await fail(stage);
  const page = await stage.open();
  await firstSteps(stage, page);

  await page.goto(stage.url());
  const insight = page.getByRole("listitem").filter({ hasText: NAME });
  await insight.getByText(`${TIMES} of ${TIMES} runs`).waitFor();
  stage.check((await page.locator("main img").count()) === 0, "an error became an image");
  stage.check(await fits(page), "the page is wider than its window");
  await stage.look("overview");

  await page.setViewportSize({ width: 360, height: 800 });
  stage.check(await fits(page), "the page is wider than a phone");
  await stage.screenshot("phone");
  await page.setViewportSize({ width: 1440, height: 900 });
  await stage.screenshot("wide");

  const row = page.getByRole("region", { name: "Active functions" }).getByRole("row").filter({ hasText: NAME });
  await row.getByRole("link", { name: `execution_failed ${TIMES}` }).click();
  await page.getByRole("tab", { name: "Runs", selected: true }).waitFor();
  await page.getByRole("cell", { name: "execution_failed" }).first().waitFor();
  stage.check(page.url().includes("status=execution_failed"), "the number does not lead to the failed runs: " + page.url());
  await saveView(stage, page);

  await page.goBack();
  await insight.getByRole("link").click();
  await page.getByRole("cell", { name: "execution_failed" }).first().waitFor();
  await numbersLead(stage, page);
  await palette(stage, page);
}

/** A function that fails, run some times by a program. */
async function fail(stage) {
  const code = `exports.main = async () => { throw new Error(${JSON.stringify(MESSAGE)}) }`;
  await stage.api("POST", "/oserve/v1.3/cloud-function/", { name: NAME, function_code: code });
  for (let i = 0; i < TIMES; i++) await stage.api("POST", `/oserve/v1.3/cloud-function/${NAME}/job/`, { data: {}, sync: true });
}

/** The test environment is empty: each step has its button and its command, and the steps go when somebody knows them. */
async function firstSteps(stage, page) {
  await page.goto(stage.urlIn(stage.credentials.environments.test));
  const steps = page.getByRole("region", { name: "Get started" });
  await steps.getByRole("heading", { name: "Call the trigger" }).waitFor();
  await steps.getByText("curl").first().waitFor();
  await stage.look("first-steps");
  await steps.getByRole("button", { name: "Create" }).first().click();
  await page.getByRole("heading", { name: "Functions", level: 1 }).waitFor();
}

/** Filters are kept under a name, and come back by it. */
async function saveView(stage, page) {
  const view = page.getByRole("combobox", { name: /^View/ });
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByLabel("View name").fill("what failed");
  await page.getByRole("button", { name: "Save", exact: true }).last().click();
  await view.selectOption("all");
  await page.waitForURL((url) => !url.search.includes("status"));
  await view.selectOption("what failed");
  await page.waitForURL((url) => url.search.includes("status=execution_failed"));
}

/** Every number of the first row leads somewhere that shows it. */
async function numbersLead(stage, page) {
  await page.goto(stage.url());
  await page.getByRole("region", { name: "Failed actions" }).getByRole("link").click();
  await page.getByRole("tab", { name: "All logs", selected: true }).waitFor();
  stage.check(page.url().includes("success=0"), "given-up actions do not lead to those that failed");
}

/** The palette finds a function and a user by name, and asks no more than three times when it opens. */
async function palette(stage, page) {
  await stage.idle();
  const asked = [];
  page.on("request", (request) => /\/(oserve|userve)\//.test(request.url()) && asked.push(request.url()));
  const box = page.getByRole("combobox", { name: "Search or run a command…" });
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: `Function ${NAME}` }).waitFor();
  stage.check(asked.length <= 3, `the palette asks ${asked.length} times: ${asked.join(" ")}`);
  await box.fill("ada");
  await page.getByRole("option", { name: /^User Ada/ }).waitFor();
  await stage.look("palette");
  await box.fill(NAME.slice(0, -2));
  await page.getByRole("option", { name: `Function ${NAME}` }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: NAME, level: 1 }).waitFor();
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
