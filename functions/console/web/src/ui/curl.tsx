import { useSignal } from "@preact/signals";
import { SquareTerminal } from "lucide-preact";

import { asked, tokenCommand } from "../api/requests";
import { useCommands } from "../shell/commands";
import { common, texts } from "../text";
import { copy } from "./copy";
import { Dialog } from "./dialog";

const t = texts({
  none: ["This page has made no API requests.", "此页面尚未请求 API。"],
  token: ["Get $TOKEN with the application's credentials (Settings, Application):", "$TOKEN 由应用凭据（设置 · 应用）换取："],
  tokenCopy: ["Copy the commands for $TOKEN", "复制获取 $TOKEN 的命令"],
});

/** The API requests of the page, as commands. */
export function Curl() {
  const open = useSignal(false);
  const show = () => (open.value = true);
  useCommands([{ label: common("copyCurl"), group: common("copy"), run: show }]);

  return (
    <>
      <button class="icon" title={common("copyCurl")} aria-label={common("copyCurl")} onClick={show}>
        <SquareTerminal size={16} />
      </button>
      <Dialog wide title={common("copyCurl")} open={open.value} onClose={() => (open.value = false)}>
        {asked.value.length === 0 && <p class="quiet">{t("none")}</p>}
        <ul class="asked">
          {asked.value.map(({ name, curl }) => (
            <li key={curl}>
              <button onClick={() => copy(curl)}>{common("copy")}</button> <code>{name}</code>
            </li>
          ))}
        </ul>
        <p class="row hint">
          {t("token")}
          <button onClick={() => copy(tokenCommand())}>{t("tokenCopy")}</button>
        </p>
      </Dialog>
    </>
  );
}
