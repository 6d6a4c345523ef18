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
  amount: ["Amount", "金额"],
  cancel: ["Cancel", "取消"],
  close: ["Close", "关闭"],
  columns: ["Columns", "列"],
  copied: ["Copied", "已复制"],
  copy: ["Copy", "复制"],
  copyCurl: ["Copy as curl", "复制为 curl"],
  create: ["Create", "新建"],
  created: ["Created", "创建时间"],
  delete: ["Delete", "删除"],
  edit: ["Edit", "编辑"],
  email: ["Email", "邮箱"],
  environment: ["Environment", "环境"],
  error: ["Error", "原因"],
  function: ["Function", "云函数"],
  groups: ["Groups", "用户组"],
  id: ["ID", "ID"],
  loading: ["Loading…", "加载中…"],
  log: ["Log", "日志"],
  more: ["Show more", "显示更多"],
  name: ["Name", "名称"],
  no: ["No", "否"],
  noChanges: ["No changes to save.", "没有改动。"],
  noneNamed: ["No results.", "没有名称包含该文字的条目。"],
  orders: ["Orders", "订单"],
  reload: ["Reload", "刷新"],
  result: ["Result", "结果"],
  save: ["Save", "保存"],
  saved: ["Saved", "已保存"],
  search: ["Search", "搜索"],
  source: ["Source", "来源"],
  status: ["Status", "状态"],
  time: ["Time", "时间"],
  trace: ["Trace", "追踪"],
  trigger: ["Trigger", "触发器"],
  triggers: ["Triggers", "触发器"],
  tryAgain: ["Try again", "重试"],
  updated: ["Updated", "修改时间"],
  user: ["User", "用户"],
  value: ["Value", "值"],
  yes: ["Yes", "是"],
});
