import { useSignal } from "@preact/signals";
import { Undo2 } from "lucide-preact";

import { api, ask } from "~/api/client";
import { PRODUCTION } from "~/place";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Dialog } from "~/ui/dialog";
import { Empty } from "~/ui/empty";
import { ErrorNote } from "~/ui/error-note";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";
import { canGoBack, nameOf, type Promotion, revert } from "./data";
import { Outcomes } from "./outcomes";

const t = texts({
  rollBack: ["Roll back", "恢复"],
  rollBackText: [
    "{to} returns to its state before this promotion: added items are deleted, changed items are restored. Rows are never deleted.",
    "{to} 将恢复为发布前的内容：新增项删除，其余还原。数据行不会被删除。",
  ],
  by: ["Promoted by", "操作人"],
  force: ["Also roll back items that have changed since then", "连同之后的修改一并恢复"],
  forceText: ["Later changes will be lost.", "之后的修改将丢失。"],
  items: ["Items", "内容"],
  result: ["Result", "发布结果"],
  none: ["No promotions yet", "还没有发布记录"],
  partly: ["partly rolled back", "部分恢复"],
  reverted: ["rolled back", "已恢复"],
  teach: ["Each promotion is listed here for 90 days, and you can roll it back.", "发布记录保留 90 天，可随时恢复。"],
  title: ["History", "历史记录"],
  direction: ["Direction", "方向"],
});

const PAGE = 20;

/** The promotions, newest first, and their rollback. */
export function History({ app }: { app: number }) {
  const shown = useSignal<Promotion | undefined>(undefined);
  const action = useAction();
  const all = usePages(
    PAGE,
    (limit) => ask(api.GET("/console/api/application/{application}/promotion/", { params: { path: { application: app }, query: { limit } } })),
    [app],
  );

  async function goBack(promotion: Promotion, force: boolean) {
    const to = nameOf(promotion.to);
    const text = [force ? t("forceText") : "", t("rollBackText", { to })].join(" ").trim();
    const name = promotion.to === PRODUCTION ? to : undefined;
    await action.confirmed({ title: t("rollBack"), text, action: t("rollBack"), name, everywhere: true }, async () => {
      shown.value = await revert(app, promotion, force);
      await all.reload();
    });
  }

  return (
    <>
      <ErrorNote error={action.failure.value} />
      <LoadedList
        label={t("title")}
        from={all}
        none={
          <Empty title={t("none")}>
            <p>{t("teach")}</p>
          </Empty>
        }
        rowKey={(p) => p.id}
        columns={[
          { label: common("time"), by: (p) => p.created_at, cell: (p) => <Ago at={p.created_at} /> },
          { label: t("direction"), cell: (p) => <span class="clip">{`${nameOf(p.from)} → ${nameOf(p.to)}`}</span> },
          {
            label: t("items"),
            cell: (p) => (
              <button class="link clip" onClick={() => (shown.value = p)}>
                {p.items.map((step) => step.name).join(", ")}
              </button>
            ),
          },
          { label: t("by"), cell: (p) => <span class="clip">{p.by}</span> },
          { label: common("status"), cell: (p) => p.reverted_at > 0 && (canGoBack(p) ? <Badge tone="warn">{t("partly")}</Badge> : <Badge tone="quiet">{t("reverted")}</Badge>) },
          {
            label: "",
            cell: (p) =>
              canGoBack(p) && (
                <button class="icon" disabled={!mayChange.value || action.busy.value} onClick={() => goBack(p, false)}>
                  <Undo2 size={14} /> {t("rollBack")}
                </button>
              ),
          },
        ]}
      />
      <Dialog
        wide
        title={t("result")}
        open={shown.value !== undefined}
        onClose={() => (shown.value = undefined)}
        footer={
          shown.value?.items.some((step) => step.revert_error) && (
            <button class="wa-danger" disabled={!mayChange.value || action.busy.value} onClick={() => goBack(shown.value!, true)}>
              {t("force")}
            </button>
          )
        }
      >
        {shown.value && <Outcomes promotion={shown.value} />}
      </Dialog>
    </>
  );
}
