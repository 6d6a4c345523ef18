import { signal } from "@preact/signals";

/** The languages of the console. */
export type Language = "en" | "zh";

const LANGUAGE_KEY = "minicloud.language";

function firstLanguage(): Language {
  const chosen = localStorage.getItem(LANGUAGE_KEY);
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** The present language of the console; every text follows it. */
export const language = signal<Language>(firstLanguage());

/** Changes the language, here and for the next visit. */
export function speak(next: Language): void {
  localStorage.setItem(LANGUAGE_KEY, next);
  language.value = next;
}

/** A text in English and Chinese; `{n}` stands for the value named n, `{n:row|rows}` for it with the word that fits its number. */
export type Text = readonly [en: string, zh: string];

/** Returns the words of one part of the page: `t("rows", { n: 5 })`. Each text stands once, both languages side by side. */
export function texts<Table extends Record<string, Text>>(table: Table) {
  return (key: keyof Table, values: Record<string, string | number> = {}): string =>
    fill(table[key]![language.value === "zh" ? 1 : 0], values);
}

function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    if (!(name in values)) return whole;
    const value = String(values[name]);
    return one === undefined ? value : `${value} ${value === "1" ? one : many}`;
  });
}

/** Words that many pages use. */
export const common = texts({
  cancel: ["Cancel", "取消"],
  close: ["Close", "关闭"],
  copied: ["Copied", "已复制"],
  copy: ["Copy", "复制"],
  copyCurl: ["Copy as curl", "复制为 curl"],
  create: ["Create", "新建"],
  delete: ["Delete", "删除"],
  edit: ["Edit", "编辑"],
  loading: ["Loading…", "加载中…"],
  more: ["Show more", "显示更多"],
  name: ["Name", "名称"],
  no: ["No", "否"],
  noneNamed: ["No results.", "没有名称包含该文字的条目。"],
  reload: ["Reload", "刷新"],
  save: ["Save", "保存"],
  saved: ["Saved", "已保存"],
  search: ["Search", "搜索"],
  status: ["Status", "状态"],
  tryAgain: ["Try again", "重试"],
  yes: ["Yes", "是"],
});
