// Files are uploaded by the dialog and by dropping, filtered, opened, copied and deleted; categories are made, and the files
// and orders of a user are looked at.
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFklEQVR4nGNgaPiPFTEMLQkGSrQTAAD8mH+BZ8cZbgAAAABJRU5ErkJggg==",
  "base64",
);
const HOSTILE = `<img src=x onerror=alert(1)> ${"long ".repeat(30)}.txt`;

export async function play(stage) {
  const page = await stage.open();
  const run = Date.now();
  const made = [];
  try {
    await manageCategories(stage, page, run, made);
    await uploadFiles(stage, page, run);
    await filterFiles(stage, page, run);
    await deleteFile(stage, page, run);
    await filesOfUser(stage, page);
  } finally {
    for (const id of made) await stage.api("DELETE", `/oserve/v2.2/file-category/${id}/`);
    const { objects } = await stage.api("GET", "/oserve/v2.2/file/?limit=100");
    for (const { id } of objects.filter(({ created_by }) => created_by === 0)) await stage.api("DELETE", `/oserve/v2.2/file/${id}/`);
  }
}

async function manageCategories(stage, page, run, made) {
  await page.goto(stage.url("files"));
  await page.getByRole("tab", { name: "Categories" }).click();
  for (const [name, parent] of [[`photos ${run}`], [`cats ${run}`, `photos ${run}`]]) {
    await page.getByRole("button", { name: "New category" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    if (parent) await page.getByLabel("Parent category").selectOption(parent);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name }).waitFor();
  }
  const { objects } = await stage.api("GET", "/oserve/v2.2/file-category/?limit=100");
  made.push(...objects.filter(({ name }) => name.endsWith(` ${run}`)).map(({ id }) => id));
  await page.getByRole("button", { name: `Edit cats ${run}` }).click();
  const parent = page.getByLabel("Parent category");
  stage.check((await parent.locator("option:checked").textContent()) === `photos ${run}`, "the parent is not shown");
  await stage.look("category");
  await parent.selectOption("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await stage.look("categories");
}

async function uploadFiles(stage, page, run) {
  await page.goto(stage.url());
  await page.getByRole("heading", { level: 1 }).waitFor(); // before it nobody listens to keys
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Search or run/ }).fill("upload files");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Upload files" }).waitFor();
  await page.getByLabel("Category").last().selectOption(`cats ${run}`);
  await stage.look("upload");

  // One of them is refused, which keeps the dialog open and says why; the others are uploaded.
  stage.expected.add(400);
  await page.getByLabel("Choose files").setInputFiles([
    { name: `cat ${run}.png`, mimeType: "image/png", buffer: PICTURE },
    { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<p>") },
    { name: HOSTILE, mimeType: "text/plain", buffer: Buffer.from("hello") },
  ]);
  await page.getByRole("alert").filter({ hasText: "page.html" }).waitFor();
  await page.getByRole("status").filter({ hasText: "Uploading" }).waitFor({ state: "detached" }); // a failure before keeps the dialog open
  stage.expected.delete(400);

  const dropped = await page.evaluateHandle((name) => {
    const data = new DataTransfer();
    data.items.add(new File(["id,price\n"], name, { type: "text/csv" }));
    return data;
  }, `prices ${run}.csv`);
  await page.locator(".drop-zone").dispatchEvent("dragover", { dataTransfer: dropped });
  await page.locator(".drop-zone").dispatchEvent("drop", { dataTransfer: dropped });
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: `prices ${run}.csv` }).waitFor();
  stage.check(!(await page.title()).includes("alert"), "a name was run as markup");
}

async function filterFiles(stage, page, run) {
  const name = `cat ${run}.png`;
  await page.getByRole("link", { name }).waitFor();
  const picture = page.getByRole("row").filter({ hasText: name }).locator("img");
  await picture.waitFor();
  await stage.idle();
  stage.check(await picture.evaluate((img) => img.complete && img.naturalWidth === 8), "the preview is not shown");
  await stage.look("files");
  const last = await page.getByRole("button", { name: `Delete ${name}` }).boundingBox();
  stage.check(last.x + last.width <= 1280 - 24, `the actions of a file are out of sight, at ${last.x}`);

  await page.getByLabel("Type").selectOption("Images");
  await page.getByRole("link", { name: `prices ${run}.csv` }).waitFor({ state: "detached" });
  await page.getByRole("link", { name }).waitFor();
  await page.getByLabel("Category").selectOption(`photos ${run}`);
  await page.getByText("No files match these filters.").waitFor();
  await page.getByLabel("Category").selectOption(`cats ${run}`);
  await page.getByRole("link", { name }).waitFor();

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: `Copy link: ${name}` }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const answer = await page.request.get(link);
  stage.check(answer.status() === 200 && answer.headers()["content-type"] === "image/png", `the link gives ${answer.status()}`);

  const triggers = page.getByRole("link", { name: "File triggers" });
  stage.check((await triggers.getAttribute("href")).endsWith("/triggers?type=file_operation"), "triggers of files are not linked");
  await page.setViewportSize({ width: 360, height: 740 });
  await stage.look("narrow");
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function deleteFile(stage, page, run) {
  const name = `cat ${run}.png`;
  const address = await page.getByRole("link", { name }).getAttribute("href");
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("link", { name }).waitFor({ state: "detached" });
  const gone = await page.request.get(address);
  stage.check(gone.status() === 404, `a deleted file gives ${gone.status()}`);
}

async function filesOfUser(stage, page) {
  await page.goto(stage.url("users"));
  await page.getByRole("row").nth(1).getByRole("link").click();
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByText("This user has not uploaded any files.").waitFor();
  await page.getByRole("tab", { name: "Orders" }).click();
  await page.getByRole("tabpanel").filter({ hasText: /This user has no orders|Order/ }).waitFor();
  await stage.look("orders-of-user");
}
