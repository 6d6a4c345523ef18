import { useSignal } from "@preact/signals";

import { api, ask, background } from "~/api/client";
import type { components } from "~/api/schema";
import { unixSeconds } from "~/format";
import { link, place } from "~/place";
import { application, isOwner, ownsAll } from "~/session";
import { common, texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Badge } from "~/ui/badge";
import { Choice, MomentChoice } from "~/ui/choice";
import { Dialog } from "~/ui/dialog";
import { useFilter } from "~/ui/filter";
import { Json } from "~/ui/json";
import { List } from "~/ui/list";
import { Load, useLoad } from "~/ui/load";
import { More, usePages } from "~/ui/more";
import { Views } from "~/ui/views";
import { type Names, nameOf, objectOf, objectWords } from "./audited";
import { SettingsPage } from "./layout";
import { RoleBadge } from "./role";

type Entry = components["schemas"]["AuditEntry"];

const t = texts({
  as: ["as user {user}", "以用户 {user} 的身份"],
  about: ["Scope", "范围"],
  accounts: ["Administrators and sign-ins", "管理员与登录"],
  address: ["IP address", "来源地址"],
  entry: ["Request", "请求详情"],
  fields: ["Parameters", "提交字段"],
  from: ["From", "开始"],
  none: ["No activity in this period.", "此时间内没有管理员操作。"],
  object: ["Object", "对象"],
  ownerOnly: ["Only owners can view the audit log.", "审计日志仅所有者可见。"],
  status: ["Status", "结果"],
  thisOne: ["this application", "本应用"],
  title: ["Audit log", "审计日志"],
  until: ["To", "结束"],
  what: ["Request", "操作"],
  who: ["Administrator", "操作人"],
});

const PAGE = 50;

/** The audit log. Entries have the names of fields and never their values. */
export function Audit() {
  return <SettingsPage part="audit">{isOwner.value ? <Log /> : <p class="note">{t("ownerOnly")}</p>}</SettingsPage>;
}

function Log() {
  const scope = useFilter<"application" | "accounts">("about", "application");
  const account = useFilter<string>("account");
  const from = useFilter<string>("from");
  const until = useFilter<string>("until");
  const chosen = useSignal<Entry | undefined>(undefined);
  const app = place.value?.app ?? 0;
  const query = {
    account: account.value === "" ? undefined : Number(account.value),
    from: unixSeconds(from.value),
    to: unixSeconds(until.value),
  };
  const who = useLoad(async () => (ownsAll.value ? (await ask(api.GET("/console/api/account/"))).objects : []), [ownsAll.value]);
  const entries = usePages(
    PAGE,
    (limit) =>
      scope.value === "accounts"
        ? ask(api.GET("/console/api/audit/", { params: { query: { ...query, limit } } }))
        : ask(api.GET("/console/api/application/{application}/audit/", { params: { path: { application: app }, query: { ...query, limit } } })),
    [app, scope.value, ...Object.values(query)],
  );

  return (
    <>
      <div class="row filters" role="search">
        <label class="choice">
          {t("about")}
          <select value={scope.value} onChange={(event) => (scope.value = event.currentTarget.value as "application" | "accounts")}>
            <option value="application">{t("thisOne")}</option>
            <option value="accounts" disabled={!ownsAll.value}>
              {t("accounts")}
            </option>
          </select>
        </label>
        <Choice
          label={t("who")}
          values={who.data?.map(({ id }) => String(id)) ?? []}
          words={(id) => who.data?.find((one) => String(one.id) === id)?.email ?? id}
          filter={account}
        />
        <MomentChoice label={t("from")} filter={from} />
        <MomentChoice label={t("until")} filter={until} />
        <Views list="audit" />
      </div>
      <Load from={entries}>
        {({ objects, meta }) => (
          <>
            <Entries entries={objects} onChoose={(entry) => (chosen.value = entry)} />
            <More meta={meta} onMore={entries.more} />
          </>
        )}
      </Load>
      <Dialog wide title={t("entry")} open={chosen.value !== undefined} onClose={() => (chosen.value = undefined)}>
        <Json value={chosen.value} />
      </Dialog>
    </>
  );
}

function Entries({ entries, onChoose }: { entries: Entry[]; onChoose: (entry: Entry) => void }) {
  const { app, env } = place.value!;
  const names = useLoad(
    () => ask(background.GET("/console/api/application/{application}/name/", { params: { path: { application: app }, query: { env } } })),
    [app, env],
  );
  if (entries.length === 0) return <p class="quiet">{t("none")}</p>;
  return (
    <List
      label={t("title")}
      rows={entries}
      rowKey={(entry) => entry.id}
      columns={[
        { label: common("time"), by: (entry) => entry.created_at, cell: (entry) => <Ago at={entry.created_at} /> },
        {
          label: t("who"), by: (entry) => entry.account.email,
          cell: (entry) => (
            <>
              <span class="clip">{entry.account.email}</span> <RoleBadge role={entry.account.role} />
              {entry.acting_as !== null && <small class="quiet"> {t("as", { user: entry.acting_as })}</small>}
            </>
          ),
        },
        {
          label: t("what"),
          cell: (entry) => (
            <button class="link clip" onClick={() => onChoose(entry)}>
              <code title={entry.path}>{`${entry.method} ${shortened(entry)}`}</code>
            </button>
          ),
        },
        { label: t("object"), by: (entry) => entry.path, cell: (entry) => <Named entry={entry} names={names.data} /> },
        { label: t("fields"), cell: (entry) => <span class="quiet clip">{entry.fields.join(", ")}</span> },
        { label: common("environment"), cell: (entry) => <span class="clip">{environmentName(entry.environment)}</span> },
        { label: t("status"), cell: (entry) => <Badge tone={entry.status >= 400 || entry.status === 0 ? "bad" : "good"}>{entry.status || "?"}</Badge> },
        { label: t("address"), cell: (entry) => <code>{entry.address}</code> },
      ]}
    />
  );
}

/** The object of a change, as a link if the environment on screen has it. */
function Named({ entry, names }: { entry: Entry; names: Names | undefined }) {
  const object = objectOf(entry);
  if (!object) return <span class="quiet">–</span>;
  const here = entry.environment === place.value?.env && entry.application_id === place.value.app;
  const name = (here && nameOf(object, names)) || object.id.split(" → ").map(environmentName).join(" → ");
  return (
    <>
      {objectWords(object.kind)}{" "}
      {here && object.folder ? (
        <a class="clip" href={link(object.folder, object.id)}>
          {name}
        </a>
      ) : (
        <span class="clip">{name}</span>
      )}
    </>
  );
}

/** The path without the part that names this application. */
const shortened = (entry: Entry): string => entry.path.replace(`/console/api/application/${entry.application_id}/`, "…/");

const environmentName = (id: string): string => application.value?.environments.find((env) => env.id === id)?.name ?? id;
