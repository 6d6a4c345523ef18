const Stripe = require("stripe");
exports.main = async () => {
  const stripe = Stripe("sk_test_x"), payload = "{\"id\":\"evt_2\"}";
  const header = stripe.webhooks.generateTestHeaderString({ payload, secret: "s", timestamp: 1e9 });
  return [stripe.webhooks.constructEvent(Buffer.from(payload), header, "s", 1e12).id];
};
