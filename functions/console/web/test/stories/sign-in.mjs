// Somebody signs in, fails first, finds the palette and the keys, changes theme and language, and signs out.
export async function play(stage) {
  const page = await stage.open({ signedIn: false });
  stage.expected.add(401);

  await page.goto(stage.base + "/console/");
  await stage.look("sign-in");
  await page.getByLabel("Email").fill(stage.credentials.console_email);
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();

  await stage.signIn();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or run a command…" }).fill("ovw");
  stage.check((await page.getByRole("option").count()) > 0, "the palette finds nothing for ovw");
  await stage.look("palette");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Search or run a command…" }).waitFor({ state: "hidden" });

  await page.keyboard.press("Shift+?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await stage.look("keys");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "中文" }).click();
  await page.getByRole("link", { name: "概览" }).waitFor();
  await page.getByRole("button", { name: "English" }).click();

  stage.expected.add(401);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  await page.reload();
  await page.getByLabel("Password").waitFor();
}
