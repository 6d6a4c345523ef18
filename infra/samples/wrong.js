// Uses that an editor must mark: each line says which error TypeScript gives.

/** @type {CloudFunctionMain} */
exports.main = async (event) => {
  event.dta; // wrong: 2551
  const rows = new BaaS.TableObject("city");
  rows.limit("5"); // wrong: 2345
  rows.find({ withCount: "yes" }); // wrong: 2769
  rows.find().data; // wrong: 2339
  const { data } = await rows.find();
  data.rows; // wrong: 2339
  data.meta.total_count.toFixed(); // wrong: 18048
  rows.createMany({ name: "a" }); // wrong: 2353
  rows.getWithoutData("5f").save(); // wrong: 2339
  rows.setQuery({ name: "a" }); // wrong: 2353
  new BaaS.Query().compare("age", "~", 1); // wrong: 2345
  new BaaS.Query().matches("name", "a.*"); // wrong: 2345
  new BaaS.Query().in("id", "a"); // wrong: 2345
  new BaaS.Query().withinCircle("at", [1, 2], 5); // wrong: 2345
  new BaaS.GeoPoint(1); // wrong: 2554

  const result = await BaaS.invoke("pay", {}, false);
  result.data; // wrong: 2339
  BaaS.invoke({ name: "pay" }); // wrong: 2345
  BaaS.noSuchThing(); // wrong: 2339
  const answer = BaaS.request.get("https://example.com");
  answer.data; // wrong: 2339
  BaaS.request({ url: "https://example.com", responseType: "xml" }); // wrong: 2769
  BaaS.sendEmail({ recipient: "a@example.com", subject: "s" }); // wrong: 2345
  new BaaS.Order().find({ status: "paid" }); // wrong: 2322
  new BaaS.Order().refund({ refund_amount: 1 }); // wrong: 2345
  new BaaS.UserGroup().create({}); // wrong: 2345
  BaaS.sendSmsMessage({ recipient_type: "user_list", template_name: "t" }); // wrong: 2345

  const crypto = require("crypto");
  crypto.createHash(256); // wrong: 2345
  crypto.createHmac("sha256"); // wrong: 2554
  crypto.createHash("sha256").update("a").digest("hex").update("b"); // wrong: 2339
  require("fs").readFileSync("/tmp/a").split("\n"); // wrong: 2339
  require("net").connect(80, "example.com"); // wrong: 2339
  require("child_process").exec("ls"); // wrong: 2339
  fetch("https://example.com").json(); // wrong: 2339
  document.title; // wrong: 2584
  Buffer.from(5); // wrong: 2769
  return setTimeout("text", 5); // wrong: 2345
};

/** @type {CloudFunctionHandler<TimerEvent>} */
exports.timer = async (event) => event.data.name; // wrong: 2339

/** @type {CloudFunctionMain} */
exports.plain = (event) => 5; // wrong: 2322
