import { useSignal } from "@preact/signals";

import type { components } from "../api/schema";
import { common, texts } from "../text";
import { type Loaded, useLoad } from "./load";

const t = texts({ most: ["Only the newest {n} are shown. Search to find the others.", "仅显示最新的 {n} 条，其余请搜索。"] });

const MOST = 1000; // a page has no more

/** A loaded list of which `more` loads another page. */
export type Pages<T> = Loaded<T> & { more: () => void };

/** Loads a list of at most `size` records; each call of `more` asks for so many more. */
export function usePages<T>(size: number, load: (limit: number) => Promise<T>, deps: readonly unknown[]): Pages<T> {
  const limit = useSignal(size);
  const loaded = useLoad(() => load(limit.value), [...deps, limit.value]);
  return { ...loaded, more: () => (limit.value = Math.min(MOST, limit.value + size)) };
}

/** The button below a list that has another page. */
export function More({ meta, onMore }: { meta: components["schemas"]["PageMeta"]; onMore: () => void }) {
  if (!meta.next) return null;
  if (meta.limit >= MOST) return <p class="more quiet">{t("most", { n: MOST })}</p>;
  return (
    <p class="more">
      <button type="button" onClick={onMore}>{common("more")}</button>
    </p>
  );
}
