// toLocaleString of numbers and dates without Intl: the formats of en-US and
// zh-CN, in any time zone. What goes beyond is refused, never guessed.
(function (host, load) {
  "use strict";
  const advice = "there is no Intl in cloud functions; bundle a library for it";
  const refuse = (what) => { throw new RangeError(`${what} is not available: ${advice}`); };

  // languageOf is "en" or "zh", for dates and money; forNumbers allows other
  // languages that group digits in the same way.
  function languageOf(locales, forNumbers) {
    const tag = Array.isArray(locales) ? locales[0] : locales;
    if (tag === undefined) return "en";
    const [language, region] = `${tag}`.split("-");
    if (forNumbers && /^(en|zh|ja|ko|th|he)$/.test(language) && region !== "IN") return language;
    if (language === "en" && (region === undefined || region === "US")) return "en";
    if (language === "zh" && (region === undefined || region === "CN" || region === "Hans")) return "zh";
    return refuse(`the locale "${tag}"`);
  }

  // optionsOf checks that nothing is asked for that would be left undone.
  function optionsOf(options, known) {
    if (options === undefined) return {};
    if (options === null) throw new TypeError("toLocaleString: the options are null");
    for (const key of Object.keys(options)) if (options[key] !== undefined && !Object.hasOwn(known, key)) refuse(`the option ${key}`);
    for (const [key, values] of Object.entries(known)) {
      if (values && options[key] !== undefined && !values.includes(options[key])) refuse(`${key} "${options[key]}"`);
    }
    return options;
  }

  // ---- numbers

  const numberOptions = {
    style: ["decimal", "percent", "currency"], currency: null, currencyDisplay: ["symbol", "narrowSymbol"], useGrouping: null,
    minimumIntegerDigits: null, minimumFractionDigits: null, maximumFractionDigits: null, localeMatcher: null,
  };
  const symbols = {
    en: { USD: "$", EUR: "€", GBP: "£", JPY: "¥", CNY: "CN¥", KRW: "₩", INR: "₹", HKD: "HK$", TWD: "NT$", AUD: "A$", CAD: "CA$" },
    zh: { USD: "US$", EUR: "€", GBP: "£", JPY: "JP¥", CNY: "¥", KRW: "￦", INR: "₹", HKD: "HK$", TWD: "NT$", AUD: "AU$", CAD: "CA$" },
  };

  function number(x, locales, given) {
    const o = optionsOf(given, numberOptions);
    const language = languageOf(locales, o.style !== "currency");
    const negative = x < 0 || Object.is(x, -0);
    const text = Number.isNaN(x) ? "NaN" : x === Infinity || x === -Infinity ? "∞" : digits(x, o);
    const body = o.style === "percent" ? text + "%" : o.style === "currency" ? money(text, o.currency, language) : text;
    return (negative ? "-" : "") + body;
  }

  function money(text, currency, language) {
    if (!/^[A-Za-z]{3}$/.test(`${currency}`)) throw new TypeError("Currency code is required with currency style.");
    const code = currency.toUpperCase();
    return (symbols[language][code] ?? code + "\u00a0") + text;
  }

  function digits(x, o) {
    const cents = o.style === "currency" ? (/^(JPY|KRW|VND)$/i.test(o.currency) ? 0 : 2) : undefined;
    const count = (name, most) => {
      const v = o[name];
      if (v !== undefined && !(v >= 0 && v <= most)) throw new RangeError(`${name} value is out of range.`);
      return v === undefined ? undefined : Math.floor(v);
    };
    let least = count("minimumFractionDigits", 100), most = count("maximumFractionDigits", 100);
    const usual = cents ?? 0, usualMost = cents ?? (o.style === "percent" ? 0 : 3);
    if (least !== undefined && most !== undefined && least > most) throw new RangeError("maximumFractionDigits value is out of range.");
    least ??= Math.min(usual, most ?? usual);
    most ??= Math.max(usualMost, least);
    let [whole, part] = rounded(decimal(x, o.style === "percent" ? 2 : 0), most);
    part = part.replace(/0+$/, "").padEnd(least, "0");
    whole = whole.padStart(count("minimumIntegerDigits", 21) ?? 1, "0");
    if (o.useGrouping !== false && o.useGrouping !== "false") whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return part === "" ? whole : whole + "." + part;
  }

  // decimal writes a number's value out: digits before and after the point,
  // which is moved to the right by shift.
  function decimal(x, shift) {
    const [mantissa, exponent] = `${x < 0 ? -x : x}`.split("e");
    const [whole, part = ""] = mantissa.split(".");
    const point = whole.length + Number(exponent ?? 0) + shift;
    const all = (whole + part).padEnd(point, "0");
    return point <= 0 ? ["0", "0".repeat(-point) + all] : [all.slice(0, point), all.slice(point)];
  }

  function rounded([whole, part], most) {
    whole = whole.replace(/^0+(?=\d)/, "");
    if (part.length <= most) return [whole, part];
    if (part[most] < "5") return [whole, part.slice(0, most)];
    const up = (BigInt(whole + part.slice(0, most)) + 1n).toString().padStart(most + 1, "0");
    return [up.slice(0, up.length - most), up.slice(up.length - most)];
  }

  // ---- dates

  const two = ["numeric", "2-digit"], named = ["long", "short"];
  const dateOptions = {
    timeZone: null, hour12: null, hourCycle: ["h12", "h23"], localeMatcher: null, calendar: ["gregory"], numberingSystem: ["latn"],
    weekday: named, year: ["numeric"], month: [...two, ...named], day: two, hour: two, minute: two, second: two,
  };
  const words = {
    months: "January February March April May June July August September October November December".split(" "),
    days: "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" "),
    zhDays: "日一二三四五六",
  };
  const dateFields = ["weekday", "year", "month", "day"], timeFields = ["hour", "minute", "second"];

  // date is toLocaleString ("any"), toLocaleDateString or toLocaleTimeString.
  function date(kind, d, locales, given) {
    const ms = d.getTime();
    const o = { ...optionsOf(given, dateOptions) };
    const language = languageOf(locales, false);
    if (Number.isNaN(ms)) return "Invalid Date";
    const asked = (fields) => fields.some((f) => o[f] !== undefined);
    const fill = (fields) => { for (const f of fields) o[f] = "numeric"; };
    const needDate = kind === "date" ? !asked(dateFields) : kind === "any" && !asked(dateFields) && !asked(timeFields);
    const needTime = kind === "time" ? !asked(timeFields) : kind === "any" && !asked(dateFields) && !asked(timeFields);
    if (needDate) fill(["year", "month", "day"]);
    if (needTime) fill(timeFields);
    const at = new Date(ms + offset(o.timeZone, ms) * 60000);
    const day = language === "zh" ? chineseDate(at, o) : englishDate(at, o);
    const time = o.hour === undefined && o.minute === undefined && o.second === undefined ? "" : timeText(at, o, language);
    if (day === "" || time === "") return day + time;
    const join = language === "zh" ? (o.year === undefined && o.month === undefined && o.day === undefined ? "" : " ") : o.month === "long" ? " at " : day === weekday(at, o) ? " " : ", ";
    return day + join + time;
  }

  // offset is minutes east of Greenwich; the clock here is in UTC.
  function offset(zone, ms) {
    if (zone === undefined || /^(etc\/)?(utc|gmt)$/i.test(zone)) return 0;
    const fixed = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(zone);
    if (fixed) return (fixed[1] === "-" ? -1 : 1) * (60 * fixed[2] + Number(fixed[3] ?? 0));
    const minutes = host.zone?.(`${zone}`, ms);
    if (minutes === undefined) throw new RangeError(`Invalid time zone specified: ${zone}`);
    return minutes;
  }

  const number2 = (n, style) => (style === "2-digit" ? `${n}`.padStart(2, "0") : `${n}`);

  function weekday(at, o) {
    const name = words.days[at.getUTCDay()];
    return o.weekday === "long" ? name : o.weekday === "short" ? name.slice(0, 3) : "";
  }

  function englishDate(at, o) {
    const name = weekday(at, o);
    const year = o.year === undefined ? "" : `${at.getUTCFullYear()}`;
    const day = o.day === undefined ? "" : number2(at.getUTCDate(), o.day);
    let rest;
    if (o.month === "long" || o.month === "short") {
      const month = words.months[at.getUTCMonth()];
      rest = (o.month === "long" ? month : month.slice(0, 3)) + (day === "" ? "" : " " + day) + (year === "" ? "" : (day === "" ? " " : ", ") + year);
    } else {
      rest = [o.month === undefined ? "" : number2(at.getUTCMonth() + 1, o.month), day, year].filter(Boolean).join("/");
    }
    return name !== "" && rest !== "" ? name + ", " + rest : name + rest;
  }

  function chineseDate(at, o) {
    const name = o.weekday === undefined ? "" : (o.weekday === "long" ? "星期" : "周") + words.zhDays[at.getUTCDay()];
    const text = o.month === "long" || o.month === "short";
    if (o.year === undefined && o.month === undefined && o.day === undefined) return name;
    if (o.month === undefined || o.day === undefined) return refuse("a Chinese date without month and day");
    const year = o.year === undefined ? "" : `${at.getUTCFullYear()}`;
    const month = number2(at.getUTCMonth() + 1, o.month), day = number2(at.getUTCDate(), o.day);
    if (text || name !== "") return (year && year + "年") + month + "月" + day + "日" + name;
    return (year && year + "/") + month + "/" + day;
  }

  function timeText(at, o, language) {
    const half = o.hour12 !== undefined ? Boolean(o.hour12) : o.hourCycle !== undefined ? o.hourCycle === "h12" : language === "en";
    const h = at.getUTCHours(), parts = [];
    const alone = o.minute === undefined && o.second === undefined;
    if (o.hour !== undefined) {
      if (language === "zh" && alone) return refuse("a Chinese hour alone");
      const shown = !half ? (h === 0 && language === "en" && o.hourCycle === undefined ? 24 : h) : language === "zh" ? h % 12 : h % 12 || 12;
      parts.push(number2(shown, half ? o.hour : "2-digit"));
    }
    if (o.minute !== undefined) parts.push(number2(at.getUTCMinutes(), "2-digit"));
    if (o.second !== undefined) parts.push(number2(at.getUTCSeconds(), "2-digit"));
    const time = parts.join(":");
    if (!half || o.hour === undefined) return time;
    return language === "zh" ? (h < 12 ? "上午" : "下午") + time : time + (h < 12 ? " AM" : " PM");
  }

  return { __proto__: null, number, date };
});
