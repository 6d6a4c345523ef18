import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { LocationProvider } from "preact-iso";

import { texts } from "../text";
import { confirm } from "./confirm";
import { discard, unsaved } from "./draft";

const t = texts({
  leave: ["Leave without saving", "不保存并离开"],
  text: ["You have unsaved changes on this page. They will be lost.", "此页面的更改尚未保存，离开后将丢失。"],
  title: ["Leave {name}?", "离开 {name}？"],
});

const SCOPE = "/console";

/** While something is not saved, the browser asks before it reloads or closes the tab. */
effect(() => {
  if (unsaved.value.length === 0) return;
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", ask);
  return () => removeEventListener("beforeunload", ask);
});

/** Asks whether unsaved changes on this page may be lost; true without changes. */
export async function mayLeave(): Promise<boolean> {
  if (unsaved.value.length === 0) return true;
  const sure = await confirm({ title: t("title", { name: unsaved.value.join(", ") }), text: t("text"), action: t("leave") });
  if (sure) discard();
  return sure;
}

const here = () => location.pathname + location.search;

/** The number of a history entry: it tells in which direction, and how far, the browser went. */
const entry = (): number | undefined => (history.state as { at?: number } | null)?.at;

type At = { url: string; push: boolean };

/**
 * The address of the page, in the place of preact-iso's provider: links, route() and the browser's own Back all come
 * through here, where leaving what is not saved is asked about first.
 */
export function Locations({ children }: { children: ComponentChildren }) {
  const [at, setAt] = useState<At>(() => ({ url: here(), push: false }));
  const number = useRef(entry() ?? 0);
  /** The path of the page that is shown, while the browser's address may be another one already. */
  const shown = useRef(location.pathname);

  const value = useMemo(() => {
    const { pathname, searchParams } = new URL(at.url, location.origin);
    return {
      url: at.url,
      path: pathname.replace(/\/+$/, "") || "/",
      query: Object.fromEntries(searchParams),
      route: (url: string, replace = false) => void go(url, replace),
      back: () => history.back(),
      forward: () => history.forward(),
      wasPush: at.push,
    };
  }, [at]);

  /** Another tab or filter of the same page loses nothing. */
  async function go(url: string, replace: boolean) {
    const wanted = new URL(url, location.href);
    if (wanted.pathname !== location.pathname && !(await mayLeave())) return;
    if (!replace) number.current++;
    history[replace ? "replaceState" : "pushState"]({ at: number.current }, "", wanted);
    show(!replace);
  }

  function show(push: boolean) {
    shown.current = location.pathname;
    setAt({ url: here(), push });
  }

  useEffect(() => {
    if (entry() === undefined) history.replaceState({ at: number.current }, "");
    /** How many of the next events are our own. */
    let own = 0;

    function accept() {
      number.current = entry() ?? number.current;
      show(false);
    }

    async function onPop() {
      if (own > 0) return void own--;
      const by = (entry() ?? number.current) - number.current;
      if (location.pathname === shown.current || unsaved.value.length === 0 || by === 0) return accept();
      own++;
      history.go(-by);
      if (await mayLeave()) history.go(by); // nothing is unsaved now: the event of it is accepted
    }

    function onClick(event: MouseEvent) {
      const link = event.composedPath().find((node): node is HTMLAnchorElement => node instanceof HTMLAnchorElement && node.href !== "");
      const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
      const href = link?.getAttribute("href") ?? "";
      if (!link || !plain || event.defaultPrevented || link.target !== "" || link.hasAttribute("download")) return;
      if (link.origin !== location.origin || href.startsWith("#") || !link.pathname.startsWith(SCOPE)) return;
      event.preventDefault();
      void go(link.href, false);
    }

    addEventListener("popstate", onPop);
    addEventListener("click", onClick);
    return () => {
      removeEventListener("popstate", onPop);
      removeEventListener("click", onClick);
    };
  }, []);

  return <LocationProvider.ctx.Provider value={value}>{children}</LocationProvider.ctx.Provider>;
}
