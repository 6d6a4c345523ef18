import type { components } from "../api/schema";
import { common, texts } from "../text";

const t = texts({ most: ["Only the newest {n} are shown. Search to find the others.", "仅显示最新的 {n} 条，其余请搜索。"] });

const MOST = 1000; // a page has no more

/** The limit of a list that shows another page of so many. */
export const longer = (limit: number, by: number): number => Math.min(MOST, limit + by);

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
