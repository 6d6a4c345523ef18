const UNITS = ["B", "KB", "MB", "GB"];

/** A number of bytes as people read it: 1536 is "1.5 KB". */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1))} ${UNITS[power]}`;
}
