// An owner lets web pages log users in: the hosts that they return to, chat's app, and a provider of OpenID Connect. Secrets
// are taken and not shown. Then a page's login comes back from the provider.

const SECRET = "do-not-show-me-again-0123456789";

export async function play(stage) {
  const page = await stage.open();
  const env = stage.credentials.environments.test;
  const stored = (provider) => stage.api("GET", `/oserve/v3/login-setting/${provider}/`, undefined, { env });
  await stage.api("PUT", "/oserve/v1.8/application-setting/", { callback_hosts: null, login_methods: null });
  await stage.api("PUT", "/oserve/v3/login-setting/oauth-chat-web/", { app_id: "", app_secret: null }, { env });
  const client = (path, body) => asPage(stage, env, path, body);

  await page.goto(stage.urlIn(env, "settings", "logins"));
  await page.getByText("No redirect hosts are set.").waitFor();
  await page.getByText("until the app ID and the app secret are set").waitFor();
  await stage.look("empty");
  await page.getByRole("textbox", { name: "Redirect hosts" }).fill("shop.example.com\nlocalhost:3000");
  await save(stage, page, "Redirect hosts");
  await page.getByText("No redirect hosts are set.").waitFor({ state: "detached" });
  const { callback_hosts } = await stage.api("GET", "/oserve/v1.8/application-setting/");
  stage.check(callback_hosts.join() === "shop.example.com,localhost:3000", "stored " + callback_hosts);

  // A host that the API refuses is named, and what was typed stays.
  stage.expected.add(400);
  await page.getByRole("textbox", { name: "Redirect hosts" }).fill("https://shop.example.com");
  await save(stage, page, "Redirect hosts", 400);
  await page.getByText("callback_hosts: ").waitFor();
  stage.expected.delete(400);
  await page.getByRole("textbox", { name: "Redirect hosts" }).fill("shop.example.com");
  await save(stage, page, "Redirect hosts");

  await page.getByLabel("App ID").fill("wx0123456789abcdef");
  await page.getByLabel("App secret", { exact: true }).fill(SECRET);
  await save(stage, page, "WeChat QR code settings");
  await page.getByLabel("Remove App secret").waitFor();
  stage.check(!(await page.content()).includes(SECRET), "a secret is shown");
  await stage.look("chat");
  await comeBack(stage, client);

  await page.getByRole("button", { name: "Add an OpenID Connect provider" }).click();
  await page.getByLabel("Provider name").fill("keycloak");
  await page.getByLabel("Issuer").fill("https://id.example.com");
  await page.getByLabel("Client ID").fill("shop");
  await page.getByLabel("Client secret").fill(SECRET);
  await stage.look("add");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("tab", { name: "keycloak", selected: true }).waitFor();
  await page.getByText("/hserve/v2.0/idp/oauth-keycloak/callback/").waitFor();
  await stage.look("openid");
  const made = await stored("oauth-keycloak");
  stage.check(made.app_id === "shop" && made.base_url === "https://id.example.com" && made.secrets.join() === "app_secret", JSON.stringify(made));

  await page.getByLabel("Remove Client secret").check();
  await save(stage, page, "keycloak settings");
  await page.getByText("until all fields are set").waitFor();
  await page.getByRole("button", { name: "Remove provider" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove provider" }).click();
  await page.getByRole("tab", { name: "keycloak" }).waitFor({ state: "detached" });
  stage.check((await stored("oauth-keycloak")).app_id === "", "the provider is still set");

  await page.setViewportSize({ width: 360, height: 740 });
  await stage.look("narrow");
}

/** Saves a form, and waits until the page shows what is stored. */
async function save(stage, page, form, status = 200) {
  const answered = page.waitForResponse((response) => response.request().method() === "PUT");
  await page.getByRole("form", { name: form }).getByRole("button", { name: "Save" }).click();
  stage.check((await answered).status() === status, `${(await answered).url()} answers ${(await answered).status()}`);
  await stage.idle();
}

/** Asks the client API as a web page would. */
async function asPage(stage, env, path, body) {
  const headers = { "Content-Type": "application/json", "X-Service-Client-ID": stage.credentials.client_id, "X-Service-Env-ID": env };
  const answer = await fetch(stage.base + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { ...(await answer.json()), code: answer.status };
}

/** A login that begins at the page, consents at the local provider, and returns to the page with a token. */
async function comeBack(stage, client) {
  const begun = await client("/hserve/v2.0/idp/oauth-chat-web/redirect/", { callback_url: "https://shop.example.com/login" });
  stage.check(begun.code === 200, "the login does not begin: " + JSON.stringify(begun));
  let at = begun.redirect_url;
  for (let hops = 0; at && !at.startsWith("https://shop.example.com/") && hops < 5; hops++) {
    at = (await fetch(at, { redirect: "manual" })).headers.get("Location");
  }
  const auth_token = at && new URL(at).searchParams.get("token");
  const login = await client("/hserve/v2.0/idp/oauth-chat-web/authenticate/", { auth_token });
  stage.check(login.code === 201 && login.token, "the page gets no session: " + JSON.stringify(login));
}
