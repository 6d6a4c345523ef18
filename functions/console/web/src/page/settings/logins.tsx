import { useSignal } from "@preact/signals";
import { Plus, Trash2 } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { mayChange } from "~/session";
import { texts } from "~/text";
import { useAction } from "~/ui/action";
import { Copyable } from "~/ui/copy";
import { ErrorNote } from "~/ui/error-note";
import { Fact } from "~/ui/facts";
import { Input } from "~/ui/field";
import { useFilter } from "~/ui/filter";
import { Do } from "~/ui/form";
import { FormDialog } from "~/ui/form-dialog";
import { Load, useLoad } from "~/ui/load";
import { Tabs } from "~/ui/tabs";
import { SettingsPage } from "./layout";
import { type Change, type Member, SettingForm } from "./setting-form";

type Setting = components["schemas"]["LoginSetting"];
type Settings = components["schemas"]["ApplicationSetting"];

const t = texts({
  add: ["Add an OpenID Connect provider", "添加 OpenID Connect 平台"],
  appID: ["App ID", "App ID"],
  appSecret: ["App secret", "App Secret"],
  baseURL: ["API address", "接口地址"],
  baseURLHint: ["Leave empty for the provider's own address. The address receives the secret.", "留空则使用平台自身的地址；该地址会收到密钥。"],
  callback: ["Callback URL", "回调地址"],
  chatMP: ["WeChat in-app pages", "微信内网页"],
  chatMPText: ["Logs users in on pages that they open within WeChat. Uses an official account.", "用户在微信内打开网页时登录，使用公众号的凭据。"],
  chatWeb: ["WeChat QR code", "微信扫码"],
  chatWebText: ["Shows a QR code that users scan with WeChat. Uses a website app of the open platform.", "显示二维码，用户用微信扫码登录，使用开放平台的网站应用。"],
  clientID: ["Client ID", "客户端 ID"],
  clientSecret: ["Client secret", "客户端密钥"],
  hosts: ["Redirect hosts", "回跳域名"],
  hostsHint: [
    "One host per line, with a port other than 443: shop.example.com, localhost:3000. After a login the browser returns only to these hosts.",
    "每行一个域名，端口不是 443 时需写出：shop.example.com、localhost:3000。登录后浏览器只会返回这些域名。",
  ],
  hostsScope: ["Redirect hosts apply to all environments, within 10 seconds.", "回跳域名适用于所有环境，10 秒内生效。"],
  incomplete: ["Logins are rejected until all fields are set.", "所有字段填写完整后才能登录。"],
  incompleteChat: ["Logins are rejected until the app ID and the app secret are set.", "填写 App ID 和 App Secret 后才能登录。"],
  issuer: ["Issuer", "签发者（Issuer）"],
  issuerHint: ["The provider's address, such as https://id.example.com. Its endpoints are read from its OpenID configuration.", "平台的地址，例如 https://id.example.com；其接口从 OpenID 配置中读取。"],
  name: ["Provider name", "平台名称"],
  nameHint: [
    "Lowercase letters, digits, and hyphens. Your page logs in with oauth-<name>.",
    "小写字母、数字和连字符。网页以 oauth-<名称> 登录。",
  ],
  noHosts: ["No redirect hosts are set. Web logins are rejected until you add one.", "尚未设置回跳域名，添加之前无法进行网页登录。"],
  off: ["Web logins are turned off for this application.", "此应用已关闭网页登录。"],
  openID: ["Logs users in at an OpenID Connect provider.", "通过 OpenID Connect 平台登录。"],
  providers: ["Providers", "登录平台"],
  remove: ["Remove provider", "移除平台"],
  removeText: ["Users can no longer log in with this provider. Their accounts are kept.", "用户将无法通过该平台登录，账号会保留。"],
  removeTitle: ["Remove {name}?", "移除 {name}？"],
  setting: ["{name} settings", "{name} 设置"],
  start: [
    "Register the callback URL at the provider. Your page starts a login with POST {path} and sends the browser to the redirect_url of the response.",
    "请在平台登记回调地址。网页通过 POST {path} 开始登录，并让浏览器前往响应中的 redirect_url。",
  ],
  turnOn: ["Change login methods", "修改登录方式"],
});

const CHAT_WEB = "oauth-chat-web";
const CHAT_MP = "oauth-chat-mp";
const isChat = (provider: string): boolean => provider === CHAT_WEB || provider === CHAT_MP;

/** How end users log in on web pages and in native apps: the hosts of these pages, and the providers. */
export function Logins() {
  const adding = useSignal(false);
  const tab = useFilter("tab");
  const providers = useLoad(() => ask(api.GET("/oserve/v3/login-setting/", { params: { query: { limit: 1000 } } })), [place.value]);

  const button = (
    <button disabled={!mayChange.value} onClick={() => (adding.value = true)}>
      <Plus size={16} /> {t("add")}
    </button>
  );
  async function added({ provider }: Setting) {
    await providers.reload();
    tab.value = provider;
  }

  return (
    <SettingsPage part="logins" actions={button}>
      <Hosts />
      <Load from={providers}>
        {({ objects }) => (
          <Tabs
            key={place.value?.env}
            label={t("providers")}
            tabs={withChat(objects).map((setting) => ({
              key: setting.provider,
              label: nameOf(setting.provider),
              panel: () => <Provider key={setting.provider} now={setting} onSaved={providers.reload} />,
            }))}
          />
        )}
      </Load>
      <Adding open={adding.value} onClose={() => (adding.value = false)} onAdded={added} />
    </SettingsPage>
  );
}

/** The settings with those of chat first, which are there before anybody sets them. */
function withChat(all: readonly Setting[]): Setting[] {
  const chat = [CHAT_WEB, CHAT_MP].map(
    (provider) => all.find((one) => one.provider === provider) ?? { provider, app_id: "", base_url: "", secrets: [] },
  );
  return [...chat, ...all.filter(({ provider }) => !isChat(provider))];
}

function nameOf(provider: string): string {
  if (provider === CHAT_WEB) return t("chatWeb");
  return provider === CHAT_MP ? t("chatMP") : provider.replace(/^oauth-/, "");
}

/** The hosts that web logins may return to, which all environments share. */
function Hosts() {
  const setting = useLoad(() => ask(api.GET("/oserve/v1.8/application-setting/")), [place.value?.app]);
  const members: Member[] = [{ name: "callback_hosts", label: t("hosts"), kind: "lines", hint: t("hostsHint") }];

  async function save({ callback_hosts: typed }: Change) {
    const callback_hosts = (typed ?? "").split(/\s+/).filter(Boolean);
    await ask(api.PUT("/oserve/v1.8/application-setting/", { body: { callback_hosts } }));
    await setting.reload();
  }

  return (
    <Load from={setting}>
      {(now: Settings) => (
        <>
          {!now.login_methods.includes("oauth") && (
            <p class="note warn">
              {t("off")} <a href={link("settings", "clients")}>{t("turnOn")}</a>
            </p>
          )}
          {now.callback_hosts.length === 0 && <p class="note warn">{t("noHosts")}</p>}
          <p class="hint filters">{t("hostsScope")}</p>
          <SettingForm key={place.value?.app} title={t("hosts")} members={members} now={{ callback_hosts: now.callback_hosts.join("\n") }} onSave={save} />
        </>
      )}
    </Load>
  );
}

function put(provider: string, body: Change) {
  return ask(api.PUT("/oserve/v3/login-setting/{provider}/", { params: { path: { provider } }, body }));
}

function Provider({ now, onSaved }: { now: Setting; onSaved: () => Promise<void> }) {
  const { provider } = now;
  const { failure, confirmed } = useAction();
  const chat = isChat(provider);
  const whole = now.app_id !== "" && now.secrets.length > 0 && (chat || now.base_url !== "");
  const path = `/hserve/v2.0/idp/${provider}/`;

  const remove = () =>
    confirmed({ title: t("removeTitle", { name: nameOf(provider) }), text: t("removeText"), action: t("remove"), name: provider }, async () => {
      await put(provider, { app_id: "", base_url: "", app_secret: null });
      await onSaved();
    });

  return (
    <>
      <p class="hint filters">
        {t(!chat ? "openID" : provider === CHAT_WEB ? "chatWebText" : "chatMPText")} {t("start", { path: path + "redirect/" })}
      </p>
      {!whole && <p class="note warn">{t(chat ? "incompleteChat" : "incomplete")}</p>}
      <dl class="facts">
        <Fact label={t("callback")}><Copyable text={location.origin + path + "callback/"} label={t("callback")} /></Fact>
      </dl>
      <SettingForm
        key={place.value?.env}
        title={t("setting", { name: nameOf(provider) })}
        members={membersOf(chat)}
        now={now as Setting & Record<string, unknown>}
        secrets={now.secrets}
        onSave={async (body) => {
          await put(provider, body);
          await onSaved();
        }}
      />
      {!chat && (
        <Do class="wa-danger" disabled={!mayChange.value} onClick={remove}>
          <Trash2 size={16} /> {t("remove")}
        </Do>
      )}
      <ErrorNote error={failure.value} />
    </>
  );
}

function membersOf(chat: boolean): Member[] {
  return [
    { name: "app_id", label: t(chat ? "appID" : "clientID"), kind: "line", maxLength: 64 },
    { name: "app_secret", label: t(chat ? "appSecret" : "clientSecret"), kind: "secret" },
    { name: "base_url", label: t(chat ? "baseURL" : "issuer"), kind: "line", maxLength: 512, hint: t(chat ? "baseURLHint" : "issuerHint") },
  ];
}

function Adding({ open, onClose, onAdded }: { open: boolean; onClose: () => void; onAdded: (made: Setting) => Promise<void> }) {
  function save(said: FormData) {
    const text = (name: string) => String(said.get(name)).trim();
    return put("oauth-" + text("name"), { app_id: text("app_id"), base_url: text("base_url"), app_secret: text("app_secret") });
  }

  return (
    <FormDialog title={t("add")} draft="login-provider" open={open} onClose={onClose} onSave={save} onSaved={onAdded}>
      <Input label={t("name")} hint={t("nameHint")} name="name" required maxLength={34} pattern="[a-z0-9\-]+" autofocus spellcheck={false} />
      <Input label={t("issuer")} hint={t("issuerHint")} name="base_url" type="url" required maxLength={512} spellcheck={false} />
      <Input label={t("clientID")} name="app_id" required maxLength={64} spellcheck={false} />
      <Input label={t("clientSecret")} name="app_secret" type="password" required maxLength={8192} autocomplete="new-password" />
    </FormDialog>
  );
}
