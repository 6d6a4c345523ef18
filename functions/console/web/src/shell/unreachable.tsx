import { useEffect } from "preact/hooks";

import { refresh, unreachable } from "../session";
import { common, texts } from "../text";
import { missing } from "../ui/lazy";
import { Preferences } from "./preferences";

const t = texts({
  again: ["Retrying every few seconds.", "每隔几秒自动重试。"],
  outdated: [
    "Part of this page could not be loaded: the console was updated, or the connection was lost. Reload the page. Unsaved changes are kept.",
    "页面的一部分无法加载：控制台已更新，或网络已断开。请刷新页面，未保存的更改会保留。",
  ],
  reload: ["Reload the page", "刷新页面"],
  title: ["Can't reach the server", "无法连接服务器"],
});

const AGAIN_AFTER_MS = 3000;

/** The page without a reachable server; it retries until the session is loaded. */
export function Unreachable() {
  useEffect(() => {
    const timer = setInterval(() => void refresh(), AGAIN_AFTER_MS);
    return () => clearInterval(timer);
  }, []);

  const { value: error } = unreachable;
  return (
    <main class="sign-in">
      <div class="card">
        <h1>{t("title")}</h1>
        <p role="alert">{error instanceof Error ? error.message : String(error)}</p>
        <p class="hint">{t("again")}</p>
        <button class="wa-brand" onClick={() => void refresh()}>
          {common("tryAgain")}
        </button>
      </div>
      <Preferences />
    </main>
  );
}

/** Says that a part of the page is missing, and reloads it: a page that only changed its address would say nothing. */
export function Outdated() {
  if (!missing.value) return null;
  return (
    <div class="note bad" role="alert">
      <span class="grow">{t("outdated")}</span>
      <button onClick={() => location.reload()}>{t("reload")}</button>
    </div>
  );
}
