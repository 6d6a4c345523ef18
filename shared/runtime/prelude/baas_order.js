// BaaS.Order: payment orders by more filters than endpoint 20 has, and refunds.
(function (host, load) {
  "use strict";
  const { api, wrong } = load("baas");
  const { absent } = load("baas_absent");

  class Order {
    getOrderList(filters) { return api("GET", "/dserve/v1/pay/order/", { ...filters }); }
    find(filters) { return this.getOrderList(filters); }
    // refund pays back of an order that one of its numbers names: all that is
    // left, or refund_amount.
    refund(options) {
      const { order_id, trade_no, transaction_no, refund_amount, memo, refund_no } = options ?? {};
      if (order_id === undefined && trade_no === undefined && transaction_no === undefined) throw wrong("refund needs order_id, trade_no or transaction_no");
      return api("POST", "/dserve/v1/payment/refund/", null, { order_id, trade_no, transaction_no, refund_amount, memo, refund_no });
    }
  }
  for (const name of ["chatPay", "alt"]) absent(Order.prototype, name, `Order.${name}`);
  return { __proto__: null, Order };
});
