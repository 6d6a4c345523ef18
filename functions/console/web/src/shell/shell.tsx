import { useSignal } from "@preact/signals";
import { Command as CommandIcon, LogOut, Menu, UserRound } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ErrorBoundary, useLocation } from "preact-iso";

import { menuPages } from "../page/menu";
import { remember } from "../page/start";
import { link, path, place, PRODUCTION } from "../place";
import { runnerOpen } from "../runner/state";
import { session, signOut } from "../session";
import { language, texts } from "../text";
import { Confirmation } from "../ui/confirm";
import { lazy } from "../ui/lazy";
import { mayLeave } from "../ui/locations";
import { toast, Toasts } from "../ui/toast";
import { useCommands } from "./commands";
import { KeySheet } from "./key-sheet";
import { chord, useKeys } from "./keys";
import { Palette } from "./palette";
import { PlacePicker } from "./place-picker";
import { Preferences } from "./preferences";
import { ActingBanner } from "./acting-banner";

const Runner = lazy(() => import("../runner/runner").then((m) => m.Runner));

const t = texts({
  account: ["Your account", "我的账号"],
  commands: ["Command palette", "命令面板"],
  do: ["Command", "执行"],
  keys: ["Keyboard shortcuts", "快捷键一览"],
  main: ["Main", "主导航"],
  menu: ["Menu", "菜单"],
  run: ["Run a function", "运行云函数"],
  signOut: ["Sign out", "退出登录"],
  skip: ["Skip to content", "跳到内容"],
});

/** The frame around every page: navigation, where one is, and the keys that work everywhere. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { route } = useLocation();
  const menuOpen = useSignal(false);
  const palette = useSignal(false);
  const sheet = useSignal(false);
  const says = language.value === "zh" ? 1 : 0;

  const everywhere = [
    { keys: "$mod+`", label: t("run"), run: () => (runnerOpen.value = !runnerOpen.value) },
    { keys: "Shift+?", label: t("keys"), run: () => (sheet.value = true) },
  ];
  useCommands(everywhere.map((command) => ({ ...command, group: t("do") })));
  useKeys([
    { keys: "$mod+k", label: t("commands"), run: () => (palette.value = !palette.value) },
    ...everywhere,
    ...menuPages.map(({ path, menu }) => ({ keys: menu.chord, label: menu.label[says], run: () => route(link() + path) })),
  ]);
  useEffect(() => {
    menuOpen.value = false;
    if (place.value) remember(place.value.app, place.value.env);
  }, [path.value]);

  async function leave() {
    if (!(await mayLeave())) return;
    await signOut().catch((error: Error) => toast(error.message, "bad"));
  }

  return (
    <div class={"shell" + (place.value && place.value.env !== PRODUCTION ? " in-test" : "")}>
      <a class="skip" href="#main">
        {t("skip")}
      </a>
      <header>
        <button class="icon menu-button" aria-label={t("menu")} aria-expanded={menuOpen.value} onClick={() => (menuOpen.value = !menuOpen.value)}>
          <Menu size={18} />
        </button>
        <a class="brand" href="/console">
          <img src="/console/icon.svg" alt="" width="24" height="24" /> minicloud
        </a>
        <PlacePicker />
        <span class="grow" />
        <button class="icon" title={t("commands")} onClick={() => (palette.value = true)}>
          <CommandIcon size={16} /> <kbd>{chord("$mod+k")}</kbd>
        </button>
        <Preferences />
        {place.value && (
          <a
            class="icon-link"
            href={link("settings", "accounts", session.value?.account.id ?? 0)}
            title={`${t("account")}: ${session.value?.account.email}`}
            aria-label={t("account")}
          >
            <UserRound size={16} />
          </a>
        )}
        <button class="icon" title={`${t("signOut")}: ${session.value?.account.email}`} aria-label={t("signOut")} onClick={leave}>
          <LogOut size={16} />
        </button>
      </header>
      <nav class={menuOpen.value ? "open" : ""} aria-label={t("main")}>
        {place.value &&
          menuPages.map(({ path: below, menu }) => (
            <a
              key={below}
              href={link() + below}
              aria-current={isIn(link() + below, below) ? "page" : undefined}
              title={`${menu.label[says]} (${chord(menu.chord)})`}
            >
              <menu.icon size={16} /> {menu.label[says]}
            </a>
          ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <ActingBanner />
        {children}
      </main>
      <ErrorBoundary>{runnerOpen.value && place.value && <Runner />}</ErrorBoundary>
      <Palette open={palette.value} onClose={() => (palette.value = false)} />
      <KeySheet open={sheet.value} onClose={() => (sheet.value = false)} />
      <Confirmation />
      <Toasts />
    </div>
  );
}

/** Whether the page shown is this one or below it; the overview has all others below it. */
function isIn(address: string, below: string): boolean {
  return path.value === address || path.value === address + "/" || (below !== "" && path.value.startsWith(address + "/"));
}
