import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { texts } from "~/text";
import { Badge } from "~/ui/badge";
import { Fact } from "~/ui/facts";
import { Field } from "~/ui/field";
import { type Call, signedBy } from "./message";

const t = texts({
  headers: ["Headers", "请求头"],
  key: ["Signing key of the action", "动作密钥，用于验证签名"],
  keyHint: ["The key was shown when the action was created. It is used only in this page and not stored.", "密钥在创建动作时显示；仅保留在本页。"],
  right: ["signature valid", "签名正确"],
  unsigned: ["not signed", "未签名"],
  wrong: ["signature doesn't match this key", "签名与密钥不符"],
});

/** The headers of a webhook, and the check of its signature. */
export function Webhook({ call }: { call: Call }) {
  const key = useSignal("");
  const verdict = useSignal<boolean | undefined>(undefined);
  const signed = Boolean(call.headers["webhook-signature"]);

  useEffect(() => {
    let late = false;
    verdict.value = undefined;
    if (key.value !== "") void signedBy(call, key.value).then((right) => !late && (verdict.value = right));
    return () => void (late = true);
  }, [call, key.value]);

  return (
    <>
      {signed ? (
        <Field label={t("key")} hint={t("keyHint")}>
          <input type="text" autocomplete="off" spellcheck={false} value={key} onInput={(event) => (key.value = event.currentTarget.value.trim())} />
        </Field>
      ) : (
        <Badge tone="quiet">{t("unsigned")}</Badge>
      )}
      <p role="status">
        {verdict.value !== undefined && <Badge tone={verdict.value ? "good" : "bad"}>{t(verdict.value ? "right" : "wrong")}</Badge>}
      </p>
      <details>
        <summary>{t("headers")}</summary>
        <dl class="facts">
          {Object.entries(call.headers)
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([name, value]) => (
              <Fact key={name} label={name}><code>{value}</code></Fact>
            ))}
        </dl>
      </details>
    </>
  );
}
