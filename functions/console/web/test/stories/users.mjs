// A user is found, looked at and put into a group; tables are seen with their eyes; a group of groups is made and removed.
export async function play(stage) {
  const page = await stage.open();
  const name = "story " + Date.now();
  const group = await stage.api("POST", "/oserve/v1/user-group/", { name });
  try {
    await findUser(stage, page);
    await actAsUser(stage, page);
    await viewAsUser(stage, page);
    await changeUser(stage, page, name);
    await groupOfGroups(stage, page, name);
  } finally {
    await stage.api("DELETE", `/oserve/v1/user-group/${group.id}/`);
  }
}

async function findUser(stage, page) {
  await page.goto(stage.url("users"));
  await page.getByRole("row").nth(1).waitFor();
  await stage.look("users");
  const nickname = "Ada"; // of the demo application; other stories block and close users of their own
  await page.getByRole("searchbox").fill(nickname);
  await page.keyboard.press("Enter");
  await page.getByRole("row").nth(1).getByRole("link", { name: nickname }).click();
  await page.getByRole("heading", { level: 1, name: nickname }).waitFor();
  await findByLogin(stage, page, nickname);
}

// A login finds its user in any case and notation, and a part of it nobody.
async function findByLogin(stage, page, nickname) {
  const address = page.url();
  const id = address.split("/").pop();
  await stage.api("PUT", `/userve/v2.2/miniapp/user/account/${id}/`, { username: "story.ada", email: "ada@story.example", phone: "13800001234" });
  await page.goto(stage.url("users"));
  const search = page.getByRole("searchbox");
  for (const login of ["Story.Ada", "ADA@story.example", "+86 138-0000-1234", id]) {
    await search.fill(login);
    await search.press("Enter");
    await page.getByRole("row").nth(1).getByRole("link", { name: nickname }).waitFor();
    await stage.idle();
    stage.check((await page.getByRole("row").count()) === 2, `${login} finds others`);
  }
  await stage.screenshot("found by login");
  for (const nobody of ["ada@", "1".repeat(30)]) {
    await search.fill(nobody);
    await search.press("Enter");
    await page.getByText("No users match this search.").waitFor();
  }
  await stage.look("not found");
  await page.goto(address);
  await page.getByRole("heading", { level: 1, name: nickname }).waitFor();
}

// A function that is run as the user sees them; the job says who acted, and it ends when one says so.
async function actAsUser(stage, page) {
  const name = "whoami" + Date.now();
  const address = page.url();
  await stage.api("POST", "/oserve/v1.3/cloud-function/", { name, function_code: "exports.main = async (event) => event.request.user" });
  try {
    await page.getByRole("button", { name: "Act as user" }).click();
    const banner = page.getByRole("status").filter({ hasText: "Acting as" });
    await banner.waitFor();
    const runner = page.getByRole("region", { name: "Run a function" });
    await runner.getByRole("combobox").first().selectOption(name);
    await stage.look("acting as a user");
    await runner.getByRole("button", { name: /^Run as / }).click();
    await runner.getByText('"openid"').first().waitFor();
    const { objects } = await stage.api("GET", `/oserve/v1.3/cloud-function/${name}/job/`);
    const user = Number(address.split("/").pop());
    stage.check(objects[0].acted?.user_id === user, "the job does not say as whom it ran: " + JSON.stringify(objects[0]));
    await runner.getByRole("link", { name: "View run" }).click();
    await page.getByText("Run as", { exact: true }).waitFor();
    await banner.getByRole("button", { name: "Stop" }).click();
    await banner.waitFor({ state: "detached" });
    await runner.getByRole("button", { name: "Run", exact: true }).waitFor();
    await runner.getByRole("button", { name: "Close" }).click();
  } finally {
    await stage.api("DELETE", `/oserve/v1.3/cloud-function/${name}/`);
  }
  await page.goto(address);
}

// A table whose rows belong to somebody: the user's own row and the public one are shown, without the hidden column.
async function viewAsUser(stage, page) {
  const address = page.url();
  const user = Number(address.split("/").pop());
  const name = "seen" + Date.now();
  const fields = [{ name: "text", type: "string" }, { name: "cost", type: "number", acl: { clientVisible: false } }];
  const table = await stage.api("POST", "/oserve/v1.8/table/", { name, schema: { fields }, write_perm: ["user:*"] });
  try {
    for (const [text, reader] of [["public", "user:*"], ["own", "user:" + user], ["of another", "user:1"]]) {
      await stage.api("POST", `/oserve/v2.4/table/${name}/record/`, { text, cost: 7, _read_perm: [reader] });
    }
    await page.getByRole("button", { name: "View as user" }).click();
    await page.getByRole("link", { name }).click();
    await page.getByText("They are read-only here.").waitFor();
    await page.getByRole("gridcell", { name: "own", exact: true }).waitFor();
    stage.check((await page.getByRole("gridcell", { name: "of another" }).count()) === 0, "a row of another user is shown");
    stage.check((await page.getByRole("columnheader", { name: "cost" }).count()) === 0, "a hidden column is shown");
    stage.check((await page.getByRole("button", { name: "New row" }).count()) === 0, "rows can be added as somebody else");
    await page.getByText("2 rows", { exact: false }).waitFor();
    await stage.look("view as");

    await page.getByRole("button", { name: "Show all rows" }).click();
    await page.getByRole("gridcell", { name: "of another" }).waitFor();
    await page.getByRole("columnheader", { name: "cost" }).waitFor();
  } finally {
    await stage.api("DELETE", `/oserve/v1.8/table/${table.id}/`);
  }
  await page.goto(address);
}

async function changeUser(stage, page, group) {
  const id = Number(page.url().split("/").pop());
  await page.getByRole("heading", { name: "All fields" }).waitFor();
  await stage.look("user");
  await page.getByRole("tab", { name: "Account" }).click();
  stage.expected.add(400);
  await page.getByLabel("Phone").fill("12");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  stage.expected.delete(400);
  await stage.look("account");
  await page.getByRole("tab", { name: "Template messages" }).click();
  await page.getByRole("cell", { name: "chat" }).waitFor();
  await stage.look("messages");
  await page.getByRole("tab", { name: "Groups" }).click();
  await clickAndWait(page, group);
  const after = await stage.api("GET", `/userve/v2.2/miniapp/user_profile/${id}/`);
  stage.check(after.user_group.length > 0, "the user is in no group");
  await clickAndWait(page, group);
}

async function clickAndWait(page, group) {
  const written = page.waitForResponse((response) => response.url().endsWith("/membership/"));
  await page.getByLabel(group).click();
  await written;
}

async function groupOfGroups(stage, page, group) {
  await page.goto(stage.url("users"));
  await page.getByRole("tab", { name: "Groups", exact: true }).click();
  await page.getByRole("cell", { name: group }).first().waitFor();
  await stage.look("groups");
  await page.getByRole("tab", { name: "Super groups" }).click();
  await page.getByRole("button", { name: "New super group" }).click();
  await page.getByLabel("Name", { exact: true }).fill("all of " + group);
  await page.getByLabel(group).check();
  await stage.look("super-group");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "all of " + group, exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete all of " + group }).click();
  await page.locator("dialog[open] input[type=text]").fill("all of " + group);
  await page.locator("dialog[open]").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("cell", { name: "all of " + group, exact: true }).waitFor({ state: "detached" });
  await page.setViewportSize({ width: 360, height: 740 });
  await stage.look("narrow");
}
