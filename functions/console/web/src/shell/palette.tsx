import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

import { menuPages } from "../page/menu";
import { link, place } from "../place";
import { session } from "../session";
import { texts, language } from "../text";
import { type Command, pageCommands } from "./commands";
import { chord } from "./keys";

const t = texts({
  title: ["Command palette", "命令面板"],
  what: ["Go to, or do…", "前往或执行…"],
  go: ["Go to", "前往"],
  application: ["Application", "应用"],
  nothing: ["Nothing is called that", "没有匹配项"],
});

/** Everything that can be reached and done, by typing some of its letters. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal("");
  const chosen = useSignal(0);
  const commands = useAll().filter((command) => matches(command, typed.value)).slice(0, 50);
  const at = Math.min(chosen.value, commands.length - 1);

  useLayoutEffect(() => {
    if (!open) return dialog.current?.close();
    typed.value = "";
    chosen.value = 0;
    dialog.current?.showModal();
  }, [open]);

  function run(command: Command | undefined) {
    if (!command) return;
    onClose();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") run(commands[at]);
    else if (event.key === "ArrowDown") chosen.value = Math.min(at + 1, commands.length - 1);
    else if (event.key === "ArrowUp") chosen.value = Math.max(at - 1, 0);
    else return;
    event.preventDefault();
  }

  return (
    <dialog ref={dialog} class="palette" aria-label={t("title")} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={commands.length > 0 ? `palette-${at}` : undefined}
        aria-label={t("what")}
        placeholder={t("what")}
        autofocus
        value={typed}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label={t("title")}>
        {commands.map((command, i) => (
          <li
            key={command.group + command.label}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => run(command)}
          >
            <small>{command.group}</small> {command.label} {command.keys && <kbd>{chord(command.keys)}</kbd>}
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p class="quiet">{t("nothing")}</p>}
    </dialog>
  );
}

function useAll(): Command[] {
  const { route } = useLocation();
  const says = language.value === "zh" ? 1 : 0;
  const here = place.value
    ? menuPages.map(({ path, menu }) => ({
        label: menu.label[says],
        group: t("go"),
        keys: menu.chord,
        run: () => route(link() + path),
      }))
    : [];
  const places = (session.value?.applications ?? []).flatMap((a) =>
    a.environments.map((env) => ({
      label: `${a.name} · ${env.name}`,
      group: t("application"),
      run: () => route(`/console/${a.id}/${env.id}`),
    })),
  );
  return [...pageCommands.value, ...here, ...places];
}

/** Letters in order are enough: "trg" finds "Triggers". */
function matches(command: Command, typed: string): boolean {
  const text = (command.group + " " + command.label).toLowerCase();
  let from = 0;
  for (const letter of typed.toLowerCase().replaceAll(" ", "")) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}
