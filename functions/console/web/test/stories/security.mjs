// Attacks against a signed-in administrator: a planted cookie, pages of other sites, a frame, ids of
// others, a password by force. And what somebody sees whose role is changed, or whose account is removed, meanwhile.
import { createServer, request } from "node:http";

export async function play(stage) {
  const page = await stage.open({ signedIn: false });
  const asked = new Set();
  page.on("request", (sent) => asked.add(new URL(sent.url()).origin));

  await notFixed(stage, page);
  await policy(stage, page);
  await fromOtherSites(stage, page);
  await otherTenants(stage);
  await lockedOut(stage);
  stage.check([...asked].every((origin) => origin === stage.base), "the page asked " + [...asked].join(", "));
}

const cookieOf = async (page) => (await page.context().cookies()).find((cookie) => cookie.name === "minicloud_session");

/** A cookie from before sign-in is not the one that is signed in, and the next sign-in has another one. */
async function notFixed(stage, page) {
  const planted = "1." + "0".repeat(40);
  const at = { domain: new URL(stage.base).hostname, path: "/console/" };
  await page.context().addCookies([{ name: "minicloud_session", value: planted, ...at }]);
  await stage.signIn();
  const first = await cookieOf(page);
  stage.check(first.value !== planted, "the planted cookie is signed in");
  stage.check(first.httpOnly && first.sameSite === "Strict" && first.path === "/console/", "the cookie is " + JSON.stringify(first));
  stage.check(!(await page.evaluate(() => document.cookie)).includes("minicloud"), "a script reads the cookie");

  stage.expected.add(401); // the page asks again who is signed in
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  await stage.signIn();
  stage.check((await cookieOf(page)).value !== first.value, "two sign-ins have the same cookie");
  const over = await fetch(stage.base + "/console/api/session/", { headers: { Cookie: "minicloud_session=" + first.value } });
  stage.check(over.status === 401, `the session from before answers ${over.status}`);
}

/** The page runs nothing that is not its own file. */
async function policy(stage, page) {
  for (const path of ["/console/", "/console/x/y", "/docs"]) {
    const { headers } = await fetch(stage.base + path);
    const said = headers.get("Content-Security-Policy") ?? "";
    const others = said.replace(/img-src [^;*]*;/, ""); // pictures of users come from the host of files
    const strict = said.includes("default-src 'none'") && said.includes("frame-ancestors 'none'") && !/unsafe|\*|https?:/.test(others);
    stage.check(strict, `${path} has the policy ${said}`);
  }
  stage.expectedText.push(/Content Security Policy/);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hurt = 1";
    document.body.append(script);
    return { hurt: window.hurt, inline: document.querySelectorAll("[style], [onclick], style").length };
  });
  stage.check(ran.hurt === undefined, "an inline script runs");
  stage.check(ran.inline === 0, `${ran.inline} elements have a style or a handler in the page itself`);
  const link = await page.evaluate(async () => {
    const link = Object.assign(document.createElement("a"), { href: "javascript:window.hurt=2" });
    document.body.append(link);
    link.click();
    await new Promise((resolve) => setTimeout(resolve, 50));
    link.remove();
    return window.hurt;
  });
  stage.check(link === undefined, "an address of a link runs");
}

/** Pages of another port, to which the browser sends the cookie along, and of another site, to which it does not. */
async function fromOtherSites(stage, page) {
  const evil = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<h1>free phones</h1>"));
  await new Promise((resolve) => evil.listen(0, "0.0.0.0", resolve));
  const before = await stateOf(page);
  try {
    for (const host of ["127.0.0.1", "localhost"]) {
      const lure = await page.context().newPage(); // in the same browser; its complaints are its own
      const done = [];
      lure.on("response", (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.startsWith("/console/api/")) done.push(`${response.request().method()} ${pathname} ${response.status()}`);
      });
      await lure.goto(`http://${host}:${evil.address().port}/`);
      const read = await lure.evaluate(attack, { base: stage.base, app: stage.credentials.miniapp });
      await lure.waitForTimeout(300);
      stage.check(read.length === 0, `${host} reads ${read.join(", ")}`);
      const worked = done.filter((line) => !line.startsWith("GET") && !line.startsWith("OPTIONS") && / 2\d\d$/.test(line));
      const framed = await Promise.all(lure.frames().slice(1).map((frame) => frame.evaluate(() => document.body.innerText).catch(() => "")));
      stage.notes.push(`${host}: ${done.join(", ")}; ${framed.length} frames`);
      stage.check(done.length > 0 && worked.length === 0, `from ${host}: ${done.join(", ")}`);
      stage.check(framed.length >= 2 && !framed.join().match(/minicloud|Sign|Overview/), `in a frame: ${framed.join("|").slice(0, 200)}`);
      await lure.close();
    }
  } finally {
    evil.close();
  }
  const after = await stateOf(page);
  stage.check(before === after, `it was ${before}, and is ${after}`);
}

const stateOf = (page) =>
  page.evaluate(async () => {
    const session = await (await fetch("/console/api/session/")).json();
    return JSON.stringify([session.account, session.csrf_token, session.applications]);
  });

/** Runs in a page of another origin: returns what it could read. */
async function attack({ base, app }) {
  for (const path of ["/console/", "/docs"]) {
    const frame = document.createElement("iframe");
    frame.src = base + path;
    document.body.append(frame);
  }
  const post = (path, fields) => {
    const target = document.createElement("iframe");
    target.name = "t" + Math.random();
    const form = Object.assign(document.createElement("form"), { method: "POST", enctype: "text/plain", action: base + path, target: target.name });
    const input = Object.assign(document.createElement("input"), { name: fields.slice(0, -1) + ',"x":"', value: '"}' });
    form.append(input);
    document.body.append(target, form);
    form.submit();
  };
  post("/console/api/application/", '{"name":"Eve"}');
  post(`/console/api/application/${app}/secret/`, "{}");
  post("/console/api/session/", '{"email":"eve@example.com","password":"not the password"}');

  const read = [];
  const json = { "Content-Type": "application/json" };
  for (const [path, options] of [
    ["/console/api/session/", {}],
    ["/console/api/application/", { method: "POST", body: '{"name":"Eve"}' }],
    ["/console/api/application/", { method: "POST", body: '{"name":"Eve"}', headers: { ...json, "X-CSRF-Token": "0".repeat(40) } }],
    [`/console/api/application/${app}/revoke-tokens/`, { method: "POST", mode: "no-cors" }],
  ]) {
    try {
      const answer = await fetch(base + path, { credentials: "include", ...options });
      if (answer.type !== "opaque") read.push(`${path} ${answer.status}`);
    } catch {} // as it should be
  }
  return read;
}

/** A developer of one application with the ids of another one, then a viewer, then nobody. */
async function otherTenants(stage) {
  const call = (method, path, body) => stage.console(method, "/console/api" + path, body);
  const email = `mallory.${Date.now()}@example.com`;
  const application = await call("POST", "/application/", { name: "Mallory's" });
  const account = await call("POST", "/account/", {
    email, name: "Mallory", password: "a first password", role: "developer", applications: [application.id],
  });
  const page = await stage.another(email, "a first password");
  stage.expected.add(404).add(400).add(403).add(401);
  await page.goto(stage.url("functions"));
  await page.getByRole("main").waitFor();
  await page.waitForLoadState("networkidle");
  stage.check((await page.getByText("hello", { exact: true }).count()) === 0, "a page shows another application's functions");

  const refused = await page.evaluate(ofOthers, { theirs: stage.credentials.miniapp, mine: application.id, env: stage.credentials.environments.test });
  stage.check(refused.every(({ status, want }) => want === status), "with ids of others: " + JSON.stringify(refused));

  await page.goto(`${stage.base}/console/${application.id}/production/functions`);
  const add = page.getByRole("button", { name: "New function" }).first();
  await add.click();
  await page.getByRole("dialog").getByLabel("Name").fill("mine");
  await call("PATCH", `/account/${account.id}/`, { role: "viewer" });
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").filter({ hasText: /your (account was changed|role is viewer)/ }).waitFor();
  await stage.idle();
  stage.check(await add.isDisabled(), "who became a viewer may still press New function");

  await call("DELETE", `/account/${account.id}/`, {});
  await page.goto(`${stage.base}/console/${application.id}/production/settings`);
  await page.getByLabel("Password").waitFor();
}

/** Runs in the page: asks for another application in every way there is. */
async function ofOthers({ theirs, mine, env }) {
  const { csrf_token } = await (await fetch("/console/api/session/")).json();
  const post = (path, body) =>
    fetch("/console/api" + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf_token },
      body: JSON.stringify(body),
    });
  const { token } = await (await post("/token/", { application_id: mine })).json();
  const open = (headers) => fetch("/oserve/v1.3/cloud-function/", { headers: { Authorization: "Console " + token, ...headers } });
  const [head, claims, signature] = token.split(".");
  const forged = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/")));
  const changed = [head, btoa(JSON.stringify({ ...forged, app: theirs, role: "owner" })).replace(/=+$/, ""), signature].join(".");
  const wanted = [
    [404, fetch(`/console/api/application/${theirs}/`)],
    [404, fetch(`/console/api/application/${theirs}/overview/`)],
    [404, fetch(`/console/api/application/${theirs}/audit/`)],
    [404, post("/token/", { application_id: theirs })],
    [403, post("/application/", { name: "more" })],
    [400, open({ "X-Service-Env-ID": env })],
    [401, open({ Authorization: "Console " + changed })],
    [200, open({})],
  ];
  return Promise.all(wanted.map(async ([want, answer]) => ({ want, status: (await answer).status })));
}

/** Five wrong passwords, and the form says how long to wait. */
async function lockedOut(stage) {
  const page = await stage.open({ signedIn: false });
  stage.expected.add(401).add(429);
  await page.goto(stage.base + "/console/");
  const email = `nobody.${Date.now()}@example.com`;
  for (let i = 0; i < 5; i++) await wrongPassword(stage, email);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill("another one");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").filter({ hasText: /too many failed sign-ins: try again in \d+ second/ }).waitFor();
  await stage.screenshot("locked-out");
  await stage.axe("locked out");
}

/** From an address of its own where there are some: twenty from one lock out whoever comes from there. */
function wrongPassword(stage, email) {
  const headers = { "Content-Type": "application/json" };
  const localAddress = process.platform === "linux" ? `127.0.0.${2 + Math.floor(Math.random() * 250)}` : undefined;
  return new Promise((resolve, reject) => {
    const sent = request(stage.base + "/console/api/session/", { method: "POST", headers, localAddress }, (answer) => {
      stage.check(answer.statusCode === 401, `a wrong password answers ${answer.statusCode}`);
      answer.resume().on("end", resolve);
    });
    sent.on("error", reject).end(JSON.stringify({ email, password: "not the password" }));
  });
}
