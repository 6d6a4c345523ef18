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

  // columnsOf is how wide a text stands: Chinese and its neighbours take two columns a character.
  const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
  function columnsOf(text) {
    let n = 0;
    for (const c of text) n += wide.test(c) ? 2 : 1;
    return n;
  }

  function draw(head, body) {
    const widths = head.map((h, i) => body.reduce((most, row) => Math.max(most, columnsOf(row[i])), columnsOf(h)) + 2);
    const line = (left, middle, right) => left + widths.map((w) => "─".repeat(w)).join(middle) + right;
    const cell = (text, width) => " " + text + " ".repeat(width - columnsOf(text) - 1);
    const row = (cells) => "│" + cells.map((c, i) => cell(c, widths[i])).join("│") + "│";
    return [line("┌", "┬", "┐"), row(head), line("├", "┼", "┤"), ...body.map(row), line("└", "┴", "┘")].join("\n");
  }

  return { __proto__: null, render };
});
