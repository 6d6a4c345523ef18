// Writes the tables of Intl with Node, whose answers they are:
//
//	node generate.mjs
//
// Patterns of dates are taken apart from what Node makes of every combination
// of options; a pattern is text with fields in braces, {Ms} for a short month.
import { execSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const here = new URL(".", import.meta.url);
const locales = { en: "en-US", zh: "zh-CN" };
const widths = [undefined, "narrow", "short", "long"], digits = [undefined, "numeric", "2-digit"];
const months = [undefined, "numeric", "2-digit", "narrow", "short", "long"];
const cycles = ["h11", "h12", "h23", "h24"];
const probe = new Date(Date.UTC(2009, 1, 5, 3, 4, 5, 678));
const letter = { weekday: "E", era: "G", year: "y", month: "M", day: "d", dayPeriod: "B", hour: "h", minute: "m", second: "s", timeZoneName: "z" };
const styleLetter = { numeric: "n", "2-digit": "2", narrow: "a", short: "s", long: "l" };

// styles of a value, to recognise what style a field has been given.
function stylesOf(locale, type) {
  const known = {};
  const one = (style, options) => {
    const part = new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).formatToParts(probe).find((p) => p.type === type);
    if (part) known[part.value] ??= styleLetter[style];
  };
  const list = type === "month" ? months : ["weekday", "era"].includes(type) ? widths : digits;
  if (["year", "day", "hour", "minute", "second"].includes(type)) {
    const n = { year: 2009, day: 5, hour: 3, minute: 4, second: 5 }[type];
    known[`${n}`] = "n";
    known[`${n % 100}`.padStart(2, "0")] = "2";
    return known;
  }
  if (type === "month") Object.assign(known, { 2: "n", "02": "2" });
  for (const style of list) if (style) one(style, { [type]: style });
  return known;
}

function pattern(locale, options, known) {
  return new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).formatToParts(probe).map(({ type, value }) => {
    if (type === "literal") return value;
    if (type === "fractionalSecond") return `{f${value.length}}`;
    if (type === "timeZoneName") return "{z}";
    if (type === "dayPeriod") return value === known.noon ? "{a}" : "{B}";
    const style = known[type][value];
    if (style === undefined) throw new Error(`${locale} ${type} "${value}"`);
    // The style that was asked for is only called by its field, so that fewer patterns differ.
    return options[type] !== undefined && styleLetter[options[type]] === style ? `{${letter[type]}}` : `{${letter[type]}${style}}`;
  }).join("");
}

// table keeps each of many texts once, and an index of one character for each.
function table() {
  const texts = [], index = [];
  return {
    add(text) {
      let at = texts.indexOf(text);
      if (at < 0) at = texts.push(text) - 1;
      index.push(String.fromCharCode(at + (at < 200 ? 48 : 500)));
    },
    json: () => JSON.stringify({ texts: texts.join("|"), index: index.join("") }),
  };
}

function dates(locale) {
  const known = Object.fromEntries(["weekday", "era", "year", "month", "day", "hour", "minute", "second"].map((type) => [type, stylesOf(locale, type)]));
  known.noon = new Intl.DateTimeFormat(locale, { hour: "numeric", hourCycle: "h12", timeZone: "UTC" }).formatToParts(probe).find((p) => p.type === "dayPeriod").value;
  const date = table(), glue = table(), time = table(), plain = { hour: "numeric", minute: "numeric" };
  const text = (options) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).format(probe);
  for (const weekday of widths) for (const era of widths) for (const year of digits) for (const month of months) for (const day of digits) {
    const options = { weekday, era, year, month, day };
    if (!weekday && !year && !month && !day) {
      date.add("");
      glue.add("");
      continue;
    }
    date.add(pattern(locale, options, known));
    const alone = text(options), both = text({ ...options, ...plain });
    if (!both.startsWith(alone) || !both.endsWith(text(plain))) throw new Error(`${locale}: ${both}`);
    glue.add(both.slice(alone.length, both.length - text(plain).length));
  }
  for (const hour of digits) for (const minute of digits) for (const second of digits) for (const fractionalSecondDigits of [undefined, 1, 2, 3]) for (const dayPeriod of widths) for (const hourCycle of cycles) for (const timeZoneName of [undefined, "short"]) {
    if (!hour && !minute && !second && !fractionalSecondDigits && !dayPeriod) time.add(timeZoneName ? "{z}" : "");
    else time.add(pattern(locale, { hour, minute, second, fractionalSecondDigits, dayPeriod, hourCycle, timeZoneName }, known));
  }
  const styles = ["full", "long", "medium", "short"], style = {};
  for (const dateStyle of styles) style[dateStyle] = pattern(locale, { dateStyle }, known);
  for (const hourCycle of cycles) for (const timeStyle of styles) {
    style[`${timeStyle} ${hourCycle}`] = pattern(locale, { timeStyle, hourCycle }, known);
    for (const dateStyle of styles) style[`${dateStyle} ${timeStyle} ${hourCycle}`] = pattern(locale, { dateStyle, timeStyle, hourCycle }, known);
  }
  return `{ date: ${date.json()}, glue: ${glue.json()}, time: ${time.json()}, style: ${JSON.stringify(style)} }`;
}

// words are what fields are called: twelve months, seven days, two eras, halves and periods of the day.
function words(locale) {
  const part = (options, at, type) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).formatToParts(at).find((p) => p.type === type)?.value;
  const out = {};
  for (const width of ["narrow", "short", "long"]) {
    out[`M${styleLetter[width]}`] = Array.from({ length: 12 }, (_, m) => part({ month: width }, Date.UTC(2024, m, 1), "month"));
    out[`E${styleLetter[width]}`] = Array.from({ length: 7 }, (_, d) => part({ weekday: width }, Date.UTC(2024, 8, 1 + d), "weekday"));
    out[`G${styleLetter[width]}`] = [part({ era: width }, new Date(-1e14), "era"), part({ era: width }, new Date(0), "era")];
    out[`B${styleLetter[width]}`] = [...Array.from({ length: 24 }, (_, h) => part({ hour: "numeric", minute: "numeric", dayPeriod: width, hourCycle: "h12" }, Date.UTC(2024, 0, 1, h, 30), "dayPeriod")), part({ hour: "numeric", minute: "numeric", dayPeriod: width, hourCycle: "h12" }, Date.UTC(2024, 0, 1, 12, 0), "dayPeriod")];
  }
  out.a = [3, 15].map((h) => part({ hour: "numeric", hourCycle: "h12" }, Date.UTC(2024, 0, 1, h), "dayPeriod"));
  return JSON.stringify(out);
}

// zones are the names that Node knows, with what it calls them, those of one zone in a line.
const goroot = execSync("go env GOROOT").toString().trim();
const names = execSync(`unzip -Z1 ${goroot}/lib/time/zoneinfo.zip`).toString().split("\n").filter((n) => n && !n.endsWith("/"));
const groups = new Map();
for (const name of [...new Set([...Intl.supportedValuesOf("timeZone"), ...names])]) {
  try {
    const canonical = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    if (!groups.has(canonical)) groups.set(canonical, new Set());
    if (name !== canonical) groups.get(canonical).add(name);
  } catch {} // Go knows it, Node does not
}
const zones = [...groups].map(([canonical, others]) => [canonical, ...others].join(",")).sort();
const zoneList = [...groups.keys()].sort();

function zoneNames(locale) {
  const list = [], at = (text) => { let i = list.indexOf(text); if (i < 0) i = list.push(text) - 1; return i.toString(36); };
  const name = (timeZone, timeZoneName, ms) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName }).formatToParts(ms).find((p) => p.type === "timeZoneName").value;
  const offset = (timeZone, ms) => new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(ms).find((p) => p.type === "timeZoneName").value;
  const winter = Date.UTC(2024, 0, 15, 12), summer = Date.UTC(2024, 6, 15, 12);
  // A name that is only the offset is not kept: it is made where it is asked for.
  const kept = (text) => (/^GMT([+-].*)?$/.test(text) && text !== "GMT" ? "" : at(text));
  const rows = zoneList.map((zone) => {
    const minutes = (ms) => {
      const m = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(offset(zone, ms));
      return m[1] ? Number(`${m[1]}1`) * (m[2] * 60 + Number(m[3])) : 0;
    };
    const [low, high] = minutes(winter) <= minutes(summer) ? [winter, summer] : [summer, winter]; // standard time first
    const row = [];
    for (const style of ["short", "long"]) row.push(kept(name(zone, style, low)), minutes(low) === minutes(high) ? "" : kept(name(zone, style, high)));
    for (const style of ["shortGeneric", "longGeneric"]) row.push(kept(name(zone, style, low)));
    return row.join(",");
  });
  return JSON.stringify({ names: list.join("|"), rows: rows.join("|") });
}

const head = (what) => `// ${what}; written by generate.mjs with Node ${process.versions.node} (ICU ${process.versions.icu}).\n`;
for (const [language, locale] of Object.entries(locales)) {
  writeFileSync(new URL(`dates_${language}.js`, here), `${head(`Patterns and words of dates in ${locale}`)}(() => ({ __proto__: null, patterns: ${dates(locale)}, words: ${words(locale)} }));\n`);
  writeFileSync(new URL(`zones_${language}.js`, here), `${head(`Names of time zones in ${locale}`)}(() => (${zoneNames(locale)}));\n`);
}
writeFileSync(new URL("zones.js", here), `${head("Time zones by all their names, the first of a line is the one that is shown")}(() => ({ __proto__: null, lines: ${JSON.stringify(`;${zones.join(";")};`)}, names: ${JSON.stringify(zoneList.join(";"))} }));\n`);

// ---- numbers

// codes are all currencies that have a name, also those of the past.
const letters26 = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"], display = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });
const codes = letters26.flatMap((a) => letters26.flatMap((b) => letters26.map((c) => a + b + c))).filter((code) => display.of(code) !== undefined);

function numbers(locale) {
  const currencies = {}, names = {}, units = [];
  const part = (options, n, type) => new Intl.NumberFormat(locale, options).formatToParts(n).filter((p) => p.type === type).map((p) => p.value).join("");
  for (const currency of codes) {
    const digits = new Intl.NumberFormat(locale, { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
    const symbol = part({ style: "currency", currency }, 1, "currency"), narrow = part({ style: "currency", currency, currencyDisplay: "narrowSymbol" }, 1, "currency");
    const own = [symbol === currency ? 0 : symbol, narrow === symbol ? 0 : narrow, digits === 2 ? null : digits];
    if (own.some((v) => v !== 0 && v !== null) || digits === 0) currencies[currency] = own;
    else currencies[currency] = 0;
    names[currency] = [...new Set([1, 2].map((n) => part({ style: "currency", currency, currencyDisplay: "name", maximumFractionDigits: 0 }, n, "currency")))].join("|");
  }
  for (const unit of Intl.supportedValuesOf("unit")) {
    const row = [unit];
    for (const unitDisplay of ["short", "narrow", "long"]) {
      const forms = [1, 2].map((n) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay }).format(n).replace(/[12]/, "{0}"));
      row.push([...new Set(forms)].join("|"));
    }
    units.push(row);
  }
  return { currencies, units, names, ...perUnits(locale) };
}

// perUnits are the patterns of "per hour" around a number with its unit, in the three displays, and the compound units that
// do not follow them: miles per hour are mph. A percent is "per" something in the long display only.
function perUnits(locale) {
  const all = Intl.supportedValuesOf("unit"), displays = ["short", "narrow", "long"], per = {}, compound = {};
  const forms = (unit, unitDisplay) => [1, 2].map((n) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay }).format(n).replace(/[12]/, "{0}"));
  for (const below of all) {
    const found = displays.map((unitDisplay) => {
      const votes = new Map();
      for (const above of all) {
        const [, alone] = forms(above, unitDisplay), [, both] = forms(`${above}-per-${below}`, unitDisplay), at = both.indexOf(alone);
        if (above === below || above === "percent" || at < 0) continue;
        const pattern = `${both.slice(0, at)}{0}${both.slice(at + alone.length)}`;
        votes.set(pattern, (votes.get(pattern) ?? 0) + 1);
      }
      return [...votes].sort((a, b) => b[1] - a[1])[0][0];
    });
    per[below] = found;
    for (const above of all) {
      const unit = `${above}-per-${below}`;
      const own = displays.map((unitDisplay, i) => {
        const wanted = forms(unit, unitDisplay), made = forms(above, unitDisplay).map((form) => (above === "percent" && unitDisplay !== "long" ? form : found[i].replace("{0}", form)));
        return `${wanted}` === `${made}` ? 0 : [...new Set(wanted)].join("|");
      });
      if (own.some((form) => form !== 0)) compound[unit] = own;
    }
  }
  return { per, compound };
}

function relative(locale) {
  const out = {};
  for (const unit of ["second", "minute", "hour", "day", "week", "month", "quarter", "year"]) for (const style of ["long", "short", "narrow"]) {
    const always = new Intl.RelativeTimeFormat(locale, { style }), auto = new Intl.RelativeTimeFormat(locale, { style, numeric: "auto" });
    const forms = [1, 2, -1, -2].map((n) => always.format(n, unit).replace(/[12]/, "{0}"));
    const words = {};
    for (const n of [-2, -1, 0, 1, 2]) if (!/\d/.test(auto.format(n, unit))) words[n] = auto.format(n, unit);
    out[`${unit} ${style}`] = [...forms, words];
  }
  return out;
}

function lists(locale) {
  const out = {};
  for (const type of ["conjunction", "disjunction", "unit"]) for (const style of ["long", "short", "narrow"]) {
    const format = (...list) => new Intl.ListFormat(locale, { type, style }).formatToParts(list).filter((p) => p.type === "literal").map((p) => p.value);
    const [pair] = format("a", "b"), [start, middle, end] = format("a", "b", "c", "d");
    out[`${type} ${style}`] = [pair, start, middle, end];
  }
  return out;
}

for (const [language, locale] of Object.entries(locales)) {
  const { currencies, units, names, per, compound } = numbers(locale);
  writeFileSync(new URL(`numbers_${language}.js`, here), `${head(`Symbols and digits of currencies, and units, in ${locale}`)}(() => (${JSON.stringify({ currencies, units, per, compound })}));\n`);
  writeFileSync(new URL(`currencies_${language}.js`, here), `${head(`Names of currencies in ${locale}`)}(() => (${JSON.stringify(names)}));\n`);
  writeFileSync(new URL(`lists_${language}.js`, here), `${head(`Relative times and lists in ${locale}`)}(() => (${JSON.stringify({ relative: relative(locale), lists: lists(locale) })}));\n`);
}
