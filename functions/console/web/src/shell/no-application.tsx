import { useSignal } from "@preact/signals";
import { Plus } from "lucide-preact";
import { useLocation } from "preact-iso";

import { ownsAll } from "../session";
import { texts } from "../text";
import { Empty } from "../ui/empty";
import { lazy } from "../ui/lazy";
import { Page } from "../ui/page";

const NewApplication = lazy(() => import("../page/settings/new-application").then((m) => m.NewApplication));

const t = texts({
  new: ["New application", "新建应用"],
  other: ["Ask an owner to give you access to an application.", "请所有者为你开通一个应用。"],
  owner: ["Create an application to get started.", "创建第一个应用，只需一秒。"],
  title: ["No application yet", "还没有应用"],
});

/** The page of an account without access to an application. */
export function NoApplication() {
  const { route } = useLocation();
  const making = useSignal(false);

  const button = ownsAll.value && (
    <button class="wa-brand" onClick={() => (making.value = true)}>
      <Plus size={16} /> {t("new")}
    </button>
  );

  return (
    <Page title={t("title")}>
      <Empty title={t("title")} action={button}>
        <p>{ownsAll.value ? t("owner") : t("other")}</p>
      </Empty>
      {making.value && <NewApplication open onClose={() => (making.value = false)} onMade={(id) => route(`/console/${id}/production`)} />}
    </Page>
  );
}
