import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { LOGIN_METHODS, type LoginMethod, loginWords } from "~/login-method";
import { place } from "~/place";
import { mayChange } from "~/session";
import { common, language, type Text, texts } from "~/text";
import { useAction } from "~/ui/action";
import { ErrorNote } from "~/ui/error-note";
import { Field, Input } from "~/ui/field";
import { Form, Submit } from "~/ui/form";
import { Load, useLoad } from "~/ui/load";
import { toast } from "~/ui/toast";
import { SettingsPage } from "./layout";

type Settings = components["schemas"]["ApplicationSetting"];
type Switch = "anonymous_invoke" | "client_profile_update" | "image_check" | "private_files" | "legacy_writes";
/** What stands on this page; callback_hosts stands with the web logins. */
type Edited = Omit<Settings, "callback_hosts">;
type Limit = keyof NonNullable<Settings["client_rate"]>;

const t = texts({
  everywhere: ["These settings apply to all environments, within 10 seconds.", "以下设置适用于所有环境，10 秒内生效。"],
  limits: ["Calls per minute", "每分钟调用次数"],
  limitsHint: ["Calls over a limit are rejected with 429. Leave a field empty for no limit.", "超出限制的调用返回 429。留空则不限制。"],
  logins: ["Login methods", "登录方式"],
  loginsHint: ["Users can't log in by a method that is turned off. Existing sessions continue.", "关闭的方式不能登录，已有会话不受影响。"],
  pages: ["Pages", "页面"],
  pagesHint: ["Emails link to these pages. Leave empty for a plain page of the platform.", "邮件中的链接指向这些页面。留空则使用平台的默认页面。"],
  reset: ["Password reset page", "重置密码页面"],
  rights: ["Clients", "客户端"],
  verify: ["Email verification page", "验证邮箱页面"],
});

const SWITCHES: Record<Switch, { label: Text; hint: Text }> = {
  anonymous_invoke: {
    label: ["Everyone can run functions", "允许所有人运行云函数"],
    hint: ["Otherwise only registered users can.", "关闭时仅注册用户可以运行。"],
  },
  client_profile_update: {
    label: ["Mini-programs can update profiles from their vendor", "允许小程序更新平台资料"],
    hint: ["Otherwise such an update is rejected.", "关闭时拒绝此类更新。"],
  },
  image_check: {
    label: ["Check uploaded images", "检查上传的图片"],
    hint: ["Triggers can react to the result.", "触发器可以处理检查结果。"],
  },
  private_files: {
    label: ["Files are private", "文件私有"],
    hint: ["Users see only their own files, and links expire after an hour.", "用户只能看到自己的文件，链接一小时后失效。"],
  },
  legacy_writes: {
    label: ["Ignore invalid fields in writes", "写入时忽略错误字段"],
    hint: [
      "Otherwise a write that contains an invalid field is rejected. Turn this on only for an app that moved from a platform that ignored such fields.",
      "关闭时，含错误字段的写入会被整体拒绝。仅供从会忽略错误字段的平台迁移的应用使用。",
    ],
  },
};

const LIMITS: Record<Limit, Text> = {
  user: ["Per user", "每个用户"],
  address: ["Per IP address", "每个 IP 地址"],
  application: ["Whole application", "整个应用"],
};

/** The limits of an application without a setting. */
const DEFAULT_RATE = { user: 600, address: null, application: null };

const says = (text: Text): string => text[language.value === "zh" ? 1 : 0];

const entries = <K extends string, V>(record: Record<K, V>) => Object.entries(record) as [K, V][];

/** What end users may do: the settings that all environments of an application share. */
export function Clients() {
  const setting = useLoad(() => ask(api.GET("/oserve/v1.8/application-setting/")), [place.value?.app]);
  return (
    <SettingsPage part="clients">
      <p class="hint filters">{t("everywhere")}</p>
      <Load from={setting}>{(now) => <Edit key={place.value?.app} now={now} onSaved={setting.reload} />}</Load>
    </SettingsPage>
  );
}

function Edit({ now, onSaved }: { now: Settings; onSaved: () => Promise<void> }) {
  const action = useAction();
  const rate = now.client_rate ?? DEFAULT_RATE;

  async function save(said: FormData): Promise<boolean> {
    const body = changes(now, read(said));
    const saved = await action.run(async () => {
      await ask(api.PUT("/oserve/v1.8/application-setting/", { body }));
      toast(common("saved"));
    });
    if (saved) await onSaved();
    return saved;
  }

  return (
    <Form draft="setting/clients" name={t("rights")} onSubmit={save}>
      <fieldset class="plain" disabled={!mayChange.value || action.busy.value}>
        <section class="card part">
          <h2>{t("logins")}</h2>
          <p class="hint">{t("loginsHint")}</p>
          <fieldset>
            {LOGIN_METHODS.map((method) => (
              <label key={method} class="row">
                <input type="checkbox" name="login_methods" value={method} defaultChecked={now.login_methods.includes(method)} />
                {loginWords(method)}
              </label>
            ))}
          </fieldset>
        </section>
        <section class="card part">
          <h2>{t("rights")}</h2>
          {entries(SWITCHES).map(([name, { label, hint }]) => (
            <div key={name}>
              <label class="row">
                <input type="checkbox" name={name} defaultChecked={now[name]} />
                {says(label)}
              </label>
              <p class="hint">{says(hint)}</p>
            </div>
          ))}
        </section>
        <section class="card part">
          <h2>{t("limits")}</h2>
          <p class="hint">{t("limitsHint")}</p>
          {entries(LIMITS).map(([name, label]) => (
            <Field key={name} label={says(label)}>
              <input type="number" name={"rate " + name} min={1} max={1000000} step={1} defaultValue={String(rate[name] ?? "")} />
            </Field>
          ))}
        </section>
        <section class="card part">
          <h2>{t("pages")}</h2>
          <p class="hint">{t("pagesHint")}</p>
          <Input label={t("reset")} type="url" name="page reset" maxLength={1024} defaultValue={now.pages?.reset ?? ""} />
          <Input label={t("verify")} type="url" name="page verify" maxLength={1024} defaultValue={now.pages?.verify ?? ""} />
        </section>
        <ErrorNote error={action.failure.value} />
        <Submit class="wa-brand">{common("save")}</Submit>
      </fieldset>
    </Form>
  );
}

/** The settings as the form shows them. */
function read(said: FormData): Edited {
  const text = (name: string): string | null => String(said.get(name) ?? "").trim() || null;
  const number = (name: string): number | null => (text(name) === null ? null : Number(text(name)));
  const rate = { user: number("rate user"), address: number("rate address"), application: number("rate application") };
  const pages = { reset: text("page reset"), verify: text("page verify") };
  const chosen = said.getAll("login_methods") as LoginMethod[];
  const switches = Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, said.has(name)])) as Record<Switch, boolean>;
  return {
    ...switches,
    login_methods: chosen,
    pages: pages.reset || pages.verify ? pages : null,
    client_rate: same(rate, DEFAULT_RATE) ? null : rate,
  };
}

/** The members that differ: others may have changed since the page was loaded. All methods are the default. */
function changes(now: Settings, next: Edited) {
  const all = next.login_methods.length === LOGIN_METHODS.length;
  const differing = entries(next as Record<keyof Edited, unknown>).filter(([name, value]) => !same(value, now[name]));
  return Object.fromEntries(differing.map(([name, value]) => [name, name === "login_methods" && all ? null : value]));
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
