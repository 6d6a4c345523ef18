/** The score of a text for a typed one: 0 is no match, more is better. Letters in order are enough: "trg" finds "Triggers". */
export function fit(text: string, typed: string): number {
  const wanted = typed.trim().toLowerCase();
  const has = text.toLowerCase();
  if (wanted === "") return 1;
  if (has.startsWith(wanted)) return 4;

  const at = has.indexOf(wanted);
  if (at > 0) return /[\p{L}\p{N}]/u.test(has[at - 1]!) ? 2 : 3;
  return inOrder(has, wanted.replaceAll(" ", "")) ? 1 : 0;
}

function inOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}

/** The matching items, the best first; equal matches keep their order. */
export function best<Item extends { label: string; group: string }>(items: readonly Item[], typed: string): Item[] {
  return items
    .map((item) => ({ item, fits: fit(item.label, typed) || (fit(`${item.group} ${item.label}`, typed) > 0 ? 0.5 : 0) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits)
    .map(({ item }) => item);
}
