import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { LocationProvider, useLocation } from "preact-iso";

import { texts } from "../text";
import { confirm } from "./confirm";

const t = texts({
  leave: ["Leave without saving", "不保存并离开"],
  text: ["You have unsaved changes. They will be lost.", "此处的更改尚未保存，离开后将丢失。"],
  title: ["Leave {name}?", "离开 {name}？"],
});

/** What would be lost by leaving the page; undefined while nothing would. */
const unsaved = signal<string | undefined>(undefined);

/** Says that leaving would lose something, while it would. */
export function useUnsaved(name: string, changed: boolean): void {
  useEffect(() => {
    if (!changed) return;
    unsaved.value = name;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => {
      removeEventListener("beforeunload", ask);
      unsaved.value = undefined;
    };
  }, [name, changed]);
}

/** While something goes on that only this tab drives, the browser asks before it closes it. */
export function useRunning(running: boolean): void {
  useEffect(() => {
    if (!running) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [running]);
}

async function mayLeave(): Promise<boolean> {
  const name = unsaved.value;
  if (name === undefined) return true;
  const sure = await confirm({ title: t("title", { name }), text: t("text"), action: t("leave") });
  if (sure) unsaved.value = undefined;
  return sure;
}

/** Another tab or filter of the page that is shown loses nothing. */
function isHere(url: string, path = globalThis.location.pathname): boolean {
  return new URL(url, globalThis.location.origin).pathname === path;
}

/** Asks before links, keys, and the browser's own back lead away from what is not saved. */
export function AskBeforeLeaving({ children }: { children: ComponentChildren }) {
  const location = useLocation();
  const guarded = useMemo(() => ({ ...location, route }), [location]);

  function route(url: string, replace?: boolean) {
    if (unsaved.value === undefined || isHere(url)) location.route(url, replace);
    else void go(url, replace);
  }

  async function go(url: string, replace?: boolean) {
    if (await mayLeave()) location.route(url, replace);
  }

  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
      const href = (event.target as Element).closest?.("a[href]")?.getAttribute("href");
      if (unsaved.value === undefined || !plain || !href?.startsWith("/console/") || isHere(href)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void go(href);
    };
    // The address has changed already when the browser tells: it is put back, and asked for again if that is meant.
    const onPop = (event: PopStateEvent) => {
      if (unsaved.value === undefined || isHere(globalThis.location.href, location.path)) return;
      event.stopImmediatePropagation();
      const wanted = globalThis.location.pathname + globalThis.location.search;
      history.pushState(null, "", location.url);
      void go(wanted);
    };
    addEventListener("click", onClick, true);
    addEventListener("popstate", onPop, true);
    return () => {
      removeEventListener("click", onClick, true);
      removeEventListener("popstate", onPop, true);
    };
  }, [location]);

  return <LocationProvider.ctx.Provider value={guarded}>{children}</LocationProvider.ctx.Provider>;
}
