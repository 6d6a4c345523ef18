import { texts } from "../text";
import type { Filter } from "./filter";

const t = texts({ search: ["Name contains", "名称包含"] });

/** Searches a list by a part of the names in it. */
export function NameSearch({ filter }: { filter: Filter<string> }) {
  return (
    <input
      type="search"
      class="search"
      aria-label={t("search")}
      placeholder={t("search")}
      value={filter.value}
      onChange={(event) => (filter.value = event.currentTarget.value)}
    />
  );
}
