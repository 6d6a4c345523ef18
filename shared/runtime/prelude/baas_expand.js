// expand puts the records in the place of pointers to them, one list for each
// table that is pointed at (F14). What is gone stays a pointer.
(function (host, load) {
  "use strict";
  const { api } = load("baas");
  const { row } = load("baas_record");
  const users = "_userprofile", most = 200; // ids of one list

  const pathOf = (table) => (table === users ? "/userve/v2.2/miniapp/user_profile/" : `/oserve/v2.4/table/${encodeURIComponent(table)}/record/`);

  // target is the table and the id that a value points at.
  function target(field, value) {
    if (field === "created_by") return typeof value === "number" ? [users, value] : undefined;
    return typeof value === "object" && value !== null && value._table !== undefined && value.id !== undefined ? [`${value._table}`, value.id] : undefined;
  }

  async function read(table, ids, found) {
    for (let i = 0; i < ids.length; i += most) {
      const some = ids.slice(i, i + most);
      try {
        const { data } = await api("GET", pathOf(table), { where: JSON.stringify({ id: { $in: some } }), limit: most });
        for (const one of data.objects) found.set(`${table}/${one.id}`, row(one));
      } catch (error) {
        if (error.code !== 404) throw error;
      }
    }
  }

  async function expand(records, { fields, parts }) {
    const wanted = new Map(), found = new Map();
    const each = (f) => {
      for (const record of records) for (const field of fields) {
        const at = target(field, record?.[field]);
        if (at !== undefined) f(record, field, at);
      }
    };
    each((record, field, [table, id]) => {
      if (!wanted.has(table)) wanted.set(table, new Set());
      wanted.get(table).add(id);
    });
    await Promise.all([...wanted].map(([table, ids]) => read(table, [...ids], found)));
    each((record, field, [table, id]) => {
      const whole = found.get(`${table}/${id}`);
      if (whole === undefined) return;
      const shown = parts[field] === undefined ? whole : Object.fromEntries(["id", "_id", ...parts[field]].map((name) => [name, whole[name]]));
      record[field] = field === "created_by" ? { ...shown } : { ...shown, _table: table };
    });
  }

  return { __proto__: null, expand };
});
