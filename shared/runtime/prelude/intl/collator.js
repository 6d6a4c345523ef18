// Intl.Collator: the host compares, Chinese by pinyin where the locale is zh.
(function (host, load) {
  "use strict";
  const { resolve, option, flag, optionsOf, finish } = load("intl/locale");
  const owner = "Intl.Collator";
  const states = new WeakMap();

  function read(locales, given) {
    const options = optionsOf(given, "Intl.Collator"), { language, locale, extension } = resolve(locales);
    return {
      __proto__: null, locale, usage: option(options, "usage", ["sort", "search"], "sort", owner), sensitivity: option(options, "sensitivity", ["base", "accent", "case", "variant"], "variant", owner),
      ignorePunctuation: flag(options, "ignorePunctuation", false), collation: "default", numeric: flag(options, "numeric", extension.kn !== undefined && extension.kn !== "false"),
      caseFirst: option(options, "caseFirst", ["upper", "lower", "false"], /^(upper|lower)$/.test(extension.kf ?? "") ? extension.kf : "false", owner), language,
    };
  }

  const punctuation = /[\p{P}\s]/gu;
  function compare(o, a, b) {
    let x = `${a}`, y = `${b}`;
    if (o.ignorePunctuation) [x, y] = [x.replace(punctuation, ""), y.replace(punctuation, "")];
    const language = o.usage === "search" ? "en" : o.language; // pinyin is for sorting
    const order = host.collate(x, y, o.numeric, o.sensitivity, language);
    if (o.caseFirst !== "upper" || order === 0 || o.sensitivity === "base" || o.sensitivity === "accent") return order;
    return host.collate(x, y, o.numeric, "accent", language) === 0 ? -order : order;
  }

  function Collator(locales, options) {
    const self = new.target === undefined ? Object.create(Collator.prototype) : this;
    states.set(self, { o: read(locales, options), compare: undefined });
    return self;
  }
  function stateOf(self, name) {
    const state = states.get(self);
    if (state === undefined) throw new TypeError(`Method Intl.Collator.prototype.${name} called on incompatible receiver ${String(self)}`);
    return state;
  }
  Object.defineProperty(Collator.prototype, "compare", {
    configurable: true,
    get() {
      const state = stateOf(this, "compare");
      return state.compare ??= (a, b) => compare(state.o, a, b);
    },
  });
  Object.defineProperty(Collator.prototype, "resolvedOptions", {
    value: { resolvedOptions() {
      const { language, ...o } = stateOf(this, "resolvedOptions").o;
      return o;
    } }.resolvedOptions, writable: true, configurable: true,
  });
  finish(Collator, "Collator");
  return { __proto__: null, Collator, localeCompare: (a, b, locales, options) => compare(read(locales, options), a, b) };
});
