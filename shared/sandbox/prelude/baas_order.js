// BaaS.Order: payment orders by more filters than endpoint 20 has.
(function (host, load) {
  "use strict";
  const { api } = load("baas");
  const { absent } = load("baas_absent");

  class Order {
    getOrderList(filters) { return api("GET", "/dserve/v1/pay/order/", { ...filters }); }
    find(filters) { return this.getOrderList(filters); }
  }
  for (const name of ["refund", "chatPay", "alt"]) absent(Order.prototype, name, `Order.${name}`);
  return { __proto__: null, Order };
});
