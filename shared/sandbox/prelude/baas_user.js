// BaaS.User and BaaS.Order, over endpoints 14, 16, 17, 18 and 20.
(function (host, load) {
  "use strict";
  const { api } = load("baas");
  const { Query, Row, Selection, trigger } = load("baas_table");

  const need = (id) => {
    if (id === undefined || id === null || id === "") throw new TypeError("the id of a user is needed");
    return encodeURIComponent(`${id}`);
  };

  class User extends Selection {
    get(id) { return api("GET", `/userve/v2.2/miniapp/user_profile/${need(id)}/`, this.parameters()); }
    find(options) { return api("GET", "/userve/v2.2/miniapp/user_profile/", this.parameters(options?.withCount ? { return_total_count: 1 } : {})); }
    async count() {
      const { data } = await api("GET", "/userve/v2.2/miniapp/user_profile/", this.parameters({ limit: 1, return_total_count: 1 }));
      return data.meta.total_count;
    }
    getWithoutData(target) {
      if (target instanceof Query) {
        const where = { where: JSON.stringify(target) };
        return new Row((body, options) => api("PUT", "/userve/v2.6/miniapp/user_profile/", this.parameters({ ...where, ...trigger(options) }), body));
      }
      const path = `/userve/v2.6/miniapp/user_profile/${need(target)}/`;
      return new Row((body, options) => api("PUT", path, trigger(options), body));
    }
  }

  class Order {
    getOrderList(filters) { return api("GET", "/dserve/v1/pay/order/", { ...filters }); }
    find(filters) { return this.getOrderList(filters); }
  }

  return { __proto__: null, User, Order };
});
