// The text side of inspect: quoted strings, numbers, and how entries become
// one line, several lines or columns, as in Node. It knows no objects.
(function (host, load, p) {
  "use strict";
  const { apply, getOwnPropertyDescriptor, slice, indexOf, charCodeAt, String } = p;
  const none = [];
  const kArrayExtras = 2;

  // A list is a null-prototype object with a count: no setter on
  // Object.prototype or patched Array method can interfere.
  const list = () => ({ __proto__: null, n: 0 });
  const add = (l, v) => { l[l.n++] = v; };
  // join halves, so that a long entry is not copied once per entry after it.
  const join = (l, separator) => joinPart(l, separator, 0, l.n);
  const joinPart = (l, separator, from, to) => {
    if (to - from > 4) {
      const middle = (from + to) >> 1;
      return joinPart(l, separator, from, middle) + separator + joinPart(l, separator, middle, to);
    }
    let s = "";
    for (let i = from; i < to; i++) s += i === from ? l[i] : separator + l[i];
    return s;
  };
  // sort orders a part of the list, by merging halves.
  const sort = (l, from, to) => {
    if (to - from < 2) return;
    const middle = (from + to) >> 1;
    sort(l, from, middle);
    sort(l, middle, to);
    const merged = list();
    for (let i = from, j = middle; i < middle || j < to;) add(merged, j === to || (i < middle && l[i] <= l[j]) ? l[i++] : l[j++]);
    for (let i = 0; i < merged.n; i++) l[from + i] = merged[i];
  };
  const repeat = (s, n) => {
    let r = "";
    for (let i = 0; i < n; i++) r += s;
    return r;
  };
  const has = (s, sub) => apply(indexOf, s, [sub]) >= 0;
  const cut = (s, from, to) => apply(slice, s, [from, to]);

  // ---- strings

  const hex = "0123456789ABCDEF";
  const lowerHex = "0123456789abcdef";
  const controls = { __proto__: null, "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };

  function quote(s) {
    let q = "'";
    if (has(s, "'")) {
      if (!has(s, '"')) q = '"';
      else if (!has(s, "`") && !has(s, "${")) q = "`";
    }
    let out = "", from = 0;
    for (let i = 0; i < s.length; i++) {
      const c = s[i];
      let escaped;
      if (c === q) escaped = "\\" + c;
      else if (c < " " || c === "\\" || (c >= "\x7f" && c <= "\x9f")) {
        const code = apply(charCodeAt, c, none);
        escaped = controls[c] ?? "\\x" + hex[code >> 4] + hex[code & 15];
      } else if (c >= "\ud800" && c <= "\udfff") {
        if (c < "\udc00" && s[i + 1] >= "\udc00" && s[i + 1] <= "\udfff") { i++; continue; }
        const code = apply(charCodeAt, c, none);
        escaped = "\\u" + lowerHex[code >> 12] + lowerHex[(code >> 8) & 15] + lowerHex[(code >> 4) & 15] + lowerHex[code & 15];
      } else continue;
      out += cut(s, from, i) + escaped;
      from = i + 1;
    }
    return q + (from === 0 ? s : out + cut(s, from)) + q;
  }

  function formatString(ctx, s) {
    let trailer = "";
    if (s.length > ctx.maxStringLength) {
      const more = s.length - ctx.maxStringLength;
      s = cut(s, 0, ctx.maxStringLength);
      trailer = "... " + more + " more character" + (more > 1 ? "s" : "");
    }
    if (ctx.compact !== true && s.length > 16 && s.length > ctx.breakLength - ctx.indent - 4 && has(s, "\n")) {
      const lines = list();
      for (let from = 0; from < s.length;) {
        const at = apply(indexOf, s, ["\n", from]);
        const to = at < 0 ? s.length : at + 1;
        add(lines, quote(cut(s, from, to)));
        from = to;
      }
      return join(lines, " +\n" + repeat(" ", ctx.indent + 2)) + trailer;
    }
    return quote(s) + trailer;
  }

  const formatNumber = (n) => (n === 0 && 1 / n < 0 ? "-0" : "" + n);

  function formatPrimitive(ctx, v) {
    switch (typeof v) {
      case "string": return formatString(ctx, v);
      case "number": return formatNumber(v);
      case "bigint": return v + "n";
      case "symbol": return String(v);
      default: return "" + v; // undefined, null, true, false
    }
  }

  // isIdentifier says whether a key needs no quotes.
  const isIdentifier = (s) => {
    if (s === "") return false;
    for (let i = 0; i < s.length; i++) {
      const c = s[i];
      if (!((c >= "a" && c <= "z") || (c >= "A" && c <= "Z") || c === "_" || (i > 0 && c >= "0" && c <= "9"))) return false;
    }
    return true;
  };

  function indentLines(text, indent) {
    let out = "", from = 0;
    for (;;) {
      const at = apply(indexOf, text, ["\n", from]);
      if (at < 0) return out + cut(text, from);
      out += cut(text, from, at + 1) + repeat(" ", indent);
      from = at + 1;
    }
  }

  const more = (out, n) => { if (n > 0) add(out, "... " + n + " more item" + (n > 1 ? "s" : "")); };

  // ---- layout

  function belowBreakLength(ctx, output, start, base) {
    let total = output.n + start;
    if (total + output.n > ctx.breakLength) return false;
    for (let i = 0; i < output.n; i++) {
      total += output[i].length;
      if (total > ctx.breakLength) return false;
    }
    return base === "" || !has(base, "\n");
  }

  function layout(ctx, output, base, open, close, extras, depth, value) {
    const head = base === "" ? "" : base + " ";
    if (ctx.compact !== true) {
      if (typeof ctx.compact === "number" && ctx.compact >= 1) {
        const entries = output.n;
        if (extras === kArrayExtras && entries > 6) output = group(ctx, output, value);
        if (ctx.current - depth < ctx.compact && entries === output.n) {
          const start = output.n + ctx.indent + open.length + base.length + 10;
          if (belowBreakLength(ctx, output, start, base)) {
            const line = join(output, ", ");
            if (!has(line, "\n")) return head + open + " " + line + " " + close;
          }
        }
      }
      const indent = "\n" + repeat(" ", ctx.indent);
      return head + open + indent + "  " + (join(output, "," + indent + "  ")) + indent + close;
    }
    if (belowBreakLength(ctx, output, 0, base)) return open + (base === "" ? "" : " " + base) + " " + (join(output, ", ")) + " " + close;
    const indent = "\n" + repeat(" ", ctx.indent);
    const gap = base === "" && open.length === 1 ? " " : ((base === "" ? "" : " " + base) + "\n" + (repeat(" ", ctx.indent)) + "  ");
    return open + gap + (join(output, "," + indent + "  ")) + " " + close;
  }

  // group puts the short entries of a long array into columns.
  function group(ctx, output, value) {
    let total = 0, longest = 0;
    const n = ctx.maxArrayLength < output.n ? output.n - 1 : output.n; // the last says "more items"
    for (let i = 0; i < n; i++) {
      const length = output[i].length;
      total += length + 2;
      if (length > longest) longest = length;
    }
    const widest = longest + 2;
    if (!(widest * 3 + ctx.indent < ctx.breakLength && (total / widest > 5 || longest <= 6))) return output;
    const biased = widest - 3 - (widest - total / output.n) ** 0.5;
    const size = biased > 1 ? biased : 1;
    const columns = smallest(round((2.5 * size * n) ** 0.5 / size), floor((ctx.breakLength - ctx.indent) / widest), ctx.compact * 4, 15);
    if (columns <= 1) return output;
    const widths = list();
    for (let i = 0; i < columns; i++) {
      let width = 0;
      for (let j = i; j < n; j += columns) if (output[j].length > width) width = output[j].length;
      add(widths, width + 2);
    }
    const right = allNumbers(value, output.n);
    const rows = list();
    for (let i = 0; i < n; i += columns) {
      const end = i + columns < n ? i + columns : n;
      let row = "";
      for (let j = i; j < end; j++) {
        const cell = j < end - 1 ? output[j] + ", " : output[j];
        const padding = repeat(" ", widths[j - i] - cell.length - (j < end - 1 ? 0 : 2));
        row += right ? padding + cell : j < end - 1 ? cell + padding : cell;
      }
      add(rows, row);
    }
    if (n < output.n) add(rows, output[n]);
    return rows;
  }

  const floor = (x) => x - (x % 1);
  const round = (x) => floor(x + 0.5);
  const smallest = (...ns) => {
    let m = ns[0];
    for (let i = 1; i < ns.length; i++) if (ns[i] < m) m = ns[i];
    return m;
  };

  function allNumbers(value, n) {
    if (value === undefined) return true;
    for (let i = 0; i < n; i++) {
      const d = getOwnPropertyDescriptor(value, "" + i);
      const t = typeof (d === undefined ? undefined : d.value);
      if (t !== "number" && t !== "bigint") return false;
    }
    return true;
  }

  return { __proto__: null, list, add, sort, join, repeat, has, cut, quote, lowerHex, formatNumber, formatPrimitive, isIdentifier, indentLines, more, layout };
});
