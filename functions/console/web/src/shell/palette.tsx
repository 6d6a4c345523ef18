import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

import { menuPages } from "../page/menu";
import { link, place } from "../place";
import { PARTS } from "../page/settings/parts";
import { mayChange, session, signOut } from "../session";
import { language, speak, texts } from "../text";
import { type Command, pageCommands } from "./commands";
import { useNamed, useTrace, useUsers } from "./found";
import { chord } from "./keys";
import { MAKING } from "../ui/use-making";
import { best } from "./search";
import { choose, isDark } from "./theme";

const t = texts({
  application: ["Application", "应用"],
  dark: ["Dark theme", "深色主题"],
  do: ["Command", "执行"],
  go: ["Go to", "前往"],
  light: ["Light theme", "浅色主题"],
  nothing: ["No results", "没有匹配项"],
  settings: ["Settings", "设置"],
  signOut: ["Sign out", "退出登录"],
  title: ["Command palette", "命令面板"],
  what: ["Search or run a command…", "前往或执行…"],
});

const MOST_SHOWN = 50;

/** Everything that can be reached and done, by typing some of its letters. What it finds is asked for when it opens. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);

  return (
    <dialog ref={dialog} class="palette" aria-label={t("title")} onClose={onClose}>
      {open && <Choices onClose={onClose} />}
    </dialog>
  );
}

function Choices({ onClose }: { onClose: () => void }) {
  const typed = useSignal("");
  const chosen = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const commands = useCommandsLike(typed.value);
  const at = Math.max(0, Math.min(chosen.value, commands.length - 1));

  useEffect(() => input.current?.focus(), []);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);

  function run(command: Command | undefined) {
    if (!command) return;
    onClose();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.isComposing) return; // Enter ends a Chinese word here
    if (event.key === "Enter") run(commands[at]);
    else if (event.key === "ArrowDown") chosen.value = Math.min(at + 1, commands.length - 1);
    else if (event.key === "ArrowUp") chosen.value = Math.max(at - 1, 0);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={commands.length > 0 ? `palette-${at}` : undefined}
        aria-label={t("what")}
        placeholder={t("what")}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label={t("title")}>
        {commands.map((command, i) => (
          <li key={i} id={`palette-${i}`} role="option" aria-selected={i === at} onClick={() => run(command)}>
            <small>{command.group}</small> <span>{command.label}</span> {command.keys && <kbd>{chord(command.keys)}</kbd>}
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p class="quiet">{t("nothing")}</p>}
    </>
  );
}

/** The commands that match a text, the best matches first: pages, actions of the page, named objects, and users. */
function useCommandsLike(typed: string): Command[] {
  const fixed = useFixed();
  const named = useNamed(typed);
  const users = useUsers(typed);
  const trace = useTrace(typed);
  const fitting = best([...fixed, ...pageCommands.value, ...named], typed);
  return [...fitting.slice(0, MOST_SHOWN), ...users, ...trace];
}

/** The commands that create an object, on every page. */
const news = (says: 0 | 1) => [
  { label: ["New function", "新建云函数"][says]!, to: link("functions") + MAKING },
  { label: ["New trigger", "新建触发器"][says]!, to: link("triggers", "new") },
  { label: ["New table", "新建数据表"][says]!, to: link("tables") + MAKING },
  { label: ["Upload files", "上传文件"][says]!, to: link("files") + MAKING },
];

function useFixed(): Command[] {
  const { route } = useLocation();
  const says = language.value === "zh" ? 1 : 0;
  const pages = place.value
    ? menuPages.map(({ path, menu }) => ({ label: menu.label[says], group: t("go"), keys: menu.chord, run: () => route(link() + path) }))
    : [];
  const settings = place.value
    ? Object.entries(PARTS).map(([part, label]) => ({ label: label[says], group: t("settings"), run: () => route(link("settings") + (part && "/" + part)) }))
    : [];
  const making = place.value && mayChange.value ? news(says).map(({ label, to }) => ({ label, group: t("do"), run: () => route(to) })) : [];
  const places = (session.value?.applications ?? []).flatMap((a) =>
    a.environments.map((env) => ({
      label: `${a.name} · ${env.name}`,
      group: t("application"),
      run: () => route(`/console/${a.id}/${env.id}`),
    })),
  );
  return [
    ...pages,
    ...making,
    ...settings,
    { label: isDark() ? t("light") : t("dark"), group: t("do"), run: () => choose(isDark() ? "light" : "dark") },
    { label: language.value === "zh" ? "English" : "中文", group: t("do"), run: () => speak(language.value === "zh" ? "en" : "zh") },
    { label: t("signOut"), group: t("do"), run: () => void signOut() },
    ...places,
  ];
}
