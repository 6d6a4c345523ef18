import { useSignal } from "@preact/signals";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link } from "~/place";
import { ownsAll, session } from "~/session";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Field, Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { useNewButton } from "~/ui/new-button";
import { AccountFields, draftOf } from "./account-fields";
import { SettingsPage } from "./layout";
import { RoleBadge } from "./role";

type Account = components["schemas"]["ConsoleAccount"];

const t = texts({
  add: ["Add an administrator", "添加管理员"],
  all: ["all", "全部"],
  applications: ["Applications", "应用"],
  created: ["Added", "添加时间"],
  passwordHint: ["10 to 128 characters. Give it to the new administrator, who can change it after signing in.", "10 到 128 个字符。请告知对方，登录后自行修改。"],
  none: ["none", "无"],
  password: ["Initial password", "初始密码"],
  role: ["Role", "角色"],
  self: [
    "Only owners of all applications can manage administrators. This is your own account.",
    "拥有全部应用的所有者管理管理员。以下是你自己的账号。",
  ],
});

/** The administrators of the console. Administrators who do not manage accounts see their own. */
export function Accounts() {
  const adding = useSignal(false);
  const everyone = ownsAll.value;
  const accounts = useLoad(async () => {
    if (everyone) return (await ask(api.GET("/console/api/account/"))).objects;
    return session.value ? [session.value.account] : [];
  }, [everyone]);
  const hrefOf = (account: Account) => link("settings", "accounts", account.id);
  const button = useNewButton(t("add"), () => (adding.value = true), { disabled: !everyone });

  return (
    <SettingsPage part="accounts" actions={button}>
      {!everyone && <p class="note">{t("self")}</p>}
      <Load from={accounts}>
        {(all) => (
          <List
            label={common("email")}
            rows={all}
            rowKey={(account) => account.id}
            href={hrefOf}
            columns={[
              { label: common("name"), cell: (account) => <a class="clip" href={hrefOf(account)}>{account.name}</a> },
              { label: common("email"), by: (account) => account.email, cell: (account) => <span class="clip">{account.email}</span> },
              { label: t("role"), cell: (account) => <RoleBadge role={account.role} /> },
              { label: t("applications"), cell: (account) => <span class="clip">{applicationNames(account)}</span> },
              { label: t("created"), by: (account) => account.created_at, cell: (account) => <Ago at={account.created_at} /> },
            ]}
          />
        )}
      </Load>
      <Adding open={adding.value} onClose={() => (adding.value = false)} onAdded={accounts.reload} />
    </SettingsPage>
  );
}

/** The names of an account's applications, or that it has all. */
export function applicationNames(account: Account): string {
  if (account.all_applications) return t("all");
  if (account.applications.length === 0) return t("none");
  const known = new Map(session.value?.applications.map((app) => [app.id, app.name]));
  return account.applications.map((id) => known.get(id) ?? String(id)).join(", ");
}

function Adding({ open, onClose, onAdded }: { open: boolean; onClose: () => void; onAdded: () => Promise<void> }) {
  function save(form: FormData) {
    const body = { ...draftOf(form), email: String(form.get("email")), password: String(form.get("password")) };
    return ask(api.POST("/console/api/account/", { body }));
  }

  return (
    <FormDialog title={t("add")} draft="new-account" action={common("create")} open={open} onClose={onClose} onSave={save} onSaved={onAdded}>
      <Input label={common("email")} name="email" type="email" required maxLength={254} autofocus />
      <Field label={t("password")} hint={t("passwordHint")}>
        <input name="password" type="password" required minLength={10} maxLength={128} autocomplete="new-password" />
      </Field>
      <AccountFields name="" role="developer" all_applications={false} applications={[]} />
    </FormDialog>
  );
}
