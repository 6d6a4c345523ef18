// console.table: rows and columns in box-drawing characters, as Node draws.
(function (host, load) {
  "use strict";
  const { inspect } = load("inspect");
  const indexColumn = "(index)";
  const valueColumn = "Values";

  const show = (v) => inspect(v, { maxArrayLength: 3, breakLength: Infinity, depth: v !== null && typeof v === "object" && !Array.isArray(v) && Object.keys(v).length > 2 ? -1 : 0 });
  const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

  // rowsOf gives [index, value] of everything in data.
  function rowsOf(data) {
    if (data instanceof Map) return { index: "(iteration index)", rows: [...data].map(([key, value], i) => [i, value, key]), keyed: true };
    if (data instanceof Set) return { index: "(iteration index)", rows: [...data].map((value, i) => [i, value]) };
    return { index: indexColumn, rows: Object.keys(data).map((key) => [key, data[key]]) };
  }

  function render(data, wanted) {
    const { index, rows, keyed } = rowsOf(data);
    const columns = wanted ? wanted.map(String) : [];
    let values = false;
    for (const [, value] of rows) {
      if (keyed || !isObject(value)) values = true;
      else if (!wanted) for (const key of Object.keys(value)) if (!columns.includes(key)) columns.push(key);
    }
    const head = [index, ...(keyed ? ["Key"] : []), ...(keyed ? [] : columns), ...(values ? [valueColumn] : [])];
    const body = rows.map(([name, value, key]) => {
      const row = [String(name)];
      if (keyed) return [...row, show(key), show(value)];
      for (const column of columns) row.push(isObject(value) && Object.hasOwn(value, column) ? show(value[column]) : "");
      if (values) row.push(isObject(value) ? "" : show(value));
      return row;
    });
    return draw(head, body);
  }

  function draw(head, body) {
    const widths = head.map((h, i) => Math.max(h.length, ...body.map((row) => row[i].length)) + 2);
    const line = (left, middle, right) => left + widths.map((w) => "─".repeat(w)).join(middle) + right;
    const center = (text, width) => {
      const left = Math.floor((width - text.length) / 2);
      return " ".repeat(left) + text + " ".repeat(width - text.length - left);
    };
    const row = (cells) => "│" + cells.map((c, i) => center(c, widths[i])).join("│") + "│";
    return [line("┌", "┬", "┐"), row(head), line("├", "┼", "┤"), ...body.map(row), line("└", "┴", "┘")].join("\n");
  }

  return { __proto__: null, render };
});
