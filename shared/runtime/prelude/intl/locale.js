// What all of Intl shares: locales and options. Two languages are known, en as
// in the United States and zh as in mainland China; others are answered as en-US.
(function (host, load) {
  "use strict";

  // canonical is a list of language tags in their usual spelling.
  function canonical(locales) {
    if (locales === undefined) return [];
    if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
    const list = typeof locales === "string" ? [locales] : locales instanceof Locale ? [locales.toString()] : Array.from(locales);
    return [...new Set(list.map(canonicalTag))];
  }

  function canonicalTag(tag) {
    if (typeof tag !== "string" && (typeof tag !== "object" || tag === null)) throw new TypeError("Incorrect locale information provided");
    const text = `${tag}`;
    if (/^[a-z]{2,3}-$/i.test(text)) throw new RangeError(`Invalid language tag: ${text}`);
    if (!/^([a-z]{2,3}|[a-z]{5,8})(-[a-z0-9]{2,8}|-[a-z0-9])*$/i.test(text) || /-[a-z0-9]$/i.test(text)) throw new RangeError(`Incorrect locale information provided`);
    const parts = text.toLowerCase().split("-");
    const end = parts.findIndex((part, i) => i > 0 && part.length === 1);
    return parts.map((part, i) => {
      if (i === 0 || (end > 0 && i >= end)) return part;
      if (part.length === 4 && /^[a-z]/.test(part)) return part[0].toUpperCase() + part.slice(1);
      return part.length === 2 ? part.toUpperCase() : part;
    }).join("-");
  }

  // The regions of en and zh whose usage is that of the tables.
  const known = { __proto__: null, en: /^en(-Latn)?(-US)?$/, zh: /^zh(-Hans)?(-CN)?$/ };

  // resolve gives {language, locale, extension}: whose tables serve, what
  // resolvedOptions says, and the keys behind -u-.
  function resolve(locales) {
    for (const tag of canonical(locales)) {
      const [base, unicode = ""] = tag.split("-u-");
      const language = base.slice(0, 2);
      if (known[language] !== undefined && (base.length === 2 || base[2] === "-")) {
        return { __proto__: null, language, locale: known[language].test(base) ? base : language === "en" ? "en-US" : "zh-CN", extension: extensionOf(unicode) };
      }
    }
    return { __proto__: null, language: "en", locale: "en-US", extension: extensionOf("") };
  }

  function extensionOf(text) {
    const out = { __proto__: null };
    for (const [, key, value] of text.matchAll(/(?:^|-)([a-z0-9][a-z])((?:-[a-z0-9]{3,8})*)/g)) out[key] ??= value.slice(1);
    return out;
  }

  // option reads one option as text and checks it, as GetOption of ECMA-402.
  function option(options, name, allowed, fallback, owner) {
    const value = options[name];
    if (value === undefined) return fallback;
    const text = `${value}`;
    if (allowed !== undefined && !allowed.includes(text)) throw new RangeError(`Value ${text} out of range for ${owner} options property ${name}`);
    return text;
  }
  const flag = (options, name, fallback) => (options[name] === undefined ? fallback : Boolean(options[name]));

  function number(value, low, high, fallback, name) {
    if (value === undefined) return fallback;
    const n = Number(value);
    if (!(n >= low && n <= high)) throw new RangeError(`${name} value is out of range.`);
    return Math.floor(n);
  }

  function optionsOf(options, owner) {
    if (options === null) throw new TypeError(owner === undefined ? "Cannot convert undefined or null to object" : `${owner} called on null or undefined`);
    return options === undefined ? { __proto__: null } : Object(options);
  }
  function needObject(options) {
    if (options === undefined) return { __proto__: null };
    if (options === null || (typeof options !== "object" && typeof options !== "function")) throw new TypeError("invalid_argument");
    return options;
  }

  function supportedLocalesOf(locales) {
    return canonical(locales).filter((tag) => /^(en|zh)(-|$)/.test(tag));
  }

  // finish gives a class of Intl the properties that all of them have.
  function finish(Class, name) {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
    Object.defineProperty(Class, "supportedLocalesOf", { value: { supportedLocalesOf }.supportedLocalesOf, writable: true, configurable: true });
    return Class;
  }

  class Locale {
    #tag;
    constructor(tag, options = {}) {
      if (typeof tag !== "string" && typeof tag !== "object") throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
      const [base, unicode] = canonicalTag(`${tag}`).split("-u-"), parts = base.split("-");
      const script = options.script ?? parts.find((p, i) => i > 0 && p.length === 4), region = options.region ?? parts.find((p, i) => i > 0 && (p.length === 2 || /^\d{3}$/.test(p)));
      this.#tag = canonicalTag([options.language ?? parts[0], script, region].filter(Boolean).join("-")) + (unicode ? `-u-${unicode}` : "");
    }
    get baseName() { return this.#tag.split("-u-")[0]; }
    get language() { return this.#tag.split("-")[0]; }
    get script() { return this.baseName.split("-").find((p, i) => i > 0 && p.length === 4); }
    get region() { return this.baseName.split("-").find((p, i) => i > 0 && (p.length === 2 || /^\d{3}$/.test(p))); }
    maximize() { return this; }
    minimize() { return new Locale(this.language); }
    toString() { return this.#tag; }
  }
  Object.defineProperty(Locale.prototype, Symbol.toStringTag, { value: "Intl.Locale", configurable: true });

  return { __proto__: null, canonical, resolve, option, flag, number, optionsOf, needObject, supportedLocalesOf, finish, Locale };
});
