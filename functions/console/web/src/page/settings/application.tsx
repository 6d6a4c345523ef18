import { useSignal } from "@preact/signals";
import { KeyRound, Plus, ShieldOff } from "lucide-preact";
import { useLocation } from "preact-iso";

import { api, ask, renewToken } from "~/api/client";
import type { components } from "~/api/schema";
import { application, isOwner, ownsAll, refresh } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Ago } from "~/ui/ago";
import { Copyable } from "~/ui/copy";
import { Dialog } from "~/ui/dialog";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { Input } from "~/ui/field";
import { Do, Form, Submit } from "~/ui/form";
import { toast } from "~/ui/toast";
import { Credentials } from "./credentials";
import { Environments } from "./environments";
import { SettingsPage } from "./layout";
import { NewApplication } from "./new-application";

type Application = components["schemas"]["Application"];

const t = texts({
  application: ["Application", "应用"],
  credentials: ["Credentials", "凭据"],
  credentialsText: [
    "Programs sign in with the client ID and the secret to get API tokens. Only a digest of the secret is stored. If you lose the secret, reset it.",
    "程序用 client id 和密钥登录并获得 API 令牌。密钥只保存摘要：遗失后只能重置。",
  ],
  new: ["New application", "新建应用"],
  ownerOnly: ["Only owners can change these settings.", "只有所有者可以修改此处内容。"],
  reset: ["Reset secret", "重置密钥"],
  resetText: [
    "Programs that use the old secret stop working immediately in every environment, and all tokens are revoked. This can't be undone.",
    "使用旧密钥的程序在所有环境中立即失效，全部令牌作废。",
  ],
  revoke: ["Revoke all tokens", "作废全部令牌"],
  revokeText: [
    "Every program must sign in again. The secret stays the same.",
    "所有程序都需要重新登录，密钥保持不变。",
  ],
  revoked: ["All tokens revoked", "全部令牌已作废"],
  secretTitle: ["New secret of {name}", "{name} 的新密钥"],
});

/** The application itself: its name, the credentials of its programs, its environments. */
export function ApplicationPage() {
  const { route } = useLocation();
  const making = useSignal(false);
  const app = application.value;

  const button = (
    <button disabled={!ownsAll.value} onClick={() => (making.value = true)}>
      <Plus size={16} /> {t("new")}
    </button>
  );

  return (
    <SettingsPage part="" actions={button}>
      {!isOwner.value && <p class="note">{t("ownerOnly")}</p>}
      {app && (
        <>
          <Identity key={app.id} app={app} />
          <Secrets app={app} />
          <Environments app={app} />
        </>
      )}
      <NewApplication open={making.value} onClose={() => (making.value = false)} onMade={(id) => route(`/console/${id}/production`)} />
    </SettingsPage>
  );
}

function Identity({ app }: { app: Application }) {
  const action = useAction();

  async function rename(said: FormData): Promise<boolean> {
    const name = String(said.get("name"));
    return action.run(async () => {
      await ask(api.PATCH("/console/api/application/{application}/", { params: { path: { application: app.id } }, body: { name } }));
      await refresh();
      toast(common("saved"));
    });
  }

  return (
    <section class="card part">
      <h2>{t("application")}</h2>
      <dl class="facts">
        <Fact label={common("id")}><Copyable text={String(app.id)} label={common("id")} /></Fact>
        <Fact label={common("created")}><Ago at={app.created_at} /></Fact>
      </dl>
      <Form draft="application" name={app.name} onSubmit={rename}>
        <fieldset disabled={!isOwner.value || action.busy.value}>
          <Input label={common("name")} name="name" required maxLength={64} defaultValue={app.name} />
          <Submit>{common("save")}</Submit>
        </fieldset>
        <ErrorNote error={action.failure.value} />
      </Form>
    </section>
  );
}

function Secrets({ app }: { app: Application }) {
  const action = useAction();
  const secret = useSignal("");
  const params = { path: { application: app.id } };

  const reset = () =>
    action.confirmed({ title: t("reset"), text: t("resetText"), action: t("reset"), name: app.name, everywhere: true }, async () => {
      const made = await ask(api.POST("/console/api/application/{application}/secret/", { params }));
      renewToken();
      secret.value = made.client_secret;
    });

  const revoke = () =>
    action.confirmed({ title: t("revoke"), text: t("revokeText"), action: t("revoke"), name: app.name, everywhere: true }, async () => {
      await ask(api.POST("/console/api/application/{application}/revoke-tokens/", { params }));
      renewToken();
      toast(t("revoked"));
    });

  return (
    <section class="card part">
      <h2>{t("credentials")}</h2>
      <p class="hint">{t("credentialsText")}</p>
      <dl class="facts">
        <Fact label="client_id"><Copyable text={app.client_id} label="client_id" /></Fact>
      </dl>
      <fieldset class="row" disabled={!isOwner.value || action.busy.value}>
        <Do onClick={reset}>
          <KeyRound size={16} /> {t("reset")}
        </Do>
        <Do onClick={revoke}>
          <ShieldOff size={16} /> {t("revoke")}
        </Do>
      </fieldset>
      <ErrorNote error={action.failure.value} />
      <Dialog title={t("secretTitle", { name: app.name })} open={secret.value !== ""} onClose={() => (secret.value = "")}>
        <Credentials clientID={app.client_id} secret={secret.value} onKept={() => (secret.value = "")} />
      </Dialog>
    </section>
  );
}
