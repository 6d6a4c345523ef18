import { Trash2 } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link } from "~/place";
import { ownsAll, refresh, session } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { confirm } from "~/ui/confirm";
import { ErrorNote } from "~/ui/error-note";
import { Do, Form, Submit } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { toast } from "~/ui/toast";
import { AccountFields, draftOf } from "./account-fields";
import { applicationNames } from "./accounts";
import { Browsers } from "./browsers";
import { SettingsPage } from "./layout";
import { PasswordForm } from "./password-form";
import { RoleBadge } from "./role";

type Account = components["schemas"]["ConsoleAccount"];

const t = texts({
  administrator: ["Administrator", "管理员"],
  applications: ["Applications", "应用"],
  deleteText: ["They are signed out immediately and can't sign in again.", "对方将立即退出登录，且无法再次登录。"],
  deleteTitle: ["Remove {email}?", "移除 {email}？"],
  email: ["Email", "邮箱"],
  role: ["Role", "角色"],
});

/** The page of an administrator: role, password, and sessions. */
export function AccountPage() {
  const { route } = useLocation();
  const id = Number(useRoute().params.account);
  const action = useAction();
  const params = { path: { account: id } };
  const found = useLoad(() => ask(api.GET("/console/api/account/{account}/", { params })), [id]);
  const own = id === session.value?.account.id;

  async function remove(account: Account) {
    const title = t("deleteTitle", { email: account.email });
    if (!(await confirm({ title, text: t("deleteText"), action: common("delete"), name: account.email, everywhere: true }))) return;
    await action.run(async () => {
      await ask(api.DELETE("/console/api/account/{account}/", { params }));
      if (own) await refresh();
      else route(link("settings", "accounts"));
    });
  }

  const account = found.data;
  const button = account && (
    <Do disabled={!ownsAll.value} onClick={() => remove(account)}>
      <Trash2 size={16} /> {common("delete")}
    </Do>
  );

  return (
    <SettingsPage part="accounts" title={account?.name ?? String(id)} actions={button}>
      <ErrorNote error={action.failure.value} />
      <Load from={found}>
        {(account) => (
          <>
            <Rights key={account.id} account={account} onSaved={found.reload} />
            <PasswordForm account={account.id} own={own} />
            <Browsers account={account.id} own={own} />
          </>
        )}
      </Load>
    </SettingsPage>
  );
}

function Rights({ account, onSaved }: { account: Account; onSaved: () => Promise<void> }) {
  const action = useAction();

  async function save(said: FormData): Promise<boolean> {
    const body = draftOf(said);
    return action.run(async () => {
      await ask(api.PATCH("/console/api/account/{account}/", { params: { path: { account: account.id } }, body }));
      await Promise.all([onSaved(), refresh()]);
      toast(common("saved"));
    });
  }

  return (
    <section class="card part">
      <h2>{t("administrator")}</h2>
      <dl class="facts">
        <dt>{t("email")}</dt>
        <dd>{account.email}</dd>
        <dt>{t("role")}</dt>
        <dd>
          <RoleBadge role={account.role} />
        </dd>
        <dt>{t("applications")}</dt>
        <dd>{applicationNames(account)}</dd>
      </dl>
      {ownsAll.value && (
        <Form draft={`account/${account.id}`} name={account.name} onSubmit={save}>
          <AccountFields {...account} />
          <Submit>{common("save")}</Submit>
          <ErrorNote error={action.failure.value} />
        </Form>
      )}
    </section>
  );
}
