import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { place } from "~/place";
import { texts } from "~/text";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { messengerWords, type Vendor } from "~/vendor";

type User = components["schemas"]["User"];

const t = texts({
  form: ["From forms", "表单 form_id"],
  hint: [
    "How many template messages can still be sent to this user, based on forms submitted and payments made in the last seven days.",
    "凭最近七天内提交的表单与完成的支付，还可以向该用户发送的模板消息数。",
  ],
  payment: ["From payments", "支付 form_id"],
  title: ["Template messages", "模板消息"],
  vendor: ["Provider", "平台"],
});

/** How many template messages can be sent to a user, by vendor. */
export function Messages({ user }: { user: User }) {
  const found = useLoad(
    () => ask(api.GET("/oserve/v3/user/{user}/form-id/", { params: { path: { user: user.id } } })),
    [user.id, place.value],
  );
  return (
    <>
      <p class="hint filters">{t("hint")}</p>
      <Load from={found}>
        {(counts) => (
          <List
            label={t("title")}
            rows={Object.entries(counts)}
            rowKey={([vendor]) => vendor}
            columns={[
              { label: t("vendor"), cell: ([vendor]) => messengerWords(vendor as Vendor) },
              { label: t("form"), numeric: true, cell: ([, { form }]) => form },
              { label: t("payment"), numeric: true, cell: ([, { payment }]) => payment },
            ]}
          />
        )}
      </Load>
    </>
  );
}
