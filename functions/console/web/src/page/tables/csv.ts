/** A cell of CSV: null where nothing stands between the commas, "" where `""` does. */
export type CsvCell = string | null;

/** Reads CSV (RFC 4180) line by line; each record says on which line of the text it begins. */
export function* parseCsv(text: string): Generator<{ line: number; cells: CsvCell[]; end: number }> {
  // A field is in quotes, with "" for a quote, or ends at the next comma or line end.
  const field = /"([^"]*(?:""[^"]*)*)"|([^,\r\n]*)/y;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const begins = line;
    const cells: CsvCell[] = [];
    for (let more = true; more; ) {
      field.lastIndex = at;
      const found = field.exec(text)!;
      if (found[2]?.startsWith('"')) throw new Error(`line ${line}: the quote is not closed`);
      const quoted = found[1]?.replaceAll('""', '"');
      cells.push(quoted ?? (found[2] || null));
      line += quoted ? quoted.split("\n").length - 1 : 0;
      at = field.lastIndex;
      more = text[at] === ",";
      if (more) at++;
      else if (at < text.length && text[at] !== "\r" && text[at] !== "\n") throw new Error(`line ${line}: text after the closing quote`);
    }
    if (text[at] === "\r") at++;
    if (text[at] === "\n") at++;
    line++;
    if (cells.length > 1 || cells[0] !== null) yield { line: begins, cells, end: at };
  }
}

/** Matches a text that a spreadsheet reads as a formula, or that was escaped before. */
const FORMULA = /^'*[=+\-@\t\r]/;

/** A text that no spreadsheet runs as a formula. */
export const escaped = (text: string): string => (FORMULA.test(text) ? "'" + text : text);

/** The text that was escaped so. */
export const unescaped = (text: string): string => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);

/** Writes one record of CSV. Texts that would read as something else without quotes get them. */
export function csvLine(cells: readonly CsvCell[]): string {
  return cells.map((cell) => (cell === null ? "" : cell === "" || /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",") + "\r\n";
}
