// An owner adds a viewer, who sees everything and changes nothing, changes their own password, and is signed out and removed.
const HOSTILE = '<img src=x onerror="window.hurt=1">';

export async function play(stage) {
  const page = await stage.open();
  const email = `ada.${Date.now()}@example.com`;
  await page.goto(stage.url("settings", "accounts"));
  await page.getByRole("button", { name: "Add an administrator" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByLabel("Initial password").fill("a first password");
  await dialog.getByLabel("Name").fill("Ada " + HOSTILE);
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByText("None selected: the account has no access to any application.").waitFor(); // what is not chosen is not given
  await dialog.getByLabel("All applications, including future ones").check();
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText(email).waitFor();
  await stage.look("administrators");
  stage.check((await page.evaluate(() => window.hurt)) === undefined, "a name was run as HTML");
  await page.getByRole("row", { name: email }).getByRole("link").click();
  await page.getByText("No active sessions").waitFor();
  const account = page.url();

  const viewer = await stage.another(email, "a first password");
  await seesAndChangesNothing(stage, viewer, email);
  await viewer.getByLabel("Current password").fill("a first password");
  await viewer.getByLabel("New password").fill("a second password");
  await viewer.getByRole("button", { name: "Save" }).click();
  await viewer.getByText("Saved", { exact: true }).waitFor();

  await page.goto(account);
  await page.getByText("Chrome").first().waitFor();
  await takesTheLastAway(stage, page, viewer);
  await stage.look("administrator");
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByText("No active sessions").waitFor();
  stage.expected.add(401);
  await viewer.reload();
  await viewer.getByLabel("Password").waitFor();

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill(email);
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/settings\/accounts$/);
  await page.getByText(stage.credentials.console_email).waitFor();
  stage.check((await page.getByText(email).count()) === 0, "who was removed still stands in the list");
}

/** Without its last application an account has none, not all. */
async function takesTheLastAway(stage, page, viewer) {
  const save = async () => {
    // The answer and not only "Saved", which may still be shown for the write before.
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByRole("group", { name: "Applications" }).locator("xpath=ancestor::form").getByRole("button", { name: "Save" }).click();
    await saved;
    await page.getByText("Saved", { exact: true }).first().waitFor();
  };
  const own = await page.evaluate(async () => (await (await fetch("/console/api/session/")).json()).applications[0].name);
  await page.getByLabel("Selected applications").check();
  await page.getByLabel(own, { exact: true }).check();
  await save();
  await page.getByLabel(own, { exact: true }).uncheck();
  await page.getByText("None selected: the account has no access to any application.").waitFor();
  await stage.look("no-application");
  await save();
  const entered = await viewer.evaluate(async () => (await (await fetch("/console/api/session/")).json()).applications.length);
  stage.check(entered === 0, `without its last application an account enters ${entered}`);
  await page.getByLabel("All applications, including future ones").check();
  await save();
}

async function seesAndChangesNothing(stage, page, email) {
  const disabled = async (path, ...buttons) => {
    await page.goto(stage.url(...path));
    for (const name of buttons) {
      const button = page.getByRole("button", { name }).first();
      await button.waitFor();
      stage.check(await button.isDisabled(), `a viewer may press ${name}`);
    }
  };
  stage.expected.add(404); // a setting that nobody has set
  await disabled(["settings"], "New application", "Reset secret", "Add a test environment");
  await disabled(["settings", "mail"], "Save");
  await disabled(["settings", "payments"], "Save");
  await disabled(["functions"], "New function");
  await page.goto(stage.url("settings", "audit"));
  await page.getByText("Only owners can view the audit log.").waitFor();

  stage.expected.add(403);
  const refused = await page.evaluate(changeThings, stage.credentials.miniapp);
  stage.check(refused.every((status) => status === 403), "a viewer's changes are answered with " + refused.join(", "));

  await page.goto(stage.url("settings", "accounts"));
  await page.getByText("This is your own account.").waitFor();
  await page.getByRole("row", { name: email }).getByRole("link").click();
  await page.getByLabel("Current password").waitFor();
}

/** Runs in the page: asks for changes past all buttons. */
async function changeThings(application) {
  const { csrf_token } = await (await fetch("/console/api/session/")).json();
  const own = (path, method, body) =>
    fetch("/console/api" + path, {
      method,
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf_token },
      body: JSON.stringify(body),
    });
  const { token } = await (await own("/token/", "POST", { application_id: application })).json();
  const open = await fetch("/oserve/v3/mail-setting/", {
    method: "PUT",
    headers: { "Content-Type": "application/json", Authorization: "Console " + token },
    body: '{"sender":"eve@example.com"}',
  });
  const console = await own("/application/", "POST", { name: "Eve's" });
  return [open.status, console.status];
}
