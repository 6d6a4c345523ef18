import { Languages, Moon, Sun } from "lucide-preact";

import { language, speak, texts } from "../text";
import { choose, isDark } from "./theme";

const t = texts({
  dark: ["Dark theme", "深色主题"],
  light: ["Light theme", "浅色主题"],
});

/** Two buttons: the other theme, the other language. */
export function Preferences() {
  const other = language.value === "zh" ? "English" : "中文";

  return (
    <div class="preferences">
      <button
        class="icon"
        title={isDark() ? t("light") : t("dark")}
        aria-label={isDark() ? t("light") : t("dark")}
        onClick={() => choose(isDark() ? "light" : "dark")}
      >
        {isDark() ? <Sun size={16} /> : <Moon size={16} />}
      </button>
      <button class="icon" title={other} aria-label={other} onClick={() => speak(language.value === "zh" ? "en" : "zh")}>
        <Languages size={16} /> <span lang={language.value === "zh" ? "en" : "zh-CN"}>{other}</span>
      </button>
    </div>
  );
}
