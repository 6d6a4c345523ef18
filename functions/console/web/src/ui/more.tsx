import type { components } from "../api/schema";
import { common } from "../text";

/** The button below a list that has another page. */
export function More({ meta, onMore }: { meta: components["schemas"]["PageMeta"]; onMore: () => void }) {
  if (!meta.next) return null;
  return (
    <p class="more">
      <button onClick={onMore}>{common("more")}</button>
    </p>
  );
}
