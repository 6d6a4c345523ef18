// Intl.ListFormat, from the tables that Node wrote.
(function (host, load) {
  "use strict";
  const { resolve, option, needObject, finish } = load("intl/locale");

  class ListFormat {
    #o; #language;
    constructor(locales, given) {
      const options = needObject(given), { language, locale } = resolve(locales);
      this.#o = {
        locale, type: option(options, "type", ["conjunction", "disjunction", "unit"], "conjunction", "Intl.ListFormat"),
        style: option(options, "style", ["long", "short", "narrow"], "long", "Intl.ListFormat"),
      };
      this.#language = language;
    }
    formatToParts(list) {
      const items = list === undefined ? [] : [...list], [pair, start, middle, end] = load(`intl/lists_${this.#language}`).lists[`${this.#o.type} ${this.#o.style}`], out = [];
      items.forEach((value, i) => {
        if (typeof value !== "string") throw new TypeError("Iterable yielded " + String(value) + " which is not a string");
        const between = items.length === 2 ? pair : i === items.length - 1 ? end : i === 1 ? start : middle;
        if (i > 0 && between) out.push({ type: "literal", value: between });
        out.push({ type: "element", value });
      });
      return out;
    }
    format(list) { return this.formatToParts(list).map((part) => part.value).join(""); }
    resolvedOptions() { return { ...this.#o }; }
  }
  finish(ListFormat, "ListFormat");
  return { __proto__: null, ListFormat };
});
