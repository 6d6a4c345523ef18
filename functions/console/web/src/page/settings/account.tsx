import { Trash2 } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link } from "~/place";
import { ownsAll, refresh, session } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
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

  const remove = ({ email }: Account) =>
    action.confirmed({ title: t("deleteTitle", { email }), text: t("deleteText"), action: common("delete"), name: email, everywhere: true }, async () => {
      await ask(api.DELETE("/console/api/account/{account}/", { params }));
      if (own) await refresh();
      else route(link("settings", "accounts"));
    });

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
        <Fact label={common("email")}>{account.email}</Fact>
        <Fact label={t("role")}><RoleBadge role={account.role} /></Fact>
        <Fact label={t("applications")}>{applicationNames(account)}</Fact>
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
