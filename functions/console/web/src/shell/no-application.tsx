import { isOwner } from "../session";
import { texts } from "../text";
import { Page } from "../ui/page";

const t = texts({
  title: ["No application yet", "还没有应用"],
  owner: ["Create the first one; it takes a second.", "创建第一个应用，只需一秒。"],
  other: ["An owner has to give you access to one.", "请所有者为你开通一个应用。"],
});

/** What somebody sees who may use no application. */
export function NoApplication() {
  return (
    <Page title={t("title")}>
      <p>{isOwner.value ? t("owner") : t("other")}</p>
    </Page>
  );
}
