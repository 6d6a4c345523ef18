// BaaS.TableObject and BaaS.TableSchema: rows and tables over the platform's
// endpoints (D28, D29).
(function (host, load) {
  "use strict";
  const { api, wrong, key } = load("baas");
  const { Record, Selection, rows, counted, quiet, many, count, nameOf } = load("baas_record");
  const { Query } = load("baas_query");
  const { absent } = load("baas_absent");

  class NewRow extends Record {
    #path;
    constructor(table, path) {
      super(table);
      this.#path = path;
    }
    save(options) { return rows(api("POST", this.#path, quiet(options), this.take())); }
  }

  class StoredRow extends Record {
    #send;
    constructor(table, id, send) {
      super(table, id);
      this.#send = send;
    }
    update(options) { return this.#send(this.take(), options); }
  }

  class TableObject extends Selection {
    #table;
    constructor(table) {
      super();
      this.#table = table;
      key(table, "a table");
    }
    #path(version, id) { return `/oserve/${version}/table/${key(this.#table)}/record/${id === undefined ? "" : key(id, "a row") + "/"}`; }

    get(id) { return rows(api("GET", this.#path("v2.4", id ?? ""), this.parameters()), this.expansion()); }
    find(options) { return rows(api("GET", this.#path("v2.4"), this.parameters(counted(options))), this.expansion()); }
    count() { return count(this.#path("v2.4"), this.parameters()); }
    create() { return new NewRow(this.#table, this.#path("v2.4")); }
    createMany(objects, options) {
      if (!Array.isArray(objects)) throw wrong("createMany needs an array of rows");
      const drafts = objects.map((draft) => new Record().set(draft).take());
      return api("POST", this.#path("v2.4"), quiet(options), drafts);
    }
    getWithoutData(target) {
      if (target instanceof Query) {
        return new StoredRow(this.#table, undefined, (body, options) => api("PUT", this.#path("v2.6"), many(this, target, options), body));
      }
      const path = this.#path("v2.6", target ?? "");
      return new StoredRow(this.#table, target, (body, options) => rows(api("PUT", path, quiet(options), body)));
    }
    async #deleteMany(query, options) {
      const answer = await api("DELETE", this.#path("v2.4"), many(this, query, options));
      delete answer.data.operation_result;
      return answer;
    }
    delete(target, options) {
      if (target instanceof Query) return this.#deleteMany(target, options);
      return api("DELETE", this.#path("v2.4", target ?? ""), quiet(options));
    }
  }
  for (const name of ["exportData", "importData", "getExportTask", "getExportTasks"]) absent(TableObject.prototype, name, `TableObject.${name}`);

  // info is a table as it is sent: the permissions of new rows have names of
  // their own here.
  function info(given) {
    if (typeof given !== "object" || given === null) throw wrong("the description of a table is needed");
    const { row_read_perm, row_write_perm, ...rest } = given;
    if (row_read_perm === undefined && row_write_perm === undefined) return rest;
    const perm = { ...rest.default_row_perm };
    if (row_read_perm !== undefined) perm[nameOf("read_perm")] = row_read_perm;
    if (row_write_perm !== undefined) perm[nameOf("write_perm")] = row_write_perm;
    return { ...rest, default_row_perm: perm };
  }

  async function shown(promise) {
    const answer = await promise;
    for (const table of answer.data?.objects ?? [answer.data]) {
      if (table?.default_row_perm === undefined) continue;
      table.row_read_perm = table.default_row_perm._read_perm;
      table.row_write_perm = table.default_row_perm._write_perm;
    }
    return answer;
  }

  const tables = "/oserve/v1.8/table/";
  class TableSchema {
    createSchema(given) { return shown(api("POST", tables, null, info(given))); }
    getSchema(id) { return shown(api("GET", `${tables}${key(id, "a table")}/`)); }
    getSchemaList({ offset, limit } = {}) { return shown(api("GET", tables, { offset, limit })); }
    updateSchema(id, given) { return shown(api("PUT", `${tables}${key(id, "a table")}/`, null, info(given))); }
    deleteSchema(id) { return api("DELETE", `${tables}${key(id, "a table")}/`); }
  }

  return { __proto__: null, TableObject, TableSchema };
});
