import { texts } from "../text";
import { Page } from "../ui/page";

const t = texts({
  title: ["Page not found", "页面不存在"],
  text: ["The address may be out of date, or the item was deleted.", "地址可能已过期，或其内容已被删除。"],
  home: ["Go to the overview", "返回概览"],
});

/** The page of an unknown address. */
export function NotFound() {
  return (
    <Page title={t("title")}>
      <p>{t("text")}</p>
      <a href="/console">{t("home")}</a>
    </Page>
  );
}
