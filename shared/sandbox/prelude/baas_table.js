// BaaS.TableObject and BaaS.Query: rows over the platform's endpoints (D26,
// D28, D29).
(function (host, load) {
  "use strict";
  const { api } = load("baas");
  const operators = { __proto__: null, "=": "$eq", "!=": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte" };

  // Query builds a where; its conditions hold all together.
  class Query {
    #terms = [];
    static and(...queries) { return Query.#join("$and", queries); }
    static or(...queries) { return Query.#join("$or", queries); }
    static #join(operator, queries) {
      const query = new Query();
      query.#terms.push({ [operator]: queries.map((q) => q.toJSON()) });
      return query;
    }
    #add(field, operator, operand) {
      if (typeof field !== "string" || field === "") throw new TypeError("a condition needs the name of a field");
      this.#terms.push({ [field]: { [operator]: operand } });
      return this;
    }
    compare(field, operator, value) {
      if (!(operator in operators)) throw new TypeError(`unknown operator "${operator}": there are ${Object.keys(operators).join(" ")}`);
      return this.#add(field, operators[operator], value);
    }
    contains(field, text) { return this.#add(field, "$contains", text); }
    matches(field, pattern) {
      if (!(pattern instanceof RegExp)) throw new TypeError("matches needs a regular expression");
      this.#add(field, "$regex", pattern.source);
      const flags = pattern.flags.replace(/[^ims]/g, "");
      if (flags !== "") this.#terms.at(-1)[field].$options = flags;
      return this;
    }
    in(field, values) { return this.#add(field, "$in", values); }
    notIn(field, values) { return this.#add(field, "$nin", values); }
    arrayContains(field, values) { return this.#add(field, "$all", values); }
    range(field, [from, to]) { return this.#add(field, "$range", [from, to]); }
    isNull(...fields) { return this.#each(fields, "$isnull", true); }
    isNotNull(...fields) { return this.#each(fields, "$isnull", false); }
    exists(...fields) { return this.#each(fields, "$exists", true); }
    notExists(...fields) { return this.#each(fields, "$exists", false); }
    hasKey(field, key) { return this.#add(field, "$has_key", key); }
    #each(fields, operator, operand) {
      for (const field of fields.flat()) this.#add(field, operator, operand);
      return this;
    }
    toJSON() {
      if (this.#terms.length === 0) return {};
      return this.#terms.length === 1 ? this.#terms[0] : { $and: this.#terms };
    }
  }

  // Row collects the changes of one row, or of all rows a query selects.
  class Row {
    #send; #changes = {}; #unset = {};
    constructor(send) { this.#send = send; }
    set(field, value) {
      if (typeof field === "object" && field !== null) Object.assign(this.#changes, field);
      else this.#changes[field] = value;
      return this;
    }
    unset(...fields) {
      for (const field of fields.flat()) this.#unset[field] = "";
      return this;
    }
    incrementBy(field, n) { return this.set(field, { $incr_by: n }); }
    append(field, values) { return this.set(field, { $append: [values].flat() }); }
    uAppend(field, values) { return this.set(field, { $append_unique: [values].flat() }); }
    remove(field, values) { return this.set(field, { $remove: [values].flat() }); }
    patchObject(field, values) { return this.set(field, { $update: values }); }
    #body() { return Object.keys(this.#unset).length === 0 ? this.#changes : { $set: this.#changes, $unset: this.#unset }; }
    save(options) { return this.#send(this.#body(), options); }
    update(options) { return this.#send(this.#body(), options); }
  }

  const need = (id) => {
    if (id === undefined || id === null || id === "") throw new TypeError("the id of a row is needed");
    return encodeURIComponent(`${id}`);
  };

  // Selection is what lists share: query, order, page, fields.
  class Selection {
    #parameters = {};
    setQuery(query) { return this.#with("where", JSON.stringify(query)); }
    limit(n) { return this.#with("limit", n); }
    offset(n) { return this.#with("offset", n); }
    orderBy(fields) { return this.#with("order_by", [fields].flat().join(",")); }
    select(fields) { return this.#with("keys", [fields].flat().join(",")); }
    expand(fields) { return this.#with("expand", [fields].flat().join(",")); }
    #with(name, value) {
      this.#parameters[name] = value;
      return this;
    }
    // parameters takes what was set: the next request starts afresh.
    parameters(more) {
      const taken = { ...this.#parameters, ...more };
      this.#parameters = {};
      return taken;
    }
  }

  const trigger = (options) => (options?.enableTrigger === false ? { enable_trigger: 0 } : {});

  class TableObject extends Selection {
    #id;
    constructor(table) {
      super();
      if (table === undefined || table === null || table === "") throw new TypeError("BaaS.TableObject needs the id of a table");
      this.#id = table;
    }
    #path(version, id) { return `/oserve/${version}/table/${encodeURIComponent(`${this.#id}`)}/record/${id === undefined ? "" : need(id) + "/"}`; }

    get(id) {
      need(id);
      return api("GET", this.#path("v2.4", id), this.parameters());
    }
    find(options) { return api("GET", this.#path("v2.4"), this.parameters(options?.withCount ? { return_total_count: 1 } : {})); }
    async count() {
      const { data } = await api("GET", this.#path("v2.4"), this.parameters({ limit: 1, return_total_count: 1 }));
      return data.meta.total_count;
    }
    create() { return new Row((body, options) => api("POST", this.#path("v2.4"), trigger(options), body)); }
    createMany(rows, options) {
      if (!Array.isArray(rows)) throw new TypeError("createMany needs an array of rows");
      return api("POST", this.#path("v2.4"), trigger(options), rows);
    }
    getWithoutData(target) {
      if (target instanceof Query) {
        const where = { where: JSON.stringify(target) };
        return new Row((body, options) => api("PUT", this.#path("v2.6"), this.parameters({ ...where, ...trigger(options) }), body));
      }
      need(target);
      return new Row((body, options) => api("PUT", this.#path("v2.6", target), trigger(options), body));
    }
    delete(target, options) {
      if (target instanceof Query) return api("DELETE", this.#path("v2.4"), this.parameters({ where: JSON.stringify(target), ...trigger(options) }));
      need(target);
      return api("DELETE", this.#path("v2.4", target), trigger(options));
    }
  }

  return { __proto__: null, TableObject, Query, Row, Selection, trigger };
});
