// Intl: its classes are parts of their own, loaded by the first use.
(function (host, load) {
  "use strict";
  const { canonical, Locale } = load("intl/locale");
  const Intl = {};
  const method = (name, value) => Object.defineProperty(Intl, name, { value, writable: true, configurable: true });
  const classes = {
    Collator: "collator", DateTimeFormat: "date_time_format", NumberFormat: "number_format",
    PluralRules: "plural_rules", RelativeTimeFormat: "relative_time_format", ListFormat: "list_format",
  };
  for (const [name, part] of Object.entries(classes)) {
    Object.defineProperty(Intl, name, { configurable: true, enumerable: false, get: () => method(name, load(`intl/${part}`)[name])[name], set: (value) => { method(name, value); } });
  }

  // What supportedValuesOf knows are the time zones and the currencies.
  function supportedValuesOf(key) {
    if (key === "timeZone") return load("intl/zones").names.split(";");
    if (key === "calendar") return ["gregory"];
    if (key === "numberingSystem") return ["latn"];
    if (key === "currency") return Object.keys(load("intl/numbers_en").currencies);
    if (key === "unit" || key === "collation") return key === "unit" ? load("intl/numbers_en").units.map(([unit]) => unit) : ["default", "pinyin"];
    throw new RangeError(`Invalid key : ${key}`);
  }

  method("Locale", Locale);
  method("getCanonicalLocales", { getCanonicalLocales: (locales) => canonical(locales) }.getCanonicalLocales);
  method("supportedValuesOf", supportedValuesOf);
  Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
  return { __proto__: null, Intl };
});
