import { Plus } from "lucide-preact";

import { AddLine, Line } from "./lines";
import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { mayChange, session } from "~/session";
import { common, texts } from "~/text";
import { Copyable } from "~/ui/copy";
import { ErrorNote } from "~/ui/error-note";
import { useLoad } from "~/ui/load";
import { messengerWords, VENDORS } from "~/vendor";
import { JsonField, NumberField, SelectField, TemplateField, TextField } from "./controls";
import { useForm, useMember } from "./form";
import type { Draft } from "./lens";
import { TableOperation } from "./table-operation";
import { TemplateText } from "./template-text";

const t = texts({
  all: ["any", "全部"],
  body: ["Body", "正文"],
  form: ["form", "表单"],
  formIDs: ["Form ID source", "表单 ID 来源"],
  format: ["Format", "格式"],
  function: ["Function", "云函数"],
  group: ["Users in a group", "用户组"],
  html: ["HTML", "HTML"],
  inbox: ["To test it, use the inbox of this machine:", "试用时可填本机收件箱："],
  key: ["The signing key is shown once, when you save the trigger.", "密钥仅在保存时显示一次。"],
  keywords: ["Keywords", "关键词"],
  noSender: ["This environment has no sender, so the email will fail.", "本环境还没有发件人：邮件会发送失败。"],
  overlap: ["Keep the old key valid for (days)", "旧密钥重叠天数"],
  page: ["Page to open", "打开的页面"],
  payment: ["payment", "支付"],
  phone: ["Phone number", "手机号"],
  rate: ["Max. requests per second", "每秒最多次数"],
  setSender: ["Set the sender", "设置发件人"],
  signature: ["Signature", "签名"],
  subject: ["Subject", "主题"],
  template: ["Template", "模板"],
  text: ["plain text", "纯文本"],
  to: ["To", "收件人"],
  toWhom: ["Recipients", "接收者"],
  triggering_user: ["Triggering user", "触发用户"],
  url: ["URL", "地址"],
  users: ["Users that match a filter", "符合条件的用户"],
  vendor: ["Provider", "渠道"],
  where: ["User filter", "用户条件"],
  whereHint: ['For example {"level": {"$gte": 3}}. Values can contain templates.', '例如 {"level": {"$gte": 3}}；值中可使用模板。'],
});

const choicesOf = <Value extends Parameters<typeof t>[0]>(...values: Value[]) => values.map((value) => ({ value, label: t(value) }));

export type ActionType = components["schemas"]["ActionType"];

/** The initial settings of each action type, and their editor. */
export const ACTIONS: Record<ActionType, { first: Draft; Settings: (props: { path: string }) => preact.JSX.Element }> = {
  email: { first: { format: "text" }, Settings: Email },
  template_message: { first: { vendor: "chat", recipient: { kind: "triggering_user" } }, Settings: TemplateMessage },
  webhook: { first: {}, Settings: Webhook },
  table_operation: { first: { operation: "create" }, Settings: TableOperation },
  cloud_function: { first: {}, Settings: CloudFunction },
  sms: { first: { recipient: { kind: "triggering_user" } }, Settings: SMS },
};

/** A mail. */
function Email({ path }: { path: string }) {
  const { value: to = [""], set } = useMember<string[]>(path + ".to");
  const setting = useLoad(() => ask(api.GET("/oserve/v3/mail-setting/")), [place.value]);
  return (
    <>
      {setting.data?.sender === "" && (
        <p class="note warn">
          {t("noSender")}{" "}
          <a href={link("settings", "mail")} target="_blank">
            {t("setSender")}
          </a>
        </p>
      )}
      {to.map((_, i) => (
        <Line
          key={i}
          name={String(i + 1)}
          onRemove={to.length > 1 ? () => set(to.filter((_, other) => other !== i)) : undefined}
          more={
            i === to.length - 1 && (
              <button type="button" class="icon" disabled={!mayChange.value} aria-label={`${common("create")}: ${t("to")}`} onClick={() => set([...to, ""])}>
                <Plus size={16} />
              </button>
            )
          }
        >
          <TemplateField path={`${path}.to[${i}]`} label={`${t("to")} ${to.length > 1 ? i + 1 : ""}`} />
        </Line>
      ))}
      <TemplateField path={path + ".subject"} label={t("subject")} />
      <TemplateField path={path + ".body"} label={t("body")} rows={6} />
      <SelectField path={path + ".format"} label={t("format")} options={choicesOf("text", "html")} />
    </>
  );
}

/** A call of another system. */
function Webhook({ path }: { path: string }) {
  const inbox = session.value?.features.hook_url;
  return (
    <>
      <TextField path={path + ".url"} label={t("url")} hint={t("key")} placeholder="https://example.com/hook" />
      {inbox && (
        <p class="hint">
          {t("inbox")} <Copyable text={inbox} label={t("inbox")} />
        </p>
      )}
      <div class="pair">
        <NumberField path={path + ".key_overlap_days"} label={t("overlap")} />
        <NumberField path={path + ".rate_per_second"} label={t("rate")} />
      </div>
    </>
  );
}

/** A function that is run. */
function CloudFunction({ path }: { path: string }) {
  const functions = useLoad(
    () => ask(api.GET("/oserve/v1.3/cloud-function/", { params: { query: { limit: 1000, keys: "-function_code" } } })),
    [place.value],
  );
  const options = (functions.data?.objects ?? []).map(({ name }) => ({ value: name, label: name }));
  return (
    <>
      <ErrorNote error={functions.error} />
      <SelectField path={path + ".function"} label={t("function")} options={options} />
    </>
  );
}

/** A template message of a vendor. */
function TemplateMessage({ path }: { path: string }) {
  const vendors = VENDORS.map((value) => ({ value, label: messengerWords(value) }));
  return (
    <>
      <div class="pair">
        <SelectField path={path + ".vendor"} label={t("vendor")} options={vendors} />
        <TextField path={path + ".template_id"} label={t("template")} />
      </div>
      <Recipient path={path + ".recipient"} kinds={["triggering_user", "users", "group"]} />
      <Keywords path={path + ".keywords"} />
      <div class="pair">
        <TemplateField path={path + ".page"} label={t("page")} />
        <SelectField path={path + ".form_id_source"} label={t("formIDs")} absent={t("all")} options={choicesOf("form", "payment")} />
      </div>
    </>
  );
}

/** An SMS, with the signatures and templates of the settings. */
function SMS({ path }: { path: string }) {
  const setting = useLoad(() => ask(api.GET("/oserve/v3/sms-setting/")), [place.value]);
  const named = (list: { name: string }[] = []) => list.map(({ name }) => ({ value: name, label: name }));
  return (
    <>
      <ErrorNote error={setting.error} />
      <Recipient path={path + ".recipient"} kinds={["triggering_user", "users", "group", "phone"]} />
      <div class="pair">
        <SelectField path={path + ".signature"} label={t("signature")} options={named(setting.data?.signatures)} />
        <SelectField path={path + ".template"} label={t("template")} options={named(setting.data?.templates)} />
      </div>
      <Keywords path={path + ".keywords"} />
    </>
  );
}

type Kind = "triggering_user" | "users" | "group" | "phone";

/** The recipients. A change of the kind removes the members of the old one. */
function Recipient({ path, kinds }: { path: string; kinds: Kind[] }) {
  const { value, set } = useMember<{ kind: Kind }>(path);
  return (
    <div class="pair">
      <SelectField path={path + ".kind"} label={t("toWhom")} options={choicesOf(...kinds)} onChoose={(kind) => set({ kind })} />
      {value?.kind === "users" && <JsonField path={path + ".where"} label={t("where")} hint={t("whereHint")} rows={2} />}
      {value?.kind === "group" && <Group path={path + ".group"} />}
      {value?.kind === "phone" && <TemplateField path={path + ".phone"} label={t("phone")} />}
    </div>
  );
}

function Group({ path }: { path: string }) {
  const groups = useLoad(() => ask(api.GET("/oserve/v1/user-group/", { params: { query: { limit: 1000 } } })), [place.value]);
  const options = (groups.data?.objects ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return <SelectField<number> path={path} label={t("group")} options={options} />;
}

/** The words of a message's template, each a template of ours. */
function Keywords({ path }: { path: string }) {
  const { check } = useForm();
  const { value: keywords = {}, set, leave, wrong } = useMember<Record<string, string>>(path);
  const rows = Object.entries(keywords);
  const put = (next: [string, string][]) => set(Object.fromEntries(next));
  return (
    <fieldset>
      <legend>{t("keywords")}</legend>
      {wrong && <p class="hint bad">{wrong}</p>}
      {rows.map(([name, text], i) => (
        <Line bare key={i} name={name} onRemove={() => put(rows.filter((_, at) => at !== i))}>
          <input
            type="text"
            aria-label={`${t("keywords")} ${i + 1}`}
            value={name}
            onChange={({ currentTarget }) => put(rows.map((row, at) => (at === i ? [currentTarget.value, text] : row)))}
          />
          <TemplateText
            aria-label={name}
            value={text}
            variables={check.value?.variables ?? []}
            onLeave={leave}
            onChange={(next) => put(rows.map((row, at) => (at === i ? [name, next] : row)))}
          />
        </Line>
      ))}
      <AddLine label={t("keywords")} onClick={() => put([...rows, [`keyword${rows.length + 1}`, ""]])} />
    </fieldset>
  );
}
