import type { ComponentChildren } from "preact";

import { link, path } from "~/place";
import { session } from "~/session";
import { language, type Text, texts } from "~/text";
import { Page } from "~/ui/page";

const t = texts({ settings: ["Settings", "设置"], parts: ["Parts of the settings", "设置分类"] });

const PARTS = {
  "": ["Application", "应用"],
  accounts: ["Administrators", "管理员"],
  audit: ["Audit log", "审计日志"],
  payments: ["Payments", "支付"],
  mail: ["Mail", "邮件"],
  sms: ["SMS", "短信"],
  messages: ["Template messages", "模板消息"],
  inbox: ["Inbox", "收件箱"],
} satisfies Record<string, Text>;

/** A part of the settings, as its address has it; "" is the first. */
export type Part = keyof typeof PARTS;

/** A page of the settings with the way to the others. */
export function SettingsPage({
  part,
  title,
  actions,
  children,
}: {
  part: Part;
  /** Of a page below the part. */
  title?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const says = language.value === "zh" ? 1 : 0;
  const crumbs = [{ label: t("settings"), href: link("settings") }];
  if (title !== undefined) crumbs.push({ label: PARTS[part][says], href: hrefOf(part) });
  const shown = (Object.keys(PARTS) as Part[]).filter((key) => key !== "inbox" || session.value?.features.inbox_url);

  return (
    <Page title={title ?? PARTS[part][says]} crumbs={crumbs} actions={actions}>
      <nav class="tabs" aria-label={t("parts")}>
        {shown.map((key) => (
          <a key={key} href={hrefOf(key)} aria-current={key === part ? (path.value === hrefOf(key) ? "page" : "true") : undefined}>
            {PARTS[key][says]}
          </a>
        ))}
      </nav>
      {children}
    </Page>
  );
}

const hrefOf = (part: Part): string => (part === "" ? link("settings") : link("settings", part));
