// A user is found, looked at and put into a group; a group of groups is made and removed.
export async function play(stage) {
  const page = await stage.open();
  const name = "story " + Date.now();
  const group = await stage.api("POST", "/oserve/v1/user-group/", { name });
  try {
    await findUser(stage, page);
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
  const nickname = await page.getByRole("row").nth(1).getByRole("link").textContent();
  await page.getByRole("searchbox").fill(nickname);
  await page.keyboard.press("Enter");
  await page.getByRole("row").nth(1).getByRole("link", { name: nickname }).click();
  await page.getByRole("heading", { level: 1, name: nickname }).waitFor();
}

async function changeUser(stage, page, group) {
  const id = Number(page.url().split("/").pop());
  await page.locator(".editor").waitFor();
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
