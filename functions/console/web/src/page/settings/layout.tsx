import type { ComponentChildren } from "preact";

import { link, path } from "~/place";
import { session } from "~/session";
import { language, texts } from "~/text";
import { Page } from "~/ui/page";
import { showTab } from "~/ui/tabs";
import { type Part, PARTS } from "./parts";

const t = texts({ settings: ["Settings", "设置"], parts: ["Settings sections", "设置分类"] });

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
          <a key={key} ref={key === part ? showTab : undefined} href={hrefOf(key)} aria-current={key === part ? (path.value === hrefOf(key) ? "page" : "true") : undefined}>
            {PARTS[key][says]}
          </a>
        ))}
      </nav>
      {children}
    </Page>
  );
}

const hrefOf = (part: Part): string => (part === "" ? link("settings") : link("settings", part));
