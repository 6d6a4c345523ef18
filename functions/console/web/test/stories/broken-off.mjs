// The messages of the page when the server fails, a part of it is gone after a deployment, or somebody signs out in another tab.
export async function play(stage) {
  const page = await stage.open();
  await fails(stage, page);
  await isGone(stage, page);
  await signsOutElsewhere(stage, page);
}

/** A server that fails is no reason to ask for a password. */
async function fails(stage, page) {
  let status = 503;
  stage.expected.add(503).add(500);
  await page.route("**/console/api/session/", (route) =>
    status === 0 ? route.continue() : route.fulfill({ status, contentType: "application/json", body: '{"status":"error","error_msg":"out of order"}' }),
  );
  for (status of [503, 500]) {
    await page.goto(stage.base + "/console/");
    await page.getByRole("heading", { name: "Can't reach the server" }).waitFor();
    stage.check((await page.getByLabel("Password").count()) === 0, `${status}: a sign-in form is shown`);
  }
  await stage.look("unreachable");
  status = 0;
  await page.getByRole("navigation", { name: "Main" }).waitFor(); // by itself
  await page.unroute("**/console/api/session/");
}

async function isGone(stage, page) {
  await page.goto(stage.url("functions"));
  await stage.idle();
  stage.expectedText.push(/Failed to load resource|net::ERR_FAILED/);
  await page.route(/\/assets\/orders.*\.js/, (route) => route.abort());
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await page.getByText("Part of this page could not be loaded").waitFor();
  await stage.look("outdated");
  await page.unroute(/\/assets\/orders.*\.js/);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
}

/** Signing out ends the session in every tab, and its token with it. */
async function signsOutElsewhere(stage, page) {
  const other = await page.context().newPage();
  let token;
  other.on("request", (request) => (token = request.headers()["authorization"] ?? token));
  await other.goto(stage.url("functions"));
  await other.getByRole("heading", { level: 1, name: "Functions" }).waitFor();
  await stage.idle();
  stage.expected.add(401);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  await other.getByLabel("Password").waitFor();
  const ask = (method, body) =>
    fetch(stage.base + "/oserve/v1/user-group/", { method, headers: { Authorization: token, "Content-Type": "application/json" }, body });
  stage.check(token?.startsWith("Console "), `the token is ${token}`);
  stage.check((await ask("POST", '{"name":"late"}')).status === 401, "a token writes after signing out");
  stage.check((await ask("GET")).status === 401, "a token reads after signing out");
}
