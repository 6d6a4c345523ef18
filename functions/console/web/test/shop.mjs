// A shop of its own with something in every list: what the gallery shows. Names and numbers are as an owner would have them.
import { setTimeout as pause } from "node:timers/promises";

import { openApi } from "./kit.mjs";
import { confirmSender } from "./sender.mjs";

const PLANTS = [
  ["Monstera", "Monstera deliciosa", 34.5, 12], ["Snake plant", "Dracaena trifasciata", 19, 40], ["Pothos", "Epipremnum aureum", 12.9, 63],
  ["Fiddle-leaf fig", "Ficus lyrata", 59, 4], ["ZZ plant", "Zamioculcas zamiifolia", 24, 17], ["Peace lily", "Spathiphyllum wallisii", 16.5, 22],
  ["Rubber plant", "Ficus elastica", 28, 9], ["Spider plant", "Chlorophytum comosum", 9.9, 81], ["Aloe", "Aloe vera", 14, 35],
  ["Bird of paradise", "Strelitzia nicolai", 74, 3], ["String of pearls", "Curio rowleyanus", 21, 14], ["Calathea", "Goeppertia orbifolia", 26, 11],
];
const POTS = ["9 cm", "12 cm", "17 cm", "21 cm", "27 cm"];
const BUYERS = ["Ada Lovelace", "林小雨", "Grace Hopper", "王思远", "Mary Anning", "Barbara McClintock"];

const THANK_BUYER = `const deliveries = new BaaS.TableObject("deliveries")

/** Called with every paid order: writes down what has to be packed, and until when. */
exports.main = async (event) => {
  const order = event.data
  const due = new Date((order.paid_at ?? Date.now() / 1000) * 1000 + 2 * 86_400_000)

  const delivery = deliveries.create()
  delivery.set({ order: order.trade_no, what: order.merchandise_description, due: due.toISOString() })
  const saved = await delivery.save()

  console.log(\`\${order.trade_no}: pack \${order.merchandise_description} until \${due.toDateString()}\`)
  return { delivery: saved.data.id, due }
}
`;

const QUOTE_SHIPPING = `const PER_KILO = { shanghai: 4.5, beijing: 5.5, chengdu: 6 }

/** The price of a parcel, by weight in kg and city. */
exports.main = async (event) => {
  const { weight, city = "shanghai" } = event.data
  const perKilo = PER_KILO[city]
  if (!perKilo) throw new RangeError(\`we do not deliver to \${city}\`)
  console.log(\`\${weight} kg to \${city}\`)
  return { price: Math.max(8, Math.round(weight * perKilo * 100) / 100) }
}
`;

const WATER_ROUND = `/** Every morning: which plants are thirsty? */
exports.main = async () => {
  const plants = new BaaS.TableObject("plants")
  const found = await plants.setQuery(new BaaS.Query().compare("stock", ">", 0)).limit(5).find()
  for (const plant of found.data.objects) console.log("water", plant.name, plant.pot)
  return { watered: found.data.objects.length }
}
`;

/** Makes the application and everything in it; returns its credentials with the ids of what a page is opened for. */
export async function openShop(stage, name = "Leaf & Petal") {
  const made = await stage.console("POST", "/console/api/application/", { name });
  const credentials = { client_id: made.client_id, client_secret: made.client_secret };
  const api = openApi(stage.base, credentials);
  const { id: test } = await stage.console("POST", `/console/api/application/${made.id}/environment/`, { name: "test" });

  const shop = { id: made.id, test, api, credentials };
  Object.assign(shop, await makeTables(api), await makeFunctions(api));
  await confirmSender(stage, api, "shop@leaf.example");
  Object.assign(shop, await makeTriggers(api, shop));
  await live(stage, shop);
  Object.assign(shop, await makeBuyer(stage, shop));
  return { ...shop, ...(await others(stage, shop)) };
}

async function makeTables(api) {
  const plants = await api("POST", "/oserve/v1.8/table/", {
    name: "plants",
    schema: {
      fields: [
        { name: "name", type: "string", constraints: { required: true }, description: "as on the label" },
        { name: "species", type: "string" },
        { name: "pot", type: "string" },
        { name: "price", type: "number" },
        { name: "stock", type: "integer", indexed: true },
        { name: "light", type: "array", items: { type: "string" } },
        { name: "pets_safe", type: "boolean" },
        { name: "arrived", type: "date" },
      ],
    },
  });
  const deliveries = await api("POST", "/oserve/v1.8/table/", {
    name: "deliveries",
    schema: {
      fields: [
        { name: "order", type: "string", indexed: true },
        { name: "what", type: "string" },
        { name: "plant", type: "pointer", schema_name: "plants" },
        { name: "due", type: "date" },
        { name: "packed", type: "boolean", default: false },
      ],
    },
  });
  const rows = Array.from({ length: 240 }, (_, n) => {
    const [name, species, price, stock] = PLANTS[n % PLANTS.length];
    const pot = POTS[Math.floor(n / PLANTS.length) % POTS.length];
    const arrived = new Date(Date.UTC(2026, 8, 1 + (n % 60), 8)).toISOString();
    const light = n % 3 === 0 ? ["bright"] : n % 3 === 1 ? ["bright", "half shade"] : ["shade"];
    return { name, species, pot, price: price + POTS.indexOf(pot) * 4, stock: (stock * 7 + n) % 60, light, pets_safe: n % 4 === 0, arrived };
  });
  await api("POST", `/oserve/v2.4/table/${plants.id}/record/?enable_trigger=0`, rows);
  return { plants: plants.id, deliveries: deliveries.id };
}

async function makeFunctions(api) {
  const make = (name, remark, function_code) => api("POST", "/oserve/v1.3/cloud-function/", { name, remark, function_code });
  await make("thank_buyer", "writes down what has to be packed", THANK_BUYER.replace("deliveries.create()", "deliveries.create() // one row"));
  await make("quote_shipping", "what a parcel costs", QUOTE_SHIPPING);
  await make("water_round", "every morning at seven", WATER_ROUND);
  await api("PATCH", "/oserve/v1.3/cloud-function/thank_buyer/", { function_code: THANK_BUYER });
  await api("PUT", "/oserve/v1.3/cloud-function/quote_shipping/variable/CARRIER_URL/", { value: "https://carrier.example.com/v2" });
  return {};
}

async function makeTriggers(api, shop) {
  const make = async (draft) => (await api("POST", "/oserve/v3/trigger/", { trace: true, ...draft })).id;
  const paid = await make({
    name: "Thank the buyer",
    description: "A mail, and a row for those who pack",
    type: "chat_pay",
    condition: { result: "success" },
    actions: [
      {
        type: "email",
        settings: {
          to: ["orders@leaf.example"],
          subject: "Paid: {{ merchandise_description }}",
          body: "Order {{ trade_no }} over {{ total_cost }} is paid. Please pack it.",
          format: "text",
        },
      },
      { type: "cloud_function", settings: { function: "thank_buyer" } },
    ],
  });
  const low = await make({
    name: "Reorder when few are left",
    type: "table",
    condition: {
      table: shop.plants,
      event: "update",
      rules: [
        { field: "stock", operator: "<=", value: 3 },
        { field: "price", operator: ">=", value: 20 },
      ],
    },
    actions: [
      { type: "email", settings: { to: ["garden@leaf.example"], subject: "{{ name }}: {{ stock }} left", body: "{{ name }} ({{ pot }})", format: "text" } },
    ],
  });
  const round = await make({
    name: "Water round",
    type: "timer",
    condition: { cron: "0 7 * * *" },
    actions: [{ type: "cloud_function", settings: { function: "water_round" } }],
  });
  const hook = await make({
    name: "Parcel has left",
    type: "incoming_webhook",
    condition: {},
    actions: [
      { type: "table_operation", settings: { table: shop.deliveries, operation: "create", assign: [{ field: "what", value: "a parcel has left" }] } },
      { type: "webhook", settings: { url: "https://parcels.leaf.example/left", key_overlap_days: 2 }, flow: { throttle: { count: 30, period_seconds: 60 } } },
    ],
  });
  await make({
    name: "Tell who packs",
    type: "table",
    condition: { table: shop.deliveries, event: "create", rules: [{ field: "packed", operator: "=", value: false }] },
    actions: [{ type: "email", settings: { to: ["packing@leaf.example"], subject: "To pack: {{ what }}", body: "Until {{ due }}", format: "text" } }],
  });
  return { paid, low, round, hook };
}

/** A morning in the shop: orders are paid, parcels leave, shelves empty, somebody asks for what there is not. */
async function live(stage, shop) {
  const { api } = shop;
  shop.order = "";
  for (const [n, buyer] of BUYERS.entries()) {
    const [plant, , price] = PLANTS[(n * 5) % PLANTS.length];
    shop.order = `2026112200${n + 1}${String(shop.id).slice(-6)}`;
    await pay(stage, shop, { number: shop.order, total_cost: price, merchandise_description: `${plant} for ${buyer}` });
  }
  for (const [n, city] of ["shanghai", "beijing", "chengdu", "shanghai", "lhasa", "beijing", "shanghai", "lhasa"].entries()) {
    await api("POST", "/oserve/v1.3/cloud-function/quote_shipping/job/", { data: { weight: 1.2 + n, city }, sync: true });
  }
  await api("POST", "/oserve/v1.3/cloud-function/water_round/job/", { data: {}, sync: true });

  const { objects } = await api("GET", `/oserve/v2.4/table/${shop.plants}/record/?limit=4`);
  for (const [n, row] of objects.entries()) {
    await api("PUT", `/oserve/v2.6/table/${shop.plants}/record/${row.id}/`, { stock: n * 2, price: 18 + n * 3 });
  }
  const { hook_url } = await api("GET", `/oserve/v3/trigger/${shop.hook}/`);
  await fetch(stage.base + new URL(hook_url).pathname, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ parcel: "LP-20817" }),
  });

  for (let left = 80; left > 0; left--) {
    const log = await api("GET", `/oserve/v3/trigger/${shop.paid}/log/`);
    const done = log.objects.filter((entry) => entry.finished_at);
    const jobs = await api("GET", "/oserve/v1.3/cloud-function/thank_buyer/job/");
    if (done.length >= 2 * BUYERS.length && jobs.objects.length >= BUYERS.length) {
      shop.entry = done[0].id;
      shop.trace = done.find((entry) => entry.trace_id)?.trace_id;
      shop.job = jobs.objects[0].job_id ?? jobs.objects[0].id;
      return;
    }
    await pause(250);
  }
  throw new Error("the triggers of the shop did not act in twenty seconds");
}

/** Puts a paid order on the bus, as the program that hears of payments does. */
async function pay(stage, shop, { number, ...more }) {
  const detail = { miniapp: shop.id, gateway_type: "chatpay", status: "success", transaction_no: number, trade_no: number, ...more };
  const response = await fetch(stage.base + "/_local/events", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ "detail-type": "payment", detail }),
  });
  stage.check(response.ok, `the bus answers ${response.status}`);
}

/** A pixel of green, as a photo. */
const PHOTO = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPhfDwADRgGAkJpNeAAAAABJRU5ErkJggg==", "base64");

/** A buyer with an account, who uploads files and begins an order; a group, and an index over two columns. */
async function makeBuyer(stage, shop) {
  const client = (method, path, body, token) => asClient(stage, shop.credentials, method, path, body, token);
  const name = { username: "mary-anning", password: "ammonites 1811" };
  const buyer = await client("POST", "/hserve/v2.1/register/username/", name);
  await client("POST", "/hserve/v2.1/login/username/", name);
  await client("PUT", "/hserve/v2.5/user/info/", { nickname: "Mary Anning", city: "Lyme Regis" }, buyer.token);

  const photos = await shop.api("POST", "/oserve/v2.2/file-category/", { name: "photos" });
  await shop.api("POST", "/oserve/v2.2/file-category/", { name: "leaves", parent: photos.id });
  for (const [filename, type, content] of [
    ["monstera in the morning light.png", "image/png", PHOTO],
    ["care instructions for the monstera, second edition.txt", "text/plain", "Water on Mondays."],
    ["order-list.csv", "text/csv", "plant,pot\n"],
  ]) {
    const begun = await client("POST", "/hserve/v2.1/upload/", { filename, category_id: type === "image/png" ? photos.id : undefined }, buyer.token);
    const form = new FormData();
    form.append("policy", begun.policy);
    form.append("authorization", begun.authorization);
    form.append("file", new Blob([content], { type }), filename);
    await (await fetch(stage.base + new URL(begun.upload_url).pathname, { method: "POST", body: form })).arrayBuffer();
  }

  await fetch(stage.base + `/_local/payments/chat/m${shop.id}/`, { method: "PUT", body: JSON.stringify({ app_id: "wx1", merchant_key: "k".repeat(32) }) });
  await shop.api("PUT", "/oserve/v3/payment-setting/chat/", { app_id: "wx1", merchant_id: "m" + shop.id, merchant_key: "k".repeat(32) });
  const order = { gateway_type: "chatpay_native", total_cost: 34.5, merchandise_description: "Monstera" };
  await client("POST", "/hserve/v2.2/idp/pay/order/", order, buyer.token);

  await shop.api("POST", "/oserve/v1/user-group/", { name: "gardeners" });
  await shop.api("POST", `/oserve/v2.6/schema/${shop.plants}/index/`, { fields: ["name", "pot"], unique: false });
  return { buyer: buyer.id };
}

/** Asks the client API as a user of the application. */
async function asClient(stage, { client_id }, method, path, body, token) {
  const headers = { "Content-Type": "application/json", "X-Service-Client-ID": client_id };
  if (token) headers.Authorization = "Service-r1 " + token;
  const response = await fetch(stage.base + path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Objects for the pages outside the shop's production: a table without rows, an administrator. */
async function others(stage, { api, test }) {
  const empty = await api("POST", "/oserve/v1.8/table/", { name: "seeds", schema: { fields: [{ name: "name", type: "string" }] } }, { env: test });
  const { account } = await stage.console("GET", "/console/api/session/");
  return { empty: empty.id, account: account.id };
}
