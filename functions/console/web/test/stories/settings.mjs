// An owner sets up mail, SMS, payments and template messages in the test environment; a secret is taken and not shown.
import { confirmSender } from "../sender.mjs";

const HOSTILE = '<img src=x onerror="window.hurt=1">';
const SECRET = "do-not-show-me-again-0123456789";

export async function play(stage) {
  const page = await stage.open();
  const sender = `shop.${Date.now()}@example.com`; // another one each time: what is the same is not sent
  const env = stage.credentials.environments.test;
  const go = (...parts) => page.goto(stage.urlIn(env, "settings", ...parts));
  const saved = async () => {
    const answered = page.waitForResponse((response) => response.request().method() === "PUT");
    await page.getByRole("button", { name: "Save" }).first().click();
    stage.check((await answered).ok(), `${(await answered).url()} answers ${(await answered).status()}`);
  };

  await go("mail");
  await page.getByLabel("Sender").fill(sender);
  await saved();
  await confirmSender(stage, (method, path, body) => stage.api(method, path, body, { env }), sender);
  await sendMail(stage, env);

  stage.expected.add(404); // a setting that nobody has set
  await go("payments");
  await page.getByLabel("App id").fill("wx0123456789abcdef");
  await page.getByLabel("Merchant key", { exact: true }).fill(SECRET);
  await saved();
  await page.getByText("Leave empty to keep the current value.").waitFor();
  await stage.look("payments");
  await page.reload();
  await page.getByLabel("Remove Merchant key").waitFor();
  stage.check((await page.getByLabel("App id").inputValue()) === "wx0123456789abcdef", "the app id was not saved");
  stage.check(!(await page.content()).includes(SECRET), "a secret is shown");
  await page.getByLabel("Remove Merchant key").check();
  await saved();
  await page.getByLabel("Remove Merchant key").waitFor({ state: "detached" });
  stage.expected.add(400);
  await page.getByLabel("API base URL").fill("vendor.example.com");
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.getByText("base_url must begin with https://").waitFor();

  await go("sms");
  await page.getByRole("button", { name: "Template" }).click();
  await page.getByLabel("Template 1: Name").fill("code" + Date.now());
  await page.getByLabel("Template 1: Text").fill("your code is {{ code }}");
  await page.getByLabel("Template 1: Status").selectOption("approved");
  await saved();
  await stage.look("sms");
  await page.getByRole("button", { name: "Delete Template 1" }).click();
  await saved();

  await go("messages");
  await page.getByLabel("App secret", { exact: true }).fill(SECRET);
  await saved();
  await stage.look("messages");

  await receiveHook(stage);
  await go("inbox");
  await inbox(stage, page, sender);
  await inboxOfHooks(stage, page);
  stage.check((await page.evaluate(() => window.hurt)) === undefined, "a mail was run as HTML");
}

/** Has a trigger send a mail that means harm. */
async function sendMail(stage, env) {
  const body = `<p>Paid ${HOSTILE} <script>window.hurt=1</script></p>`;
  const settings = { to: ["ada@example.com"], subject: "Paid " + HOSTILE, body, format: "html" };
  const draft = { name: "settings story " + Date.now(), type: "incoming_webhook", condition: {}, actions: [{ type: "email", settings }] };
  const trigger = await stage.api("POST", "/oserve/v3/trigger/", draft, { env });
  await stage.api("POST", `/oserve/v3/trigger/${trigger.id}/fire/`, { event: {} }, { env });
}

const hook = {};

/** Has a trigger call a webhook in the inbox of this machine, where its programs may. */
async function receiveHook(stage) {
  hook.url = await stage.page.evaluate(() => fetch("/console/api/session/").then((answer) => answer.json())).then((session) => session.features.hook_url);
  if (hook.url === "") return;
  const settings = { url: hook.url + "story" };
  const draft = { name: "hook story " + Date.now(), type: "incoming_webhook", condition: {}, actions: [{ type: "webhook", settings }] };
  const trigger = await stage.api("POST", "/oserve/v3/trigger/", draft);
  hook.key = trigger.actions[0].settings.key;
  await fetch(trigger.hook_url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: HOSTILE }) });
}

/** Looks at what came, and checks its signature. */
async function inboxOfHooks(stage, page) {
  if (hook.url === "") return;
  await page.keyboard.press("Escape");
  await page.getByLabel("Text contains").fill("hook/story");
  await page.getByLabel("Text contains").press("Enter");
  await page.getByRole("button", { name: /POST .*story/ }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("on_incoming_webhook").first().waitFor();
  await dialog.getByLabel("Signing key of the action").fill("x".repeat(32));
  await dialog.getByText("signature doesn't match this key").waitFor();
  await dialog.getByLabel("Signing key of the action").fill(hook.key);
  await dialog.getByText("signature valid").waitFor();
  await stage.look("hook");
}

async function inbox(stage, page, sender) {
  await page.getByLabel("Text contains").fill(sender);
  const mail = page.getByRole("button", { name: "Paid" }).first();
  await mail.waitFor();
  await stage.look("inbox");
  await mail.click();
  await page.getByRole("dialog").getByText("ada@example.com", { exact: true }).waitFor();
}
