import { Trash2 } from "lucide-preact";

import { mayChange } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";

type BySerial = Record<string, string>;

const t = texts({
  add: ["Add a certificate", "添加证书"],
  deleteText: ["Notifications signed with this certificate will be rejected.", "用它签名的通知将被拒绝。"],
  deleteTitle: ["Remove the certificate {serial}?", "移除证书 {serial}？"],
  none: ["No certificates yet. JSON notifications are rejected until you add one.", "还没有证书：JSON 通知会被拒绝。"],
  pem: ["Certificate or public key in PEM", "PEM 格式的证书或公钥"],
  serial: ["Serial number", "序列号"],
  title: ["Platform certificates of the provider", "支付平台证书"],
});

/** The platform certificates of chat, by their serial numbers; two stand side by side while one follows the other. */
export function Certificates({ now, onSave }: { now: BySerial; onSave: (next: BySerial) => Promise<void> }) {
  const action = useAction();

  async function add(said: FormData, form: HTMLFormElement): Promise<boolean> {
    const pem = String(said.get("pem")).replaceAll("\r\n", "\n");
    const done = await action.run(() => onSave({ ...now, [String(said.get("serial")).trim()]: pem }));
    if (done) form.reset();
    return done;
  }

  const remove = (serial: string) =>
    action.confirmed({ title: t("deleteTitle", { serial }), text: t("deleteText"), action: common("delete"), name: serial }, () => {
      const { [serial]: _, ...rest } = now;
      return onSave(rest);
    });

  return (
    <Form class="card part" aria-label={t("title")} draft="certificate" name={t("title")} onSubmit={add}>
      <h2>{t("title")}</h2>
      {Object.keys(now).length === 0 && <p class="quiet">{t("none")}</p>}
      <fieldset disabled={!mayChange.value || action.busy.value}>
        {Object.entries(now).map(([serial, pem]) => (
          <details key={serial}>
            <summary>
              <code>{serial}</code>
            </summary>
            <pre tabIndex={0}>{pem}</pre>
            <button type="button" onClick={() => remove(serial)}>
              <Trash2 size={14} /> {common("delete")}
            </button>
          </details>
        ))}
        <Input label={t("serial")} name="serial" required maxLength={128} />
        <Field label={t("pem")}>
          <textarea name="pem" rows={4} required maxLength={8192} spellcheck={false} />
        </Field>
        <ErrorNote error={action.failure.value} />
        <Submit>{t("add")}</Submit>
      </fieldset>
    </Form>
  );
}
