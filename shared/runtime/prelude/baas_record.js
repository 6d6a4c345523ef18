// The changes of a record, and what lists share (F13-F16).
(function (host, load) {
  "use strict";
  const { wrong, key, api } = load("baas");
  const names = { __proto__: null, read_perm: "_read_perm", write_perm: "_write_perm" };
  const nameOf = (field) => names[field] ?? field;
  // askedName is nameOf in conditions, orders and selections, where _id is id.
  const askedName = (field) => (field === "_id" ? "id" : nameOf(field));

  // plain is a value as it is sent: a record as what a pointer to it holds,
  // shapes of the earth as GeoJSON.
  function plain(field, value) {
    if (value instanceof Record) return field === "created_by" || field === "id" ? value.id : value.pointer();
    if (typeof value === "object" && value !== null && typeof value.toGeoJSON === "function") return value.toGeoJSON();
    return value;
  }
  const plainAll = (field, value) => (Array.isArray(value) ? value.map((v) => plain(field, v)) : plain(field, value));

  const text = (field, what) => {
    if (typeof field !== "string" || field === "") throw wrong(`${what} needs the name of a field`);
    return nameOf(field);
  };

  // Record collects the changes of one record, or of all that a query selects.
  class Record {
    #table; #id; #set = { __proto__: null }; #unset = { __proto__: null }; // a column may be called constructor
    constructor(table, id) {
      this.#table = table;
      this.#id = id;
    }
    get id() { return this.#id; }
    pointer() {
      if (this.#id === undefined) throw wrong("a record without an id cannot be pointed at");
      return { _table: `${this.#table}`, id: this.#id };
    }
    set(field, value) {
      if (typeof field === "object" && field !== null && !Array.isArray(field)) {
        for (const name of Object.keys(field)) this.#put(nameOf(name), plainAll(name, field[name]));
        return this;
      }
      return this.#put(text(field, "set"), plainAll(field, value));
    }
    unset(...fields) {
      for (const one of fields.flat()) {
        const list = typeof one === "object" && one !== null ? Object.keys(one) : [one];
        for (const field of list) {
          const name = text(field, "unset");
          if (name in this.#set) throw wrong(`${name} is set already`);
          this.#unset[name] = "";
        }
      }
      return this;
    }
    #put(name, value) {
      if (name in this.#unset) throw wrong(`${name} is unset already`);
      this.#set[name] = value;
      return this;
    }
    incrementBy(field, n) { return this.#put(text(field, "incrementBy"), { $incr_by: n }); }
    append(field, items) { return this.#put(text(field, "append"), { $append: plainAll(field, [items].flat()) }); }
    uAppend(field, items) { return this.#put(text(field, "uAppend"), { $append_unique: plainAll(field, [items].flat()) }); }
    remove(field, items) {
      const list = plainAll(field, [items].flat());
      // Of objects, shapes and files one goes at a time.
      return this.#put(text(field, "remove"), { $remove: typeof list[0] === "object" && list[0] !== null ? list.slice(0, 1) : list });
    }
    patchObject(field, values) {
      if (typeof values !== "object" || values === null || Array.isArray(values)) throw wrong("patchObject needs an object");
      return this.#put(text(field, "patchObject"), { $update: values });
    }
    pop(field) { return this.#put(text(field, "pop"), { $pop: 1 }); }
    shift(field) { return this.#put(text(field, "shift"), { $pop: -1 }); }

    // take is the body to send; the record is empty afterwards.
    take() {
      const body = Object.keys(this.#unset).length === 0 ? this.#set : { $set: this.#set, $unset: this.#unset };
      this.#set = { __proto__: null };
      this.#unset = { __proto__: null };
      return body;
    }
  }

  const integer = (n, name) => {
    if (!Number.isInteger(n)) throw wrong(`${name} must be an integer`);
    return n;
  };
  const fieldsOf = (fields) => [fields].flat().join(",").split(",").map((name) => name.trim()).filter((name) => name !== "");

  const signed = (name) => (name[0] === "-" ? "-" + askedName(name.slice(1)) : askedName(name));

  // Selection is what lists share: query, order, page, fields. It holds for the
  // next request only.
  class Selection {
    #parameters = {}; #expand = []; #parts = { __proto__: null };
    setQuery(query) {
      if (!(query instanceof load("baas_query").Query)) throw wrong("setQuery needs a Query");
      return this.#with("where", JSON.stringify(query));
    }
    limit(n) { return this.#with("limit", integer(n, "limit")); }
    offset(n) { return this.#with("offset", integer(n, "offset")); }
    orderBy(fields) { return this.#with("order_by", fieldsOf(fields).map(signed).join(",")); }
    select(fields) {
      this.#parts = { __proto__: null };
      const all = [...new Set(fieldsOf(fields).map((name) => {
        const [field, part] = name.split(".", 2);
        if (part !== undefined) (this.#parts[field] ??= []).push(part);
        return signed(field);
      }))];
      const hidden = all.filter((name) => name[0] === "-");
      return this.#with("keys", hidden.length === 0 || hidden.length === all.length ? all.join(",") : undefined);
    }
    expand(fields) {
      this.#expand = fieldsOf(fields);
      return this;
    }
    #with(name, value) {
      this.#parameters[name] = value;
      return this;
    }
    // expansion takes what is to be expanded, undefined where nothing is.
    expansion() {
      const taken = this.#expand.length === 0 ? undefined : { fields: this.#expand, parts: this.#parts };
      this.#expand = [];
      this.#parts = { __proto__: null };
      return taken;
    }
    // parameters takes what was set: the next request starts afresh.
    parameters(more) {
      const taken = { ...this.#parameters, ...more };
      this.#parameters = {};
      return taken;
    }
  }

  // row is a record of an answer with the names it has here (F15).
  function row(data) {
    if (typeof data !== "object" || data === null || data.id === undefined) return data;
    const more = { _id: data.id };
    if (data._read_perm !== undefined) more.read_perm = data._read_perm;
    if (data._write_perm !== undefined) more.write_perm = data._write_perm;
    return Object.assign(data, more);
  }
  async function rows(promise, expansion) {
    const answer = await promise;
    const all = Array.isArray(answer.data?.objects) ? answer.data.objects : [answer.data];
    all.forEach(row);
    if (expansion !== undefined) await load("baas_expand").expand(all, expansion);
    return answer;
  }

  const counted = (options) => (options?.withCount ? { return_total_count: 1 } : {});
  const quiet = (options) => (options?.enableTrigger === false ? { enable_trigger: 0 } : {});

  // many are the parameters of a change of all that a query selects. Triggers
  // fire for a page only; without them the rest is changed in the background.
  function many(selection, query, options) {
    const taken = selection.parameters({ where: JSON.stringify(query), ...quiet(options), ...counted(options) });
    if (taken.limit === undefined && options?.enableTrigger !== false) taken.limit = 1000;
    return taken;
  }

  async function count(path, parameters) {
    const { data } = await api("GET", path, { ...parameters, limit: 1, return_total_count: 1 });
    return data.meta.total_count;
  }

  return { __proto__: null, Record, Selection, plain, row, rows, counted, quiet, many, count, nameOf, askedName };
});
