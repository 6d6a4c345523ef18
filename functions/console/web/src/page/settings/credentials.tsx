import { texts } from "~/text";
import { Copyable } from "~/ui/copy";
import { Fact } from "~/ui/facts";

const t = texts({
  variables: ["As environment variables", "用于环境变量文件"],
  saved: ["I've saved the secret", "我已保存"],
  copyNow: ["Copy the secret now. You can't see it again.", "请立即保存密钥：只显示这一次。"],
});

/** An application's credentials at the only moment when the secret is known. */
export function Credentials({ clientID, secret, onKept }: { clientID: string; secret: string; onKept: () => void }) {
  return (
    <>
      <p class="note warn">{t("copyNow")}</p>
      <dl class="facts">
        <Fact label="client_id"><Copyable text={clientID} label="client_id" /></Fact>
        <Fact label="client_secret"><Copyable text={secret} label="client_secret" /></Fact>
        <Fact label={t("variables")}><Copyable text={`CLIENT_ID=${clientID}\nCLIENT_SECRET=${secret}`} label={t("variables")} /></Fact>
      </dl>
      <div class="dialog-foot">
        <button type="button" class="wa-brand" onClick={onKept}>
          {t("saved")}
        </button>
      </div>
    </>
  );
}
