import { api, ask } from "~/api/client";
import { place } from "~/place";
import { texts } from "~/text";
import { Load, useLoad } from "~/ui/load";
import { Tabs } from "~/ui/tabs";
import { messengerWords, type Vendor, VENDORS } from "~/vendor";
import { SettingsPage } from "./layout";
import { type Member, SettingForm } from "./setting-form";


const t = texts({
  appID: ["App ID", "App ID"],
  appSecret: ["App secret", "App Secret"],
  appSecretHint: ["Used to log users in and to get the tokens for sending messages.", "用于用户登录以及获取发送消息的令牌。"],
  baseURL: ["API address", "接口地址"],
  baseURLHint: ["Leave empty for the provider's own address. The address receives the secret.", "留空则使用平台自身的地址；该地址会收到密钥。"],
  privateKey: ["Your private key", "我方私钥"],
  privateKeyHint: ["RSA, in PEM. Signs messages and logins.", "RSA，PEM 格式：用于消息和登录的签名。"],
  publicKey: ["Provider's public key", "平台公钥"],
  setting: ["{vendor} settings", "{vendor} 设置"],
  vendors: ["Providers", "消息平台"],
});


/** How each vendor of mini-programs is asked, for messages and logins. */
export function Messages() {
  return (
    <SettingsPage part="messages">
      <Tabs label={t("vendors")} tabs={VENDORS.map((vendor) => ({ key: vendor, label: messengerWords(vendor), panel: () => <OfVendor key={vendor} vendor={vendor} /> }))} />
    </SettingsPage>
  );
}

function OfVendor({ vendor }: { vendor: Vendor }) {
  const params = { path: { vendor } };
  const setting = useLoad(() => ask(api.GET("/oserve/v3/message-setting/{vendor}/", { params })), [vendor, place.value]);

  return (
    <Load from={setting}>
      {(now) => (
        <SettingForm
          key={place.value?.env}
          title={t("setting", { vendor: messengerWords(vendor) })}
          members={membersOf(vendor)}
          now={now as typeof now & Record<string, unknown>}
          secrets={now.secrets}
          onSave={async (body) => {
            await ask(api.PUT("/oserve/v3/message-setting/{vendor}/", { params, body: body }));
            await setting.reload();
          }}
        />
      )}
    </Load>
  );
}

/** alt signs by keys, the others get tokens by a secret. */
function membersOf(vendor: Vendor): Member[] {
  const appID: Member = { name: "app_id", label: t("appID"), kind: "line", maxLength: 64 };
  const baseURL: Member = { name: "base_url", label: t("baseURL"), kind: "line", maxLength: 512, hint: t("baseURLHint") };
  if (vendor !== "alt") return [appID, { name: "app_secret", label: t("appSecret"), kind: "secret", hint: t("appSecretHint") }, baseURL];
  return [
    appID,
    { name: "private_key", label: t("privateKey"), kind: "secret-pem", hint: t("privateKeyHint") },
    { name: "public_key", label: t("publicKey"), kind: "pem" },
    baseURL,
  ];
}
