
import { api, ask } from "~/api/client";
import { place } from "~/place";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { ErrorNote } from "~/ui/error-note";
import { LoadedList } from "~/ui/loaded-list";
import { usePages } from "~/ui/more";

const t = texts({
  address: ["Address", "地址"],
  allow: ["Send again", "恢复发送"],
  allowText: ["Emails to an address that bounces again close the sender.", "若该地址再次退信，发件人可能被停用。"],
  allowTitle: ["Send to {address} again?", "恢复向 {address} 发送？"],
  bounce: ["bounced", "退信"],
  complaint: ["complaint", "投诉"],
  kind: ["Cause", "原因"],
  none: ["No suppressed addresses.", "没有停止发送的地址。"],
  reason: ["Answer of the server", "服务器回复"],
  title: ["Suppressed addresses", "停止发送的地址"],
  when: ["Since", "时间"],
});

const PAGE = 50;

/** The addresses that get no email of the application, because one bounced or its reader complained. */
export function Suppressions() {
  const action = useAction();
  const found = usePages(PAGE, (limit) => ask(api.GET("/oserve/v3/mail-setting/suppression/", { params: { query: { limit } } })), [place.value]);

  const allow = (address: string) =>
    action.confirmed({ title: t("allowTitle", { address }), text: t("allowText"), action: t("allow"), name: address }, async () => {
      await ask(api.DELETE("/oserve/v3/mail-setting/suppression/{address}/", { params: { path: { address } } }));
      await found.reload();
    });

  return (
    <section class="card part" aria-label={t("title")}>
      <h2>{t("title")}</h2>
      <ErrorNote error={action.failure.value} />
      <LoadedList
        label={t("title")}
        from={found}
        none={t("none")}
        rowKey={(row) => row.address}
        columns={[
          { label: t("address"), cell: (row) => <code>{row.address}</code>, by: (row) => row.address },
          { label: t("kind"), cell: (row) => t(row.kind) },
          { label: t("reason"), cell: (row) => row.reason },
          { label: t("when"), cell: (row) => <Ago at={row.created_at} />, by: (row) => row.created_at },
          {
            label: "",
            cell: (row) => (
              <button type="button" disabled={!mayChange.value || action.busy.value} onClick={() => void allow(row.address)}>
                {t("allow")}
              </button>
            ),
          },
        ]}
      />
    </section>
  );
}
