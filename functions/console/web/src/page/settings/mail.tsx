import { api, ask } from "~/api/client";
import { place } from "~/place";
import { texts } from "~/text";
import { Load, useLoad } from "~/ui/load";
import { SettingsPage } from "./layout";
import { type Member, SettingForm } from "./setting-form";

const t = texts({
  none: ["Add a sender to send email from this environment. Until then, email actions fail.", "未设置发件人时，本环境不会发送邮件：相关动作会失败并说明原因。"],
  reply: ["Reply-to", "回复地址"],
  replyHint: ["Leave empty to use the sender.", "留空则回复给发件人。"],
  sender: ["Sender", "发件人"],
  senderHint: ["An address that your account may send from, such as Shop <shop@example.com>.", "有发送权限的地址，例如 Shop <shop@example.com>。"],
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
  ];

  return (
    <SettingsPage part="mail">
      <Load from={setting}>
        {(now) => (
          <>
            {now.sender === "" && <p class="note warn">{t("none")}</p>}
            <SettingForm
              key={place.value?.env}
              title={t("title")}
              members={members}
              now={now}
              onSave={async (change) => {
                await ask(api.PUT("/oserve/v3/mail-setting/", { body: change as Record<string, string> }));
                await setting.reload();
              }}
            />
          </>
        )}
      </Load>
    </SettingsPage>
  );
}
