import type { Item } from "./data";

/** The warnings of the platform about an item. */
export function Warnings({ item }: { item: Item }) {
  if (item.problem === "" && item.warnings.length === 0) return null;
  return (
    <ul class="warnings" lang="en">
      {item.problem && <li class="bad">{item.problem}</li>}
      {item.warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}
