import { texts } from "../text";

const t = texts({ name: ["Name contains", "名称包含"] });

/** Searches a list by a text; without a label, by a part of the names in it. */
export function Search({ label = t("name"), filter }: { label?: string; filter: { value: string } }) {
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      value={filter.value}
      onChange={(event) => (filter.value = event.currentTarget.value.trim())}
    />
  );
}
