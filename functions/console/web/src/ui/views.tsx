import { useSignal } from "@preact/signals";
import { Bookmark, Pencil, Trash2 } from "lucide-preact";
import { useLocation } from "preact-iso";

import { common, texts } from "../text";
import { Dialog } from "./dialog";
import { Input } from "./field";
import { addressWith } from "./filter";
import { Options } from "./options";

const t = texts({
  forget: ["Delete view", "删除此视图"],
  keep: ["Save view", "保存当前筛选"],
  name: ["View name", "视图名称"],
  none: ["all", "全部"],
  rename: ["Rename view", "重命名此视图"],
  view: ["View", "视图"],
});

type View = { name: string; query: string };

const keyOf = (list: string): string => `minicloud.views.${list}`;

function viewsOf(list: string): View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(list)) ?? "[]");
    return Array.isArray(kept) ? kept.filter((view) => typeof view?.name === "string" && typeof view?.query === "string") : [];
  } catch {
    return [];
  }
}

/** The query parameter of the tab, which is no filter. */
const TAB = "tab";

function filtersOf(params: URLSearchParams): string {
  const filters = new URLSearchParams(params);
  filters.delete(TAB);
  filters.sort();
  return filters.toString();
}

/** The filters of a list, kept under names in this browser. The list must keep its filters by useFilter. */
export function Views({ list }: { list: string }) {
  const { route, url } = useLocation();
  const views = useSignal(viewsOf(list));
  const naming = useSignal(false);
  const here = new URL(url, location.origin).searchParams;
  const query = filtersOf(here);
  const shown = views.value.find((view) => view.query === query);

  function keep(next: View[]) {
    views.value = next.toSorted((a, b) => a.name.localeCompare(b.name));
    localStorage.setItem(keyOf(list), JSON.stringify(views.value));
  }

  function choose(name: string) {
    const view = views.value.find((one) => one.name === name);
    const params = new URLSearchParams(view?.query);
    const tab = here.get(TAB);
    if (tab !== null) params.set(TAB, tab);
    route(addressWith(params), true);
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name")).trim();
    if (name === "") return;
    keep([...views.value.filter((view) => view.name !== name && view !== shown), { name, query }]);
    naming.value = false;
  }

  return (
    <>
      {views.value.length > 0 && (
        <label class="choice">
          {t("view")}
          <select value={shown?.name ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">{t("none")}</option>
            <Options of={views.value.map(({ name }) => name)} />
          </select>
        </label>
      )}
      {shown ? (
        <>
          <button class="icon" title={t("rename")} aria-label={t("rename")} onClick={() => (naming.value = true)}>
            <Pencil size={14} />
          </button>
          <button class="icon" title={t("forget")} aria-label={t("forget")} onClick={() => keep(views.value.filter((view) => view !== shown))}>
            <Trash2 size={14} />
          </button>
        </>
      ) : (
        query !== "" && (
          <button class="icon" title={t("keep")} aria-label={t("keep")} onClick={() => (naming.value = true)}>
            <Bookmark size={14} />
          </button>
        )
      )}
      <Dialog title={shown ? t("rename") : t("keep")} open={naming.value} onClose={() => (naming.value = false)}>
        <form onSubmit={submit}>
          <Input label={t("name")} name="name" required maxLength={40} autofocus defaultValue={shown?.name} />
          <div class="dialog-foot">
            <button class="wa-brand">{common("save")}</button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
