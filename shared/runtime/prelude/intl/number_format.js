// Intl.NumberFormat: decimal, percent, currency and unit, in standard, compact,
// scientific and engineering notation. Numbers are rounded as they are written,
// not as they are stored: 1.005 is half way.
(function (host, load) {
  "use strict";
  const { resolve, option, number, optionsOf, finish } = load("intl/locale");
  const owner = "Intl.NumberFormat";
  const roundingModes = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
  const increments = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
  const nbsp = "\u00a0";

  // ---- options

  const tables = (language) => load(`intl/numbers_${language}`);
  const digitsOf = (language, currency) => (tables(language).currencies[currency] || [])[2] ?? 2;

  function currencyOf(options, style) {
    const text = option(options, "currency", undefined, undefined, owner);
    if (text !== undefined && !/^[a-z]{3}$/i.test(text)) throw new RangeError(`Invalid currency code : ${text}`);
    if (style === "currency" && text === undefined) throw new TypeError("Currency code is required with currency style.");
    return text?.toUpperCase();
  }

  function unitOf(options, style, language) {
    const text = option(options, "unit", undefined, undefined, owner);
    const known = (unit) => tables(language).units.some(([name]) => name === unit);
    if (text !== undefined && !text.split("-per-").every(known)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${text}'`);
    if (style === "unit" && text === undefined) throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
    return text;
  }

  // readDigits says how a number is rounded, as SetNumberFormatDigitOptions.
  function readDigits(o, options, least, most, compact) {
    o.minimumIntegerDigits = number(options.minimumIntegerDigits, 1, 21, 1, "minimumIntegerDigits");
    const { minimumFractionDigits: minF, maximumFractionDigits: maxF, minimumSignificantDigits: minS, maximumSignificantDigits: maxS } = options;
    const increment = number(options.roundingIncrement, 1, 5000, 1, "roundingIncrement");
    if (!increments.includes(increment)) throw new RangeError("roundingIncrement value is out of range.");
    const mode = option(options, "roundingMode", roundingModes, "halfExpand", owner);
    const priority = option(options, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto", owner);
    const trailing = option(options, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto", owner);
    const hasS = minS !== undefined || maxS !== undefined, hasF = minF !== undefined || maxF !== undefined;
    const needS = priority !== "auto" || hasS, needF = priority !== "auto" || (!needS && (hasF || !compact));
    if (needS) {
      o.minimumSignificantDigits = number(minS, 1, 21, 1, "minimumSignificantDigits");
      o.maximumSignificantDigits = number(maxS, o.minimumSignificantDigits, 21, 21, "maximumSignificantDigits");
    }
    if (needF) {
      const low = number(minF, 0, 100, undefined, "minimumFractionDigits"), high = number(maxF, 0, 100, undefined, "maximumFractionDigits");
      if (low !== undefined && high !== undefined && low > high) throw new RangeError("maximumFractionDigits value is out of range.");
      o.minimumFractionDigits = low ?? Math.min(least, high ?? least);
      o.maximumFractionDigits = high ?? Math.max(most, low ?? most);
    }
    if (!needS && !needF) Object.assign(o, { minimumSignificantDigits: 1, maximumSignificantDigits: 2, minimumFractionDigits: 0, maximumFractionDigits: 0 });
    return { roundingMode: mode, roundingIncrement: increment, trailingZeroDisplay: trailing, roundingPriority: needS || needF ? priority : "morePrecision" };
  }

  function groupingOf(options, compact) {
    const value = options.useGrouping;
    if (value === undefined) return compact ? "min2" : "auto";
    if (value === true) return "always";
    if (value === false || value === null || value === 0 || value === "") return false;
    const text = `${value}`;
    if (text === "true" || text === "false") return compact ? "min2" : "auto";
    if (!["min2", "auto", "always"].includes(text)) throw new RangeError(`Value ${text} out of range for Intl.NumberFormat options property useGrouping`);
    return text;
  }

  function read(locales, given) {
    const options = optionsOf(given, "Intl.NumberFormat"), { language, locale } = resolve(locales);
    const style = option(options, "style", ["decimal", "percent", "currency", "unit"], "decimal", owner);
    const o = { __proto__: null, language, locale, numberingSystem: "latn", style };
    const currency = currencyOf(options, style), display = option(options, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol", owner), sign = option(options, "currencySign", ["standard", "accounting"], "standard", owner);
    const unit = unitOf(options, style, language), unitDisplay = option(options, "unitDisplay", ["short", "narrow", "long"], "short", owner);
    if (style === "currency") Object.assign(o, { currency, currencyDisplay: display, currencySign: sign });
    if (style === "unit") Object.assign(o, { unit, unitDisplay });
    const notation = option(options, "notation", ["standard", "scientific", "engineering", "compact"], "standard", owner), compact = notation === "compact";
    const cents = style === "currency" && notation === "standard" ? digitsOf(language, currency) : 0;
    const rounding = readDigits(o, options, cents, style === "currency" && notation === "standard" ? cents : style === "percent" ? 0 : 3, compact);
    const compactDisplay = option(options, "compactDisplay", ["short", "long"], "short", owner);
    o.useGrouping = groupingOf(options, compact);
    o.notation = notation;
    if (compact) o.compactDisplay = compactDisplay;
    o.signDisplay = option(options, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto", owner);
    return Object.assign(o, rounding);
  }

  // ---- decimal arithmetic on texts: {negative, digits, point}, the value is 0.digits times ten to the point

  function decimal(value) {
    let text;
    if (typeof value === "bigint") text = `${value}`;
    else if (typeof value === "string" && value.length <= 1000 && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) text = value.trim();
    else {
      const n = Number(value);
      if (!Number.isFinite(n)) return { special: Number.isNaN(n) ? "NaN" : "∞", negative: n < 0 };
      text = Object.is(n, -0) ? "-0" : `${n}`;
    }
    const [mantissa, exponent = "0"] = text.toLowerCase().replace(/^[+-]/, "").split("e");
    const [whole, part = ""] = mantissa.split(".");
    return normal({ negative: text[0] === "-", digits: whole + part, point: whole.length + Number(exponent) });
  }

  function normal({ negative, digits, point }) {
    const zeros = /^0*/.exec(digits)[0].length;
    digits = digits.slice(zeros).replace(/0+$/, "");
    return digits === "" ? { negative, digits: "", point: 0 } : { negative, digits, point: point - zeros };
  }

  // round keeps n digits behind the decimal point; n may be negative.
  function round(x, n, mode, increment = 1) {
    const keep = x.point + n;
    if (keep >= x.digits.length && increment === 1) return x;
    let head = BigInt(keep > 0 ? x.digits.slice(0, keep).padEnd(keep, "0") : "0"), rest = keep >= 0 ? x.digits.slice(keep) : "0".repeat(Math.min(-keep, 2)) + x.digits;
    if (increment !== 1) {
      const step = BigInt(increment), over = head % step;
      rest = ratio(over, step, rest);
      head /= step;
      if (up(x.negative, head, rest, mode)) head += 1n;
      head *= step;
    } else if (up(x.negative, head, rest, mode)) head += 1n;
    const text = `${head}`;
    return normal({ negative: x.negative, digits: text, point: text.length - n });
  }

  // ratio writes (over + 0.rest) / step as the digits of a fraction, exact enough to compare with a half.
  function ratio(over, step, rest) {
    const scale = 10n ** BigInt(rest.length), all = (over * scale + BigInt(rest || "0")) * 1000n;
    const digits = `${all / step}`.padStart(rest.length + 3, "0");
    return digits + (all % step === 0n ? "" : "1");
  }

  function up(negative, head, rest, mode) {
    if (!/[1-9]/.test(rest)) return false;
    const first = rest[0], half = first > "5" || (first === "5" && /[1-9]/.test(rest.slice(1))) ? 1 : first === "5" ? 0 : -1;
    switch (mode) {
      case "ceil": return !negative;
      case "floor": return negative;
      case "expand": return true;
      case "trunc": return false;
      case "halfCeil": return half > 0 || (half === 0 && !negative);
      case "halfFloor": return half > 0 || (half === 0 && negative);
      case "halfTrunc": return half > 0;
      case "halfEven": return half > 0 || (half === 0 && head % 2n === 1n);
      default: return half >= 0;
    }
  }

  // rounded gives the number and how many fraction digits it shows at least.
  function rounded(o, x) {
    const byFraction = () => ({ x: round(x, o.maximumFractionDigits, o.roundingMode, o.roundingIncrement), least: o.minimumFractionDigits, precision: o.maximumFractionDigits });
    const bySignificant = () => {
      const n = o.maximumSignificantDigits - (x.digits === "" ? 1 : x.point);
      const y = round(x, n, o.roundingMode);
      return { x: y, least: Math.max(0, o.minimumSignificantDigits - (y.digits === "" ? 1 : y.point)), precision: n };
    };
    let result;
    if (o.maximumSignificantDigits === undefined) result = byFraction();
    else if (o.maximumFractionDigits === undefined || o.roundingPriority === "auto") result = bySignificant();
    else {
      const f = byFraction(), s = bySignificant();
      result = (o.roundingPriority === "morePrecision") === (s.precision > f.precision) ? s : f;
      // Compact numbers show no zeros behind the point.
      if (o.minimumFractionDigits === 0 && o.minimumSignificantDigits === 1) result = { ...result, least: 0 };
    }
    if (o.trailingZeroDisplay === "stripIfInteger" && result.x.point >= result.x.digits.length) result.least = 0;
    return result;
  }

  // written splits a number into its whole and fraction digits.
  function written(x, least, wholeDigits) {
    const whole = x.point > 0 ? x.digits.slice(0, x.point).padEnd(x.point, "0") : "0";
    const part = x.point >= x.digits.length ? "" : x.point >= 0 ? x.digits.slice(x.point) : "0".repeat(-x.point) + x.digits;
    return { whole: whole.padStart(wholeDigits, "0"), part: part.padEnd(least, "0") };
  }

  // ---- notation

  const powers = {
    __proto__: null,
    "en short": [[3, "K"], [6, "M"], [9, "B"], [12, "T"]], "en long": [[3, " thousand"], [6, " million"], [9, " billion"], [12, " trillion"]],
    "zh short": [[4, "万"], [8, "亿"], [12, "万亿"]], "zh long": [[4, "万"], [8, "亿"], [12, "万亿"]],
  };

  // scaled finds the power of ten that notation takes out, again if rounding made one more digit.
  function scaled(o, x) {
    const powerOf = (y) => {
      if (y.digits === "" || o.notation === "standard") return 0;
      const size = y.point - 1;
      if (o.notation === "scientific") return size;
      if (o.notation === "engineering") return Math.floor(size / 3) * 3;
      return (powers[`${o.language} ${o.compactDisplay}`].findLast(([power]) => power <= size) ?? [0])[0];
    };
    const move = (power) => ({ ...x, point: x.point - power });
    let power = powerOf(x), result = rounded(o, move(power));
    const again = powerOf({ ...result.x, point: result.x.point + power });
    if (again !== power && result.x.digits !== "") {
      power = again;
      result = rounded(o, move(power));
    }
    return { ...result, power };
  }

  function numberParts(o, x) {
    if (x.special) return { parts: [{ type: x.special === "NaN" ? "nan" : "infinity", value: x.special }], zero: false, plain: x.special };
    const { x: y, least, power } = scaled(o, o.style === "percent" ? { ...x, point: x.point + (x.digits === "" ? 0 : 2) } : x);
    const { whole, part } = written(y, least, o.minimumIntegerDigits);
    const parts = [];
    const grouped = o.useGrouping !== false && whole.length > (o.useGrouping === "min2" ? 4 : 3) && (o.notation === "standard" || o.notation === "compact");
    const groups = grouped ? whole.replace(/\B(?=(\d{3})+$)/g, ",").split(",") : [whole];
    groups.forEach((value, i) => {
      if (i > 0) parts.push({ type: "group", value: "," });
      parts.push({ type: "integer", value });
    });
    if (part !== "") parts.push({ type: "decimal", value: "." }, { type: "fraction", value: part });
    if (o.notation === "scientific" || o.notation === "engineering") {
      parts.push({ type: "exponentSeparator", value: "E" });
      if (power < 0) parts.push({ type: "exponentMinusSign", value: "-" });
      parts.push({ type: "exponentInteger", value: `${Math.abs(power)}` });
    } else if (power > 0) {
      const word = powers[`${o.language} ${o.compactDisplay}`].find(([n]) => n === power)[1];
      if (word[0] === " ") parts.push({ type: "literal", value: " " });
      parts.push({ type: "compact", value: word.trim() });
    }
    return { parts, zero: y.digits === "", plain: `${whole}${part === "" ? "" : `.${part}`}`, power };
  }

  // ---- signs, currencies and units around the number

  function signOf(o, negative, zero, nan) {
    switch (o.signDisplay) {
      case "never": return "";
      case "always": return negative ? "-" : "+";
      case "exceptZero": return zero || nan ? "" : negative ? "-" : "+";
      case "negative": return negative && !zero ? "-" : "";
      default: return negative ? "-" : "";
    }
  }

  const form = (forms, plain, language) => {
    const [one, other = one] = forms.split("|");
    return language === "en" && plain === "1" ? one : other;
  };

  function symbolOf(o) {
    const own = tables(o.language).currencies[o.currency] || [0, 0, 0];
    if (o.currencyDisplay === "code") return o.currency;
    const symbol = own[0] || o.currency;
    return o.currencyDisplay === "narrowSymbol" ? own[1] || symbol : symbol;
  }

  function around(o, number, sign) {
    const signPart = sign === "" ? [] : [{ type: sign === "-" ? "minusSign" : "plusSign", value: sign }];
    const { parts, plain, power } = number, shown = power ? "other" : plain;
    if (o.style === "percent") return [...signPart, ...parts, { type: "percentSign", value: "%" }];
    if (o.style === "unit") return unitParts(o, parts, signPart, shown);
    if (o.style !== "currency") return [...signPart, ...parts];
    if (o.currencyDisplay === "name") {
      const name = form(load(`intl/currencies_${o.language}`)[o.currency] ?? o.currency, shown, o.language);
      return [...signPart, ...parts, ...(o.language === "en" ? [{ type: "literal", value: " " }] : []), { type: "currency", value: name }];
    }
    const symbol = symbolOf(o), money = [{ type: "currency", value: symbol }, ...(/[A-Za-z]$/.test(symbol) ? [{ type: "literal", value: nbsp }] : []), ...parts];
    if (o.currencySign === "accounting" && sign === "-") return [{ type: "literal", value: "(" }, ...money, { type: "literal", value: ")" }];
    return [...signPart, ...money];
  }

  function unitParts(o, parts, signPart, plain) {
    const [unit, per] = o.unit.split("-per-"), column = { short: 0, narrow: 1, long: 2 }[o.unitDisplay];
    const { units, per: patterns, compound } = tables(o.language), own = compound[o.unit]?.[column];
    let pattern = form(own || units.find(([n]) => n === unit)[column + 1], plain, o.language);
    if (per !== undefined && !own && (unit !== "percent" || o.unitDisplay === "long")) pattern = patterns[per][column].replace("{0}", pattern);
    const [before, after] = pattern.split("{0}"), out = [];
    if (before.trim() !== "") out.push({ type: "unit", value: before.trim() });
    if (/\s$/.test(before)) out.push({ type: "literal", value: before.at(-1) });
    out.push(...signPart, ...parts);
    if (/^\s/.test(after)) out.push({ type: "literal", value: after[0] });
    if (after.trim() !== "") out.push(o.unit === "percent" ? { type: "unit", value: after.trim() } : { type: "unit", value: after.trim() });
    return out;
  }

  function parts(o, value) {
    const x = decimal(value), number = numberParts(o, x);
    return around(o, number, signOf(o, x.negative, number.zero, x.special === "NaN"));
  }
  const text = (o, value) => {
    let out = "";
    for (const part of parts(o, value)) out += part.value;
    return out;
  };

  // ---- the class

  const states = new WeakMap();
  function stateOf(self, name) {
    const o = states.get(self);
    if (o === undefined) throw new TypeError(`Method Intl.NumberFormat.prototype.${name} called on incompatible receiver ${String(self)}`);
    return o;
  }
  function NumberFormat(locales, options) {
    const self = new.target === undefined ? Object.create(NumberFormat.prototype) : this;
    states.set(self, { o: read(locales, options), format: undefined });
    return self;
  }
  const primitive = (value) => (typeof value === "object" && value !== null ? numeric(value) : value);
  const numeric = (value) => { const p = value[Symbol.toPrimitive]?.("number") ?? value.valueOf(); return typeof p === "object" ? `${value}` : p; };
  const methods = {
    formatToParts(value) { return parts(stateOf(this, "formatToParts").o, primitive(value)); },
    formatRange(start, end) {
      const { o } = stateOf(this, "formatRange"), a = text(o, start), b = text(o, end);
      return a === b ? `~${a}` : `${a}–${b}`;
    },
    resolvedOptions() {
      const { language, ...o } = stateOf(this, "resolvedOptions").o;
      return o;
    },
  };
  for (const name in methods) Object.defineProperty(NumberFormat.prototype, name, { value: methods[name], writable: true, configurable: true });
  Object.defineProperty(NumberFormat.prototype, "format", {
    configurable: true,
    get() {
      const state = stateOf(this, "format");
      return state.format ??= (value) => text(state.o, primitive(value));
    },
  });
  finish(NumberFormat, "NumberFormat");

  // Most texts are numbers with the usual options: these are read once.
  const usual = { __proto__: null };
  function toLocale(value, locales, options) {
    if (options === undefined && (locales === undefined || typeof locales === "string")) return text(usual[locales] ??= read(locales, undefined), value);
    return text(read(locales, options), value);
  }

  return { __proto__: null, NumberFormat, toLocale, read, numberParts: (o, value) => numberParts(o, decimal(value)) };
});
