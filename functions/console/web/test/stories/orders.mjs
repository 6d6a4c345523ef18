// Orders are looked at and filtered; one is paid back, by a vendor that first does not know, and then refuses.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const HOSTILE = `<img src=x onerror="document.title='pwned'"> 🌱 \u202Eلا ` + "long ".repeat(40);
const KEY = "topsecret";

export async function play(stage) {
  const vendor = await openVendor();
  try {
    await story(stage, vendor);
  } finally {
    vendor.close();
  }
}

async function story(stage, vendor) {
  const run = Date.now();
  const first = `paid-${run}`;
  await stage.api("PUT", "/oserve/v3/payment-setting/chat/", {
    app_id: "wx1",
    merchant_id: "m1",
    merchant_key: KEY,
    base_url: vendor.url,
  });
  await pay(stage, first, { trade_no: `trade-${run}`, merchandise_description: HOSTILE, merchandise_snapshot: { name: HOSTILE } });
  await pay(stage, `pending-${run}`, { status: "pending", gateway_type: "altpay", total_cost: 0.01 });
  await stage.until(`/oserve/v3/order/${first}/refund/`, (refunds) => refunds.left === 10);
  await stage.until(`/oserve/v3/order/pending-${run}/refund/`, (refunds) => refunds.total_cost === 0.01);

  const page = await stage.open({ height: 1000 });
  await page.goto(stage.url("orders"));
  await page.getByRole("link", { name: first }).waitFor();
  await stage.look("list");
  await page.getByLabel("Status").selectOption("pending");
  await page.getByRole("link", { name: `pending-${run}` }).waitFor();
  await stage.idle();
  stage.check((await page.getByRole("link", { name: first }).count()) === 0, "a paid order is shown among those that are pending");
  await page.getByLabel("Status").selectOption("");
  const search = page.getByRole("searchbox");
  await search.fill(`trade-${run}`);
  await search.press("Enter");
  await page.getByRole("link", { name: first }).waitFor();
  await stage.idle();
  stage.check((await page.getByRole("link", { name: `pending-${run}` }).count()) === 0, "a trade number finds another order");
  await stage.look("found by trade number");
  await search.fill("trade");
  await search.press("Enter");
  await page.getByText("Order and trade numbers must be complete.").waitFor();
  await stage.screenshot("not-found");
  await search.fill("");
  await search.press("Enter");
  await page.setViewportSize({ width: 360, height: 800 });
  stage.check(await fits(page), "the list is wider than a phone");
  await stage.screenshot("list-phone");
  await page.setViewportSize({ width: 1280, height: 1000 });

  await page.getByRole("link", { name: first }).click();
  await page.getByRole("button", { name: "Refund…" }).waitFor();
  stage.check(!(await page.title()).includes("pwned"), "a description was run as markup");
  stage.check((await page.locator("main img").count()) === 0, "a description became an image");
  stage.check(await fits(page), "the order is wider than its window");
  await refund(stage, page, vendor, first);
  await stage.look("order");
  await page.setViewportSize({ width: 360, height: 800 });
  stage.check(await fits(page), "the order is wider than a phone");
  await stage.screenshot("order-phone");
}

async function refund(stage, page, vendor, number) {
  page.on("dialog", (question) => question.accept()); // a reload asks
  const dialog = page.getByRole("dialog");
  const open = async (amount) => {
    await page.getByRole("button", { name: "Refund…" }).click();
    await dialog.getByLabel("Amount (CNY)").fill(amount);
    await dialog.getByLabel("Reason (may be shown to the user)").fill("torn");
    await dialog.getByLabel(/Type .* to confirm/).fill(number);
  };

  await open("10.01");
  stage.check(await dialog.getByRole("button", { name: /^Refund/ }).isDisabled(), "more than the order can be refunded");
  await stage.look("refund");
  await dialog.getByLabel("Amount (CNY)").fill("2.50");
  stage.expected.add(503);
  vendor.mood = "silent";
  await dialog.getByRole("button", { name: "Refund 2.50" }).click();
  await dialog.getByText("nobody knows what the vendor did").waitFor();
  vendor.mood = "pays";
  const asked = [...vendor.asked].at(-1);
  await page.waitForTimeout(400); // it is stored when typing pauses
  await page.reload();
  await page.getByRole("button", { name: "Refund…" }).click();
  stage.check((await dialog.getByLabel("Amount (CNY)").inputValue()) === "2.50", "a reload loses the amount");
  stage.check((await dialog.getByLabel(/Type .* to confirm/).inputValue()) === "", "a reload keeps the confirmation");
  await dialog.getByLabel(/Type .* to confirm/).fill(number);
  await dialog.getByRole("button", { name: "Refund 2.50" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByText("7.50 of 10.00 can still be refunded").waitFor();
  stage.check(vendor.paid.size === 1, `the vendor was asked for ${vendor.paid.size} refunds`);
  stage.check(vendor.paid.has(asked), "after a reload the second try is another refund");

  vendor.mood = "refuses";
  await open("1");
  await dialog.getByRole("button", { name: "Refund 1.00" }).click();
  await dialog.getByText("NOTENOUGH no money").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("row", { name: /NOTENOUGH/ }).waitFor();
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Puts a payment on the bus. */
async function pay(stage, transaction_no, more) {
  const detail = {
    miniapp: stage.credentials.miniapp,
    gateway_type: "chatpay",
    status: "success",
    trade_no: transaction_no,
    transaction_no,
    total_cost: 10,
    ...more,
  };
  await fetch(stage.base + "/_local/events", { method: "POST", body: JSON.stringify({ "detail-type": "payment", detail }) });
}

/** A vendor on this machine that pays back each of our numbers once. */
async function openVendor() {
  const vendor = { mood: "pays", asked: new Set(), paid: new Set() };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const asked = /<out_refund_no>(?:<!\[CDATA\[)?([^<\]]+)/.exec(body)?.[1] ?? "";
    vendor.asked.add(asked);
    if (vendor.mood === "silent") {
      response.writeHead(502).end();
      return;
    }
    const said = { appid: "wx1", mch_id: "m1", out_refund_no: asked, return_code: "SUCCESS", result_code: "SUCCESS", refund_id: "V" + asked };
    if (vendor.mood === "refuses") Object.assign(said, { result_code: "FAIL", err_code: "NOTENOUGH", err_code_des: "no money" });
    else vendor.paid.add(asked);
    response.end(signed(said));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return Object.assign(vendor, { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() });
}

function signed(fields) {
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");
  const sign = createHash("md5").update(`${text}&key=${KEY}`).digest("hex").toUpperCase();
  return `<xml>${Object.entries({ ...fields, sign }).map(([name, value]) => `<${name}>${value}</${name}>`).join("")}</xml>`;
}
