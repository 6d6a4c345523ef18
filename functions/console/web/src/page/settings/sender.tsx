import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Badge } from "~/ui/badge";
import { ErrorNote } from "~/ui/error-note";
import { Field } from "~/ui/field";
import { Form, Submit } from "~/ui/form";

type Sender = components["schemas"]["MailSender"];

const t = texts({
  closed: ["closed", "已停用"],
  code: ["Code", "验证码"],
  codeHint: ["It was sent to {address} and is valid for 24 hours.", "已发送至 {address}，24 小时内有效。"],
  confirm: ["Confirm", "确认"],
  confirmed: ["confirmed", "已确认"],
  domain: ["Verify the domain instead", "改为验证域名"],
  link: ["Amazon SES sent a link to {address}. Open it, then send the code.", "Amazon SES 已向 {address} 发送链接。打开后再发送验证码。"],
  rates: ["{sent} sent, {bounced} bounced, {complained} complaints", "已发送 {sent}，退信 {bounced}，投诉 {complained}"],
  records: ["Add these DNS records, then send the code. New records can take hours to work.", "添加以下 DNS 记录后再发送验证码。新记录可能需要数小时生效。"],
  reopen: ["Reopen", "重新启用"],
  reopenHint: ["Reopen it after you have removed the bad addresses. Only the production environment can.", "清理无效地址后可重新启用，仅限生产环境。"],
  send: ["Send code", "发送验证码"],
  title: ["Confirm the sender", "确认发件人"],
  type: ["Type", "类型"],
  unconfirmed: ["not confirmed", "未确认"],
  verify: ["Verify", "验证"],
  why: ["This application can't send from {address} until you confirm it.", "确认前，本应用无法使用 {address} 发送邮件。"],
});

/** How far the sender is confirmed for the application, and what to do next. */
export function SenderState({ now, onChange }: { now: Sender; onChange: () => Promise<void> }) {
  const action = useAction();
  const act = (what: () => Promise<unknown>) =>
    action.run(async () => {
      await what();
      await onChange();
    });
  const verify = (identity: "address" | "domain") => act(() => ask(api.POST("/oserve/v3/mail-setting/verification/", { body: { identity } })));

  if (now.status === "") return null;
  return (
    <section class="card part" aria-label={t("title")}>
      <p>
        <code>{now.address}</code> <StatusBadge status={now.status} />
      </p>
      {now.status === "confirmed" || now.status === "closed" ? (
        <p class="quiet">{t("rates", { sent: now.sent, bounced: now.bounced, complained: now.complained })}</p>
      ) : (
        <p class="note warn">{t("why", { address: now.address })}</p>
      )}
      {now.status === "closed" && (
        <>
          <p class="note warn">{now.reason}</p>
          <p class="hint">{t("reopenHint")}</p>
        </>
      )}
      {now.status === "verifying" && <Waiting now={now} />}
      {now.status === "code_sent" && <CodeForm address={now.address} onChange={onChange} />}
      <ErrorNote error={action.failure.value} />
      <fieldset class="row" disabled={!mayChange.value || action.busy.value}>
        {now.status === "closed" && (
          <button type="button" onClick={() => void act(() => ask(api.POST("/oserve/v3/mail-setting/reopening/", {})))}>
            {t("reopen")}
          </button>
        )}
        {now.status !== "closed" && now.status !== "confirmed" && (
          <button type="button" onClick={() => void verify("address")}>
            {t(now.status === "unconfirmed" ? "verify" : "send")}
          </button>
        )}
        {now.status === "unconfirmed" && (
          <button type="button" onClick={() => void verify("domain")}>
            {t("domain")}
          </button>
        )}
      </fieldset>
    </section>
  );
}

function StatusBadge({ status }: { status: Sender["status"] }) {
  if (status === "confirmed") return <Badge tone="good">{t("confirmed")}</Badge>;
  if (status === "closed") return <Badge tone="bad">{t("closed")}</Badge>;
  return <Badge tone="quiet">{t("unconfirmed")}</Badge>;
}

/** What the owner of the address or the domain does next. */
function Waiting({ now }: { now: Sender }) {
  if (now.dns_records.length === 0) return <p>{t("link", { address: now.address })}</p>;
  return (
    <>
      <p>{t("records")}</p>
      <table>
        <thead>
          <tr>
            <th>{common("name")}</th>
            <th>{t("type")}</th>
            <th>{common("value")}</th>
          </tr>
        </thead>
        <tbody>
          {now.dns_records.map((record) => (
            <tr key={record.name}>
              <td>
                <code>{record.name}</code>
              </td>
              <td>{record.type}</td>
              <td>
                <code>{record.value}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function CodeForm({ address, onChange }: { address: string; onChange: () => Promise<void> }) {
  const action = useAction();
  async function submit(said: FormData): Promise<boolean> {
    return action.run(async () => {
      await ask(api.POST("/oserve/v3/mail-setting/confirmation/", { body: { code: String(said.get("code") ?? "").trim() } }));
      await onChange();
    });
  }
  return (
    <Form aria-label={t("code")} name={t("code")} onSubmit={submit}>
      <fieldset disabled={!mayChange.value || action.busy.value}>
        <Field label={t("code")} hint={t("codeHint", { address })}>
          <input type="text" name="code" required maxLength={64} autocomplete="one-time-code" spellcheck={false} data-secret />
        </Field>
        <ErrorNote error={action.failure.value} />
        <Submit>{t("confirm")}</Submit>
      </fieldset>
    </Form>
  );
}
