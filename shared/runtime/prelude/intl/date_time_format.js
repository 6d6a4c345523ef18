// Intl.DateTimeFormat, from tables that Node wrote: what is asked for is a
// pattern, whose fields are filled in. The calendar is the Gregorian one.
(function (host, load, p) {
  "use strict";
  const { resolve, option, number, flag, optionsOf, finish } = load("intl/locale");
  const owner = "Intl.DateTimeFormat";
  const widths = ["narrow", "short", "long"], digits = ["2-digit", "numeric"], styles = ["full", "long", "medium", "short"];
  const fields = {
    __proto__: null, weekday: widths, era: widths, year: digits, month: [...digits, ...widths], day: digits, dayPeriod: widths, hour: digits, minute: digits, second: digits,
    fractionalSecondDigits: undefined, timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"],
  };
  const dateFields = ["weekday", "year", "month", "day"], timeFields = ["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"];
  const letters = { __proto__: null, numeric: "n", "2-digit": "2", narrow: "a", short: "s", long: "l" };

  // ---- options

  // defaultZone is the application's time zone, which each event names.
  function defaultZone() {
    const name = p.run.event?.timezone;
    return (typeof name === "string" && canonicalZone(name)) || "UTC";
  }

  // canonicalZone is the name by which a time zone is shown; undefined if there is none of this name.
  let lines;
  function canonicalZone(name) {
    if (/^(utc|gmt|etc\/utc|etc\/gmt)$/i.test(name)) return "UTC";
    const offset = /^([+-])([01]\d|2[0-3]):?([0-5]\d)?$/.exec(name);
    if (offset !== null) return `${offset[1]}${offset[2]}:${offset[3] ?? "00"}`;
    if (!/^[a-z0-9_+\/-]+$/i.test(name)) return undefined;
    lines ??= load("intl/zones").lines.toLowerCase();
    const wanted = name.toLowerCase();
    for (let at = lines.indexOf(wanted); at >= 0; at = lines.indexOf(wanted, at + 1)) {
      if (!/[;,]/.test(lines[at - 1]) || !/[;,]/.test(lines[at + wanted.length])) continue;
      const text = load("intl/zones").lines, from = text.lastIndexOf(";", at) + 1;
      return /^[^;,]+/.exec(text.slice(from, from + 80))[0];
    }
    return undefined;
  }

  function zoneOf(value) {
    if (value === undefined) return defaultZone();
    const zone = canonicalZone(`${value}`);
    if (zone === undefined) throw new RangeError(`Invalid time zone specified: ${value}`);
    return zone;
  }

  function cycleOf(options, { language, extension }) {
    const asked = option(options, "hourCycle", ["h11", "h12", "h23", "h24"], undefined, owner);
    if (options.hour12 !== undefined) return options.hour12 ? (language === "zh" ? "h11" : "h12") : language === "zh" ? "h23" : "h24";
    return asked ?? (/^h(11|12|23|24)$/.test(extension.hc ?? "") ? extension.hc : language === "zh" ? "h23" : "h12");
  }

  // read gives what resolvedOptions shows, in its order. required and defaults are any, date or time.
  function read(locales, given, required, defaults) {
    const options = optionsOf(given), { language, locale, extension } = resolve(locales);
    const o = { __proto__: null, language, locale, calendar: "gregory", numberingSystem: "latn", timeZone: undefined };
    const cycle = cycleOf(options, { language, extension });
    o.timeZone = zoneOf(options.timeZone);
    const asked = {};
    for (const name in fields) {
      const value = name === "fractionalSecondDigits" ? number(options[name], 1, 3, undefined, name) : option(options, name, fields[name], undefined, owner);
      if (value !== undefined) asked[name] = value;
    }
    const dateStyle = option(options, "dateStyle", styles, undefined, owner), timeStyle = option(options, "timeStyle", styles, undefined, owner);
    if (dateStyle !== undefined || timeStyle !== undefined) {
      for (const name in asked) throw new TypeError(`Can't set option ${name} when ${dateStyle !== undefined ? "dateStyle" : "timeStyle"} is used`);
      if (required === "date" && timeStyle !== undefined) throw new TypeError("Invalid option : timeStyle");
      if (required === "time" && dateStyle !== undefined) throw new TypeError("Invalid option : dateStyle");
    } else {
      const has = (names) => names.some((name) => asked[name] !== undefined);
      const needed = !((required !== "time" && has(dateFields)) || (required !== "date" && has(timeFields)));
      if (needed && defaults !== "time") asked.year = asked.month = asked.day = "numeric";
      if (needed && defaults !== "date") asked.hour = asked.minute = asked.second = "numeric";
    }
    if (asked.hour !== undefined || timeStyle !== undefined) Object.assign(o, { hourCycle: cycle, hour12: cycle === "h11" || cycle === "h12" });
    for (const name of ["weekday", "era", "year", "month", "day", "dayPeriod", "hour", "minute", "second", "fractionalSecondDigits", "timeZoneName"]) if (asked[name] !== undefined) o[name] = asked[name];
    if (dateStyle !== undefined) o.dateStyle = dateStyle;
    if (timeStyle !== undefined) o.timeStyle = timeStyle;
    return { o, pattern: patternOf(o, language, cycle) };
  }

  // ---- patterns

  const pick = (table, at) => {
    table.list ??= table.texts.split("|");
    const code = table.index.charCodeAt(at);
    return table.list[code - (code < 248 ? 48 : 500)];
  };
  const place = (list, value) => (value === undefined ? 0 : list.indexOf(value) + 1);
  const order = { digits: ["numeric", "2-digit"], months: ["numeric", "2-digit", "narrow", "short", "long"] };

  function patternOf(o, language, cycle) {
    const { patterns } = load(`intl/dates_${language}`);
    if (o.dateStyle !== undefined || o.timeStyle !== undefined) {
      return patterns.style[[o.dateStyle, o.timeStyle, o.timeStyle && cycle].filter(Boolean).join(" ")];
    }
    const dateKey = (((place(widths, o.weekday) * 4 + place(widths, o.era)) * 3 + place(order.digits, o.year)) * 6 + place(order.months, o.month)) * 3 + place(order.digits, o.day);
    const timeKey = (((((place(order.digits, o.hour) * 3 + place(order.digits, o.minute)) * 3 + place(order.digits, o.second)) * 4 + (o.fractionalSecondDigits ?? 0)) * 4 + place(widths, o.dayPeriod)) * 4 + ["h11", "h12", "h23", "h24"].indexOf(cycle)) * 2 + (o.timeZoneName === undefined ? 0 : 1);
    const date = pick(patterns.date, dateKey);
    let time = pick(patterns.time, timeKey);
    if (language === "zh" && o.second !== undefined && o.timeZoneName?.endsWith("Generic")) time = time.replace("{z} ", "{z}");
    const onlyWeekday = o.year === undefined && o.month === undefined && o.day === undefined && o.era === undefined;
    if (onlyWeekday && date !== "" && time !== "" && o.timeZoneName !== undefined) return `${date}${language === "zh" ? " " : ", "}${time}`;
    return date !== "" && time !== "" ? date + pick(patterns.glue, dateKey) + time : date + time;
  }

  // ---- values

  const two = (n) => (n < 10 ? `0${n}` : `${n}`);
  function offsetOf(zone, ms) {
    if (zone === "UTC") return 0;
    if (zone[0] !== "+" && zone[0] !== "-") return host.zone(zone, ms) ?? 0;
    return Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  }

  function offsetText(minutes, long) {
    const all = Math.round(Math.abs(minutes) * 60), h = Math.trunc(all / 3600), m = Math.trunc(all / 60) % 60, s = all % 60;
    const seconds = s === 0 ? "" : `:${two(s)}`, sign = minutes < 0 ? "-" : "+";
    if (long) return `GMT${sign}${two(h)}:${two(m)}${seconds}`;
    return `GMT${sign}${h}${m === 0 && s === 0 ? "" : `:${two(m)}${seconds}`}`;
  }

  function zoneName(o, style, ms) {
    const minutes = offsetOf(o.timeZone, ms);
    if (style === "shortOffset" || style === "longOffset") return offsetText(minutes, style === "longOffset");
    if (!Number.isInteger(minutes) && !style.endsWith("Generic")) return offsetText(minutes, style === "long"); // before there were zones
    const table = load(`intl/zones_${o.language}`);
    table.list ??= table.names.split("|");
    table.byZone ??= table.rows.split("|");
    const row = table.byZone[load("intl/zones").names.split(";").indexOf(o.timeZone)]?.split(",") ?? [];
    const year = new Date(ms).getUTCFullYear(), low = Math.min(offsetOf(o.timeZone, Date.UTC(year, 0, 15)), offsetOf(o.timeZone, Date.UTC(year, 6, 15)));
    const column = { short: 0, long: 2, shortGeneric: 4, longGeneric: 5 }[style];
    const name = row[column + (column < 4 && minutes > low ? 1 : 0)];
    if (name) return table.list[parseInt(name, 36)];
    return offsetText(minutes, style === "long" || style === "longGeneric");
  }

  // fieldsOf are the numbers of a time in its zone.
  function fieldsOf(o, ms) {
    const at = new Date(ms + Math.trunc(offsetOf(o.timeZone, ms) * 60000));
    const year = at.getUTCFullYear();
    return { year: year > 0 ? year : 1 - year, era: year > 0 ? 1 : 0, month: at.getUTCMonth(), day: at.getUTCDate(), weekday: at.getUTCDay(), hour: at.getUTCHours(), minute: at.getUTCMinutes(), second: at.getUTCSeconds(), ms: at.getUTCMilliseconds() };
  }

  const types = { __proto__: null, E: "weekday", G: "era", y: "year", M: "month", d: "day", B: "dayPeriod", a: "dayPeriod", h: "hour", m: "minute", s: "second", f: "fractionalSecond", z: "timeZoneName" };

  function valueOf(state, token, f, ms) {
    const { o, pattern } = state, { words } = load(`intl/dates_${o.language}`);
    const kind = token[0], type = types[kind], style = token.length > 1 ? token[1] : letters[o[type]];
    const shown = (n) => (style === "2" ? two(n % 100) : `${n}`);
    switch (kind) {
      case "E": return words[`E${style}`][f.weekday];
      case "G": return words[`G${style}`][f.era];
      case "y": return shown(f.year);
      case "M": return style === "n" || style === "2" ? shown(f.month + 1) : words[`M${style}`][f.month];
      case "d": return shown(f.day);
      case "h": {
        const cycle = o.hourCycle;
        return shown(cycle === "h23" ? f.hour : cycle === "h24" ? f.hour || 24 : cycle === "h11" ? f.hour % 12 : f.hour % 12 || 12);
      }
      case "m": return shown(f.minute);
      case "s": return shown(f.second);
      case "f": return `${f.ms}`.padStart(3, "0").slice(0, Number(style));
      case "a": return words.a[f.hour < 12 ? 0 : 1];
      case "B": return words[`B${letters[o.dayPeriod]}`][f.hour === 12 && (f.minute === 0 || !pattern.includes("{m")) && (f.second === 0 || !pattern.includes("{s")) ? 24 : f.hour];
      default: return zoneName(o, o.timeZoneName ?? (o.timeStyle === "full" ? "long" : "short"), ms);
    }
  }

  function timeOf(date) {
    const ms = date === undefined ? Date.now() : Number(date);
    if (!(Math.abs(ms) <= 8.64e15)) throw new RangeError("Invalid time value");
    return Math.trunc(ms);
  }

  function parts(state, date) {
    const ms = timeOf(date), f = fieldsOf(state.o, ms), out = [];
    for (const piece of state.pattern.split(/(\{[^}]+\})/)) {
      if (piece === "") continue;
      if (piece[0] !== "{") out.push({ type: "literal", value: piece });
      else out.push({ type: types[piece[1]], value: valueOf(state, piece.slice(1, -1), f, ms) });
    }
    return out;
  }
  // As V8 does, a text has plain spaces where its parts have narrow ones.
  const text = (state, date) => {
    let out = "";
    for (const part of parts(state, date)) out += part.value;
    return out.replaceAll("\u202f", " ");
  };

  // ---- the class: old code calls it without new

  const states = new WeakMap();
  function stateOf(self, name) {
    const state = states.get(self);
    if (state === undefined) throw new TypeError(`Method Intl.DateTimeFormat.prototype.${name} called on incompatible receiver ${String(self)}`);
    return state;
  }
  function DateTimeFormat(locales, options) {
    const self = new.target === undefined ? Object.create(DateTimeFormat.prototype) : this;
    states.set(self, read(locales, options, "any", "date"));
    return self;
  }
  const methods = {
    formatToParts(date) { return parts(stateOf(this, "formatToParts"), date); },
    formatRange(start, end) {
      const state = stateOf(this, "formatRange"), a = text(state, start), b = text(state, end);
      return a === b ? a : `${a} – ${b}`;
    },
    formatRangeToParts(start, end) {
      const state = stateOf(this, "formatRangeToParts"), from = (source) => (part) => ({ ...part, source });
      if (text(state, start) === text(state, end)) return parts(state, start).map(from("shared"));
      return [...parts(state, start).map(from("startRange")), { type: "literal", value: " – ", source: "shared" }, ...parts(state, end).map(from("endRange"))];
    },
    resolvedOptions() {
      const { language, ...o } = stateOf(this, "resolvedOptions").o;
      return o;
    },
  };
  for (const name in methods) Object.defineProperty(DateTimeFormat.prototype, name, { value: methods[name], writable: true, configurable: true });
  Object.defineProperty(DateTimeFormat.prototype, "format", {
    configurable: true,
    get() {
      const state = stateOf(this, "format");
      return state.format ??= (date) => text(state, date);
    },
  });
  finish(DateTimeFormat, "DateTimeFormat");

  // toLocale is Date's toLocaleString ("any"), toLocaleDateString and toLocaleTimeString.
  function toLocale(kind, date, locales, options) {
    const ms = date.getTime();
    return Number.isNaN(ms) ? "Invalid Date" : text(read(locales, options, kind, kind === "any" ? "all" : kind), ms);
  }

  return { __proto__: null, DateTimeFormat, toLocale };
});
