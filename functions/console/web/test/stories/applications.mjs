// An owner makes an application, keeps its secret, resets it, ends its tokens, and has a test environment come and go.
const HOSTILE = '<img src=x onerror="window.hurt=1">';

export async function play(stage) {
  const page = await stage.open();
  await page.goto(stage.url("settings"));

  const name = `Shop ${Date.now()} ${HOSTILE}`;
  await page.getByRole("button", { name: "New application" }).click();
  await page.getByLabel("Name").last().fill(name);
  await page.getByRole("button", { name: "Create" }).click();
  const first = await credentials(stage, page);
  await stage.look("credentials");
  stage.check((await signIn(stage, first)) === 200, "the secret that was shown does not sign in");
  await page.getByRole("button", { name: "I've saved the secret" }).click();
  await page.waitForURL((url) => !url.pathname.includes(String(stage.credentials.miniapp)));
  stage.check((await page.content()).includes(first.client_secret) === false, "the secret is still on the page");

  const home = page.url();
  await page.goto(home + "/settings");
  await environments(stage, page);

  await page.getByRole("button", { name: "Reset secret" }).click();
  await confirm(page, name, "Reset secret");
  const second = await credentials(stage, page);
  await page.getByRole("button", { name: "I've saved the secret" }).click();
  stage.check((await signIn(stage, first)) >= 400, "the old secret still signs in");
  stage.check((await signIn(stage, second)) === 200, "the new secret does not sign in");

  await page.getByRole("button", { name: "Revoke all tokens" }).click();
  await confirm(page, name, "Revoke all tokens");
  await page.getByText("All tokens revoked").waitFor();
  await page.getByRole("link", { name: "Functions", exact: true }).click();
  await page.getByRole("heading", { name: "No functions yet" }).waitFor(); // with a new token

  await page.goto(home + "/settings/audit");
  await page.getByText("revoke-tokens").waitFor();
  await stage.look("audit");
  await page.getByLabel("To", { exact: true }).fill("2020-01-01T00:00");
  await page.getByText("No activity in this period").waitFor();
  await page.goto(home + "/settings");
  await page.setViewportSize({ width: 360, height: 740 });
  await stage.look("narrow");
  stage.check((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, "the page is wider than 360 px");
  stage.check((await page.evaluate(() => window.hurt)) === undefined, "a name was run as HTML");
}

async function environments(stage, page) {
  const named = async (name, button) => {
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("dialog").getByRole("button", { name: button }).click();
    await page.getByRole("link", { name, exact: true }).waitFor();
  };
  await page.getByRole("button", { name: "Add a test environment" }).click();
  await named("staging", "Create");
  await page.getByRole("button", { name: "Edit staging" }).click();
  await named("stage two", "Save");
  await page.getByRole("button", { name: "Delete stage two" }).click();
  stage.check(await page.getByRole("dialog").getByRole("button", { name: "Delete" }).isDisabled(), "it is deleted without its name typed");
  await confirm(page, "stage two", "Delete");
  await page.getByRole("link", { name: "stage two" }).waitFor({ state: "detached" });
}

async function confirm(page, name, button) {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(name);
  await dialog.getByRole("button", { name: button }).click();
}

async function credentials(stage, page) {
  await page.getByText("Copy the secret now").waitFor();
  const shown = await page.getByRole("dialog").locator("code").allTextContents();
  const [client_id, client_secret] = shown;
  stage.check(/^[0-9a-f]{40}$/.test(client_secret), "no secret is shown");
  return { client_id, client_secret };
}

async function signIn(stage, credentials) {
  const response = await fetch(stage.base + "/api/oauth2/service/openapi/authorize/", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(credentials),
  });
  return response.status;
}
