import { language } from "./text";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

const SIZES = ["B", "KB", "MB", "GB"];

/** Unix seconds, or an ISO text, as a Date; undefined when there is none. */
export function toDate(at: number | string | null | undefined): Date | undefined {
  if (at === null || at === undefined || at === "" || at === 0) return undefined;
  const date = typeof at === "number" ? new Date(at < 1e12 ? at * 1000 : at) : new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A date as `datetime-local` writes it: on the reader's own clock. */
export function localTime(date: Date): string {
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Unix seconds of a `datetime-local` value, which is in the reader's time zone; undefined for none. */
export function unixSeconds(local: string): number | undefined {
  const at = new Date(local).getTime();
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000);
}

/** "3 minutes ago", "in 2 days". */
export function ago(date: Date, now = Date.now()): string {
  const seconds = (date.getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS[3]!;
  return new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** A way to write moments in the reader's own time zone. */
function dateFormat(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  // Made once for each language: making one takes longer than a row of a grid may.
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (date) => {
    const format = formats.get(language.value) ?? new Intl.DateTimeFormat(language.value, options);
    formats.set(language.value, format);
    return format.format(date);
  };
}

/** The whole moment. */
export const moment = dateFormat({ dateStyle: "medium", timeStyle: "medium" });

/** The moment to the minute. */
export const minute = dateFormat({ dateStyle: "medium", timeStyle: "short" });

/** Milliseconds as people say them: "12 ms", "3.4 s". */
export function duration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

/** 12,345 or 1.2M: where the size is enough. */
export function count(n: number): string {
  return new Intl.NumberFormat(language.value, n >= 100_000 ? { notation: "compact", maximumFractionDigits: 1 } : {}).format(n);
}

/** 1,234,567: where every unit counts. */
export function exact(n: number): string {
  return new Intl.NumberFormat(language.value).format(n);
}

/** A number of bytes as people read it: 1536 is "1.5 KB". */
export function bytes(n: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(n, 1)) / 10));
  return `${Number((n / 1024 ** power).toFixed(power === 0 ? 0 : 1))} ${SIZES[power]}`;
}

/** US dollars, with as many digits as small amounts need. */
export function money(usd: number): string {
  const maximumFractionDigits = usd < 0.01 ? 6 : usd < 1 ? 4 : 2;
  return new Intl.NumberFormat(language.value, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", maximumFractionDigits }).format(usd);
}
