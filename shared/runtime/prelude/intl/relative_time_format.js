// Intl.RelativeTimeFormat, from the tables that Node wrote.
(function (host, load) {
  "use strict";
  const { resolve, option, optionsOf, finish } = load("intl/locale");
  const { NumberFormat } = load("intl/number_format");
  const units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

  class RelativeTimeFormat {
    #o; #language; #number;
    constructor(locales, given) {
      const options = optionsOf(given, "Intl.RelativeTimeFormat"), { language, locale } = resolve(locales);
      this.#o = {
        locale, style: option(options, "style", ["long", "short", "narrow"], "long", "Intl.RelativeTimeFormat"),
        numeric: option(options, "numeric", ["always", "auto"], "always", "Intl.RelativeTimeFormat"), numberingSystem: "latn",
      };
      this.#language = language;
      this.#number = new NumberFormat(locales);
    }
    #parts(value, unit, name) {
      const n = Number(value), kind = `${unit}`.replace(/s$/, "");
      if (!units.includes(kind)) throw new RangeError(`Invalid unit argument for Intl.RelativeTimeFormat.prototype.${name}() '${unit}'`);
      if (!Number.isFinite(n)) throw new RangeError(`Value need to be finite number for Intl.RelativeTimeFormat.prototype.${name}()`);
      const [one, other, oneAgo, otherAgo, words] = load(`intl/lists_${this.#language}`).relative[`${kind} ${this.#o.style}`];
      if (this.#o.numeric === "auto" && words[n] !== undefined) return [{ type: "literal", value: words[Object.is(n, -0) ? 0 : n] }];
      const past = n < 0 || Object.is(n, -0), size = Math.abs(n), digits = this.#number.formatToParts(size);
      const single = digits.length === 1 && digits[0].value === "1";
      const [before, after] = (past ? (single ? oneAgo : otherAgo) : single ? one : other).split("{0}"), out = [];
      if (before !== "") out.push({ type: "literal", value: before });
      for (const digit of digits) out.push({ ...digit, unit: kind });
      if (after !== "") out.push({ type: "literal", value: after });
      return out;
    }
    format(value, unit) { return this.#parts(value, unit, "format").map((part) => part.value).join(""); }
    formatToParts(value, unit) { return this.#parts(value, unit, "formatToParts"); }
    resolvedOptions() { return { ...this.#o }; }
  }
  finish(RelativeTimeFormat, "RelativeTimeFormat");
  return { __proto__: null, RelativeTimeFormat };
});
