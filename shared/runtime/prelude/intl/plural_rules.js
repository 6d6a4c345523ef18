// Intl.PluralRules of English and Chinese.
(function (host, load) {
  "use strict";
  const { resolve, option, optionsOf, finish } = load("intl/locale");
  const { read, numberParts } = load("intl/number_format");

  // category says which form a number, written out, takes.
  function category(language, type, plain) {
    if (language === "zh") return "other";
    if (type === "cardinal") return plain === "1" ? "one" : "other";
    if (!/^\d+$/.test(plain)) return "other";
    const n = Number(plain.slice(-2)), last = n % 10;
    return last === 1 && n !== 11 ? "one" : last === 2 && n !== 12 ? "two" : last === 3 && n !== 13 ? "few" : "other";
  }

  class PluralRules {
    #o; #type; #language; #locale;
    constructor(locales, given) {
      const options = optionsOf(given, "Intl.PluralRules"), { language, locale } = resolve(locales);
      this.#locale = locales === undefined ? locale : language;
      this.#type = option(options, "type", ["cardinal", "ordinal"], "cardinal", "Intl.PluralRules");
      this.#o = read(locales, { minimumIntegerDigits: options.minimumIntegerDigits, minimumFractionDigits: options.minimumFractionDigits, maximumFractionDigits: options.maximumFractionDigits, minimumSignificantDigits: options.minimumSignificantDigits, maximumSignificantDigits: options.maximumSignificantDigits });
      this.#language = language;
    }
    select(n) {
      const value = Number(n);
      if (!Number.isFinite(value)) return "other";
      return category(this.#language, this.#type, numberParts(this.#o, Math.abs(value)).plain);
    }
    selectRange(start, end) {
      if (Number.isNaN(Number(start)) || Number.isNaN(Number(end))) throw new RangeError("Invalid number value");
      return this.select(end);
    }
    resolvedOptions() {
      const { minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits, minimumSignificantDigits, maximumSignificantDigits } = this.#o;
      const categories = this.#language === "zh" ? ["other"] : this.#type === "cardinal" ? ["one", "other"] : ["few", "one", "two", "other"];
      const digits = minimumSignificantDigits === undefined ? { minimumFractionDigits, maximumFractionDigits } : { minimumSignificantDigits, maximumSignificantDigits };
      return { locale: this.#locale, type: this.#type, minimumIntegerDigits, ...digits, pluralCategories: categories };
    }
  }
  finish(PluralRules, "PluralRules");
  return { __proto__: null, PluralRules };
});
