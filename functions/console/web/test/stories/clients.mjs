// An owner says what end users may do: how they log in, how often they call, where mails and logins lead. Then they see a
// user's sessions, end them, block the user and let them in again.

const DEFAULTS = {
  legacy_writes: null,
  login_methods: null,
  anonymous_invoke: null,
  client_profile_update: null,
  image_check: null,
  private_files: null,
  callback_hosts: null,
  pages: null,
  client_rate: null,
};

export async function play(stage) {
  const page = await stage.open();
  const settings = () => stage.api("GET", "/oserve/v1.8/application-setting/");
  const put = (body) => stage.api("PUT", "/oserve/v1.8/application-setting/", body);
  await put(DEFAULTS);
  const before = await settings();

  await page.goto(stage.url("settings", "clients"));
  stage.check((await page.getByLabel("Per user").inputValue()) === "600", "the default limit is not shown");
  await page.getByLabel("SMS code").uncheck();
  await page.getByLabel("Everyone can run functions").check();
  await page.getByLabel("Per IP address").fill("1200");
  await page.getByLabel("Password reset page").fill("https://shop.example.com/reset");
  await put({ image_check: true }); // another administrator, meanwhile
  await save(stage, page);

  const now = await settings();
  const want = {
    ...before,
    login_methods: before.login_methods.filter((method) => method !== "sms"),
    anonymous_invoke: true,
    image_check: true,
    pages: { reset: "https://shop.example.com/reset", verify: null },
    client_rate: { user: 600, address: 1200, application: null },
  };
  stage.check(JSON.stringify(now) === JSON.stringify(want), `stored ${JSON.stringify(now)}`);
  await page.getByLabel("Check uploaded images").and(page.locator(":checked")).waitFor(); // what the other one saved
  await page.getByRole("heading", { name: "Settings", exact: true }).or(page.getByRole("heading", { level: 1 })).first().scrollIntoViewIfNeeded();
  await stage.look("settings");

  // A member that the API refuses is named, and what was typed stays.
  stage.expected.add(400);
  await page.getByLabel("Email verification page").fill("ftp://shop.example.com/verify");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("pages.verify").waitFor();
  stage.check((await page.getByLabel("Email verification page").inputValue()) === "ftp://shop.example.com/verify", "the text is gone");
  stage.expected.delete(400);

  await page.getByLabel("Email verification page").fill("");
  await page.getByLabel("Password reset page").fill("");
  await page.getByLabel("SMS code").check();
  await page.getByLabel("Everyone can run functions").uncheck();
  await page.getByLabel("Check uploaded images").uncheck();
  await page.getByLabel("Per IP address").fill("");
  await save(stage, page);
  stage.check(JSON.stringify(await settings()) === JSON.stringify(before), "the defaults are not back");

  await sessions(stage, page);
}

/** A user logs in twice; the owner ends the sessions, blocks the user, and ends the block. */
async function sessions(stage, page) {
  const name = "story-" + Date.now();
  const client = async (path, body, token) => {
    const headers = { "Content-Type": "application/json", "X-Service-Client-ID": stage.credentials.client_id };
    if (token) headers.Authorization = "Service-r1 " + token;
    const answer = await fetch(stage.base + path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
    return { ...(await answer.json()), status: answer.status }; // an error has a status of its own
  };
  const login = () => client("/hserve/v2.1/login/username/", { username: name, password: "correct horse" });
  const own = (user) => client(`/hserve/v2.5/user/info/${user.id}/`, undefined, user.token);

  const user = await client("/hserve/v2.1/register/username/", { username: name, password: "correct horse" });
  await login();
  stage.check((await own(user)).status === 200, "a new session is not valid");

  await page.goto(stage.url("users", String(user.id)));
  await page.getByRole("tab", { name: "Sessions" }).click();
  const rows = page.getByRole("row", { name: /Username/ });
  await rows.nth(1).waitFor();
  await stage.look("sessions");
  await page.getByRole("button", { name: "End all sessions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End all sessions" }).click();
  await page.getByText("No active sessions").waitFor();
  stage.check((await own(user)).status === 401, "an ended session is still valid");

  await page.getByRole("button", { name: "Block" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Block" }).click();
  await page.getByText("blocked", { exact: true }).waitFor();
  await stage.look("blocked");
  stage.check((await login()).status === 403, "a blocked user can log in");
  await page.getByRole("button", { name: "Unblock" }).click();
  await page.getByText("blocked", { exact: true }).waitFor({ state: "detached" });
  stage.check((await login()).status === 201, "the user is still blocked");

  await page.getByRole("button", { name: "Close account" }).click();
  await stage.look("close");
  await page.getByRole("dialog").getByRole("textbox").fill(String(user.id));
  await page.getByRole("dialog").getByRole("button", { name: "Close account" }).click();
  await page.getByText("account closed").waitFor();
  await page.getByRole("button", { name: "Close account" }).waitFor({ state: "detached" });
  stage.check((await login()).status === 400, "the closed account can be used");
}

/** Saves, and waits until the page shows what is stored. */
async function save(stage, page) {
  const path = "/oserve/v1.8/application-setting/";
  const answer = (method) => page.waitForResponse((response) => response.url().includes(path) && response.request().method() === method);
  const [put] = await Promise.all([answer("PUT"), answer("GET"), page.getByRole("button", { name: "Save" }).click()]);
  stage.check(put.ok(), `the API answers ${put.status()}: ${await put.text()}`);
  await stage.idle();
}
