// A test environment is compared, promoted to production, used there, and rolled back; and a hostile name stays inert.
import { openApi } from "../kit.mjs";

const HOSTILE = '<img src=x onerror="window.hurt=1">';
const OLD = 'exports.main = async () => "old"\n';
const NEW = 'exports.main = async () => "new"\n';

export async function play(stage) {
  const page = await stage.open({ width: 1440, height: 900 });
  const shop = await prepare(stage);
  const at = (env, rest = "") => `${stage.base}/console/${shop.id}/${env}${rest}`;

  await page.goto(at("production"));
  await page.getByRole("link", { name: "Promote" }).click();
  await page.getByRole("checkbox", { name: "Select arrived" }).check(); // a trigger takes what it needs along
  for (const name of ["orders", "pay"]) stage.check(await page.getByRole("checkbox", { name: `Select ${name}` }).isChecked(), `${name} is not chosen`);
  stage.check(await page.getByRole("checkbox", { name: "Select stock" }).isDisabled(), "a table whose values would be lost can be chosen");
  await stage.look("compared");

  await page.getByRole("button", { name: "shipping" }).click();
  await page.getByRole("dialog").getByText("1 kg more").waitFor();
  await stage.idle();
  await stage.look("function");
  await close(page);
  await page.getByRole("button", { name: "plants" }).click();
  await page.getByRole("dialog").getByText("integer, indexed").waitFor();
  await stage.look("table");
  await close(page);
  await page.getByRole("button", { name: "arrived" }).click();
  await page.getByRole("dialog").getByText("actions[0].settings.function").waitFor();
  await close(page);

  await page.getByRole("checkbox", { name: "Select shipping" }).check();
  await page.getByRole("checkbox", { name: "Select plants" }).check();
  await page.getByRole("button", { name: "Review 5 items…" }).click();
  await page.getByRole("button", { name: "Promote 5 items to production" }).waitFor();
  await page.getByLabel("Enable it if it is enabled").check();
  await stage.idle();
  await stage.look("review");
  await page.getByRole("button", { name: "Promote 5 items to production" }).click();
  await typed(page, "Promote 5 items to production");
  await page.getByRole("dialog").getByRole("heading", { name: "Result" }).waitFor();
  stage.check((await page.getByRole("dialog").getByText("done", { exact: true }).count()) === 5, "not everything is done");
  await stage.screenshot("promoted");
  await close(page);

  const { objects } = await shop.api("GET", "/oserve/v3/trigger/");
  stage.check(objects.length === 1 && objects[0].enabled, "the trigger did not arrive as it was asked for");
  const { function_code } = await shop.api("GET", "/oserve/v1.3/cloud-function/shipping/");
  stage.check(function_code === NEW, "the function is not the new one");
  await shop.api("PATCH", "/oserve/v1.3/cloud-function/shipping/", { remark: "fixed by hand" });

  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("button", { name: "Roll back" }).click();
  await typed(page, "Roll back");
  await page.getByText("was changed in production after").waitFor();
  await stage.look("put-back");
  await page.getByRole("button", { name: "Also roll back items that have changed since then" }).click();
  await typed(page, "Roll back");
  await page.getByText("was changed in production after").waitFor({ state: "detached" });
  await close(page);
  const back = await shop.api("GET", "/oserve/v1.3/cloud-function/shipping/");
  stage.check(back.function_code === OLD, "the function is not what it was");
  await stage.look("history");

  await page.goto(at("production", "/promote"));
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("button", { name: "shipping" }).waitFor();
  await stage.look("narrow");
  stage.check((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, "the page is wider than 360 px");
  stage.check((await page.evaluate(() => window.hurt)) === undefined, "a name was run as HTML");
  await page.setViewportSize({ width: 1440, height: 900 });
  await deletes(stage, page);
}

/** An item that only the target has is deleted after its selection and its typed name. */
async function deletes(stage, page) {
  await page.getByRole("button", { name: "Select all" }).click();
  const retired = page.getByRole("checkbox", { name: "Select retired" });
  stage.check(!(await retired.isChecked()), "a deletion is chosen with all");
  await page.getByRole("button", { name: "Clear selection" }).click();
  await retired.check();
  await page.getByRole("button", { name: "Review 1 item…" }).click();
  await page.getByRole("button", { name: "Promote 1 item to production" }).click();
  const question = page.getByRole("dialog").last();
  await question.getByText("This deletes items from production that are not in").waitFor();
  const sure = question.getByRole("button", { name: "Promote and delete 1 item" });
  stage.check(await sure.isDisabled(), "a deletion needs no name");
  await stage.look("deletes");
  await question.getByRole("textbox").fill("retired");
  await sure.click();
  await page.getByRole("dialog").getByRole("heading", { name: "Result" }).waitFor();
  await close(page);
}

/** An application with something new, different, and in the way in its test environment. */
async function prepare(stage) {
  const made = await stage.console("POST", "/console/api/application/", { name: `Promotion ${Date.now()}` });
  const { id: test } = await stage.console("POST", `/console/api/application/${made.id}/environment/`, { name: `test ${HOSTILE}` });
  const ask = openApi(stage.base, made);
  const inTest = { env: test };
  const fn = (name, function_code, where, remark = "") => ask("POST", "/oserve/v1.3/cloud-function/", { name, function_code, remark }, where);
  const table = (name, fields, where) => ask("POST", "/oserve/v1.8/table/", { name, schema: { fields } }, where);
  await Promise.all([
    fn("pay", "exports.main = async (event) => event.data", inTest),
    fn("shipping", OLD, {}),
    fn("shipping", NEW, inTest, "1 kg more " + HOSTILE),
    fn("same", OLD, {}),
    fn("same", OLD, inTest),
    fn("retired", OLD, {}),
    table("orders", [{ name: "number", type: "string", indexed: true }], inTest),
    table("plants", [{ name: "stock", type: "integer" }, { name: "shelf", type: "string" }], {}),
    table("plants", [{ name: "stock", type: "integer", indexed: true }, { name: "price", type: "number", description: HOSTILE }], inTest),
    table("stock", [{ name: "left", type: "integer" }], {}),
    table("stock", [{ name: "left", type: "string" }], inTest),
  ]);
  await ask(
    "POST",
    "/oserve/v3/trigger/",
    {
      name: "arrived",
      type: "table",
      condition: { table: "orders", event: "create", rules: [{ field: "number", operator: "=", value: HOSTILE }] },
      actions: [{ type: "cloud_function", settings: { function: "pay" } }],
    },
    inTest,
  );
  return { id: made.id, test, api: ask };
}

async function typed(page, button) {
  const dialog = page.getByRole("dialog").last();
  await dialog.getByRole("textbox").fill("production");
  await dialog.getByRole("button", { name: button }).click();
}

const close = (page) => page.getByRole("dialog").getByRole("button", { name: "Close" }).first().click();
