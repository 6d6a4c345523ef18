import { useSignal } from "@preact/signals";
import { Plus } from "lucide-preact";
import { useLocation } from "preact-iso";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place, PRODUCTION } from "~/place";
import { isOwner, refresh } from "~/session";
import { common, texts } from "~/text";
import { useAction } from "~/ui/action";
import { Copyable } from "~/ui/copy";
import { ErrorNote } from "~/ui/error-note";
import { Input } from "~/ui/field";
import { FormDialog } from "~/ui/form-dialog";
import { List } from "~/ui/list";
import { RowButtons } from "~/ui/row-buttons";

type Application = components["schemas"]["Application"];
type Environment = components["schemas"]["Environment"];

const t = texts({
  add: ["Add a test environment", "添加测试环境"],
  deleteText: [
    "Only an empty environment can be deleted. First delete its functions, tables, triggers, users, and orders on their pages.",
    "只能删除空环境：请先在各页面删除其云函数、数据表、触发器、用户和订单。",
  ],
  deleteTitle: ["Delete the environment {name}?", "删除环境 {name}？"],
  environments: ["Environments", "环境"],
  id: ["ID (for X-Service-Env-ID)", "ID（用于 X-Service-Env-ID）"],
  promote: ["Compare and promote", "比较与发布"],
  rename: ["Rename {name}", "重命名 {name}"],
  text: [
    "Each environment has its own functions, tables, triggers, users, and orders. Requests without X-Service-Env-ID go to production.",
    "每个环境有各自的云函数、数据表、触发器、用户和订单。不带 X-Service-Env-ID 的请求进入生产环境。",
  ],
});

/** The environments of an application: production, and the test environments that come and go. */
export function Environments({ app }: { app: Application }) {
  const { route } = useLocation();
  const action = useAction();
  const named = useSignal<Environment | "new" | undefined>(undefined);

  const remove = ({ id: env, name }: Environment) =>
    action.confirmed({ title: t("deleteTitle", { name }), text: t("deleteText"), action: common("delete"), name, everywhere: true }, async () => {
      const params = { path: { application: app.id, env } };
      await ask(api.DELETE("/console/api/application/{application}/environment/{env}/", { params, body: { name } }));
      if (place.value?.env === env) route(`/console/${app.id}/${PRODUCTION}/settings`, true);
      await refresh();
    });

  const buttons = (env: Environment) =>
    env.id !== PRODUCTION && (
      <span class="row">
        <RowButtons name={env.name} disabled={!isOwner.value} onEdit={() => (named.value = env)} onDelete={() => remove(env)} />
      </span>
    );

  return (
    <section class="card part">
      <h2>{t("environments")}</h2>
      <p class="hint">{t("text")}</p>
      <ErrorNote error={action.failure.value} />
      <List
        label={t("environments")}
        rows={app.environments}
        rowKey={(env) => env.id}
        columns={[
          { label: common("name"), cell: (env) => <a href={`/console/${app.id}/${env.id}`}>{env.name}</a> },
          { label: t("id"), cell: (env) => <Copyable text={env.id} label={env.name} /> },
          { label: "", cell: buttons },
        ]}
      />
      <p class="row">
        <button disabled={!isOwner.value} onClick={() => (named.value = "new")}>
          <Plus size={16} /> {t("add")}
        </button>
        <a href={link("promote")}>{t("promote")}</a>
      </p>
      <Naming app={app} named={named.value} onClose={() => (named.value = undefined)} />
    </section>
  );
}

function Naming({ app, named, onClose }: { app: Application; named: Environment | "new" | undefined; onClose: () => void }) {
  const old = named === "new" ? undefined : named;

  function save(said: FormData) {
    const body = { name: String(said.get("name")) };
    const path = { application: app.id };
    if (old) return ask(api.PATCH("/console/api/application/{application}/environment/{env}/", { params: { path: { ...path, env: old.id } }, body }));
    return ask(api.POST("/console/api/application/{application}/environment/", { params: { path }, body }));
  }

  return (
    <FormDialog
      title={old ? t("rename", { name: old.name }) : t("add")}
      draft={`environment/${old?.id ?? "new"}`}
      action={old ? common("save") : common("create")}
      open={named !== undefined}
      onClose={onClose}
      onSave={save}
      onSaved={refresh}
    >
      <Input label={common("name")} name="name" required maxLength={64} autofocus defaultValue={old?.name ?? ""} />
    </FormDialog>
  );
}
