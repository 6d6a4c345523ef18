import { effect, signal } from "@preact/signals";

/** The chosen theme; system follows the machine. */
export type Theme = "system" | "light" | "dark";

const KEY = "minicloud.theme";
const stored = localStorage.getItem(KEY);
const dark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(dark.matches);
dark.addEventListener("change", () => (systemIsDark.value = dark.matches));

/** The theme chosen last. */
export const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

/** Whether the page is dark now. */
export const isDark = (): boolean => (theme.value === "system" ? systemIsDark.value : theme.value === "dark");

/** Chooses a theme, here and for the next visit. */
export function choose(next: Theme): void {
  localStorage.setItem(KEY, next);
  theme.value = next;
}

/** Keeps the document in the chosen theme. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.classList.toggle("wa-dark", isDark());
    document.documentElement.classList.toggle("wa-light", !isDark());
  });
}
