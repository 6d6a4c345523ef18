import { api, ask } from "~/api/client";
import { place } from "~/place";
import { texts } from "~/text";
import { Load, useLoad } from "~/ui/load";
import { SettingsPage } from "./layout";
import { SenderState } from "./sender";
import { type Member, SettingForm } from "./setting-form";
import { Suppressions } from "./suppressions";

const t = texts({
  budget: ["Emails a day", "每日邮件数"],
  budgetHint: ["Counted by recipient, for the whole application. Leave empty for the limit of the deployment.", "按收件人计数，适用于整个应用。留空则使用部署的上限。"],
  none: ["Add a sender to send email from this environment. Until then, email actions fail.", "未设置发件人时，本环境不会发送邮件：相关动作会失败并说明原因。"],
  reply: ["Reply-to", "回复地址"],
  replyHint: ["Leave empty to use the sender.", "留空则回复给发件人。"],
  sender: ["Sender", "发件人"],
  senderHint: ["An address that you can receive email at, such as Shop <shop@example.com>.", "可以收信的地址，例如 Shop <shop@example.com>。"],
  sentToday: ["Sent today: {sent} of {budget}", "今日已发送：{sent} / {budget}"],
  title: ["Email", "邮件"],
  unsubscribe: ["Unsubscribe URL", "退订地址"],
  unsubscribeHint: ["Starts with https:// or mailto:. Email apps show it as an unsubscribe button.", "以 https:// 或 mailto: 开头，邮件客户端会显示为退订按钮。"],
});

/** The email settings of this environment. */
export function Mail() {
  const setting = useLoad(() => ask(api.GET("/oserve/v3/mail-setting/")), [place.value]);
  const members: Member[] = [
    { name: "sender", label: t("sender"), kind: "line", hint: t("senderHint"), maxLength: 320 },
    { name: "reply_to", label: t("reply"), kind: "line", hint: t("replyHint"), maxLength: 320 },
    { name: "list_unsubscribe", label: t("unsubscribe"), kind: "line", hint: t("unsubscribeHint"), maxLength: 800 },
    { name: "daily_budget", label: t("budget"), kind: "line", hint: t("budgetHint"), maxLength: 8 },
  ];

  return (
    <SettingsPage part="mail">
      <Load from={setting}>
        {(now) => (
          <>
            {now.sender === "" && <p class="note warn">{t("none")}</p>}
            <SenderState now={now.sender_state} onChange={setting.reload} />
            <SettingForm
              key={place.value?.env}
              title={t("title")}
              members={members}
              now={now}
              onSave={async ({ daily_budget: budget, ...change }) => {
                const body = { ...(change as Record<string, string>), ...(budget !== undefined && { daily_budget: budget ? Number(budget) : null }) };
                await ask(api.PUT("/oserve/v3/mail-setting/", { body }));
                await setting.reload();
              }}
            />
            <p class="quiet">{t("sentToday", { sent: now.sent_today, budget: now.daily_budget })}</p>
          </>
        )}
      </Load>
      <Suppressions />
    </SettingsPage>
  );
}
