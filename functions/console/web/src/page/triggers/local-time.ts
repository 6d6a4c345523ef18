/** A date as datetime-local wants it: the reader's own clock. */
export function localTime(date: Date): string {
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
