import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { place, PRODUCTION } from "~/place";
import { application } from "~/session";
import { texts } from "~/text";
import { Ago } from "~/ui/ago";
import { Copyable } from "~/ui/copy";
import { Fact } from "~/ui/facts";
import { Load, useLoad } from "~/ui/load";
import { Tabs } from "~/ui/tabs";
import { paymentWords, type Vendor, VENDORS } from "~/vendor";
import { Certificates } from "./certificates";
import { SettingsPage } from "./layout";
import { type Member, SettingForm } from "./setting-form";

type Setting = components["schemas"]["PaymentSetting"];

const t = texts({
  apiKey: ["API v3 key", "API v3 密钥"],
  apiKeyHint: ["32 bytes. Decrypts JSON notifications.", "32 字节；用于解密 JSON 通知。"],
  appID: ["App ID", "App ID"],
  baseURL: ["API base URL", "支付平台地址"],
  baseURLHint: ["Starts with https://. Used to check the status of pending orders. Leave empty to skip these checks.", "以 https:// 开头。未决订单会在此查询；留空则不查询。"],
  certificate: ["Merchant certificate", "商户证书"],
  certificateHint: ["PEM. The provider requires it for refunds.", "PEM 格式；退款时支付平台需要验证。"],
  changed: ["Changed", "修改时间"],
  merchant: ["Merchant ID", "商户号"],
  merchantKey: ["Merchant key", "商户密钥"],
  merchantKeyHint: ["Signs XML notifications.", "用于 XML 通知签名。"],
  notify: ["Notification URL for the provider", "请在支付平台填写通知地址"],
  operator: ["Operator ID", "操作员 ID"],
  operatorHint: ["The refund operator, as registered with the provider.", "退款操作员，由支付平台分配。"],
  operatorPassword: ["Operator password", "操作员密码"],
  privateKey: ["Merchant private key", "我方私钥"],
  privateKeyHint: ["RSA, PEM. Signs requests to the provider.", "RSA，PEM 格式：用于向支付平台发送请求时签名。"],
  publicKey: ["Provider's public key", "支付平台公钥"],
  refundURL: ["Refund URL", "退款地址"],
  refundURLHint: ["Leave empty to use the API base URL.", "留空则与支付平台地址相同。"],
  serial: ["Serial number of the merchant certificate", "商户证书序列号"],
  setting: ["{vendor} settings", "{vendor} 设置"],
  vendors: ["Providers", "支付平台"],
});


/** How each payment vendor is believed and asked. */
export function Payments() {
  return (
    <SettingsPage part="payments">
      <Tabs label={t("vendors")} tabs={VENDORS.map((vendor) => ({ key: vendor, label: paymentWords(vendor), panel: () => <OfVendor key={vendor} vendor={vendor} /> }))} />
    </SettingsPage>
  );
}

function OfVendor({ vendor }: { vendor: Vendor }) {
  const params = { path: { vendor } };
  const setting = useLoad(() => ask(api.GET("/oserve/v3/payment-setting/{vendor}/", { params })), [vendor, place.value]);

  async function save(body: components["schemas"]["PaymentSettingChange"]) {
    await ask(api.PUT("/oserve/v3/payment-setting/{vendor}/", { params, body }));
    await setting.reload();
  }

  return (
    <Load from={setting}>
      {(now) => (
        <>
          <dl class="facts">
            <Fact label={t("notify")}><Copyable text={notifyURL(vendor)} label={t("notify")} /></Fact>
            <Fact label={t("changed")}><Ago at={Math.max(0, now.updated_at)} /></Fact>
          </dl>
          <SettingForm
            key={place.value?.env}
            title={t("setting", { vendor: paymentWords(vendor) })}
            members={membersOf(vendor)}
            now={now as Setting & Record<string, unknown>}
            secrets={now.secrets}
            onSave={save}
          />
          {vendor === "chat" && <Certificates now={now.certificates} onSave={(certificates) => save({ certificates })} />}
        </>
      )}
    </Load>
  );
}

function notifyURL(vendor: Vendor): string {
  const env = place.value?.env ?? PRODUCTION;
  const query = env === PRODUCTION ? "" : "?env=" + encodeURIComponent(env);
  return `${location.origin}/hserve/v1/pay/notify/${vendor}/${application.value?.client_id ?? ""}/${query}`;
}

/** The members that a vendor's setting has; see infra/docs/orders.md. */
function membersOf(vendor: Vendor): Member[] {
  const all: (Member & { of?: Vendor[] })[] = [
    { name: "app_id", label: t("appID"), kind: "line" },
    { name: "merchant_id", label: t("merchant"), kind: "line" },
    { name: "base_url", label: t("baseURL"), kind: "line", hint: t("baseURLHint") },
    { name: "merchant_key", label: t("merchantKey"), kind: "secret", hint: t("merchantKeyHint"), of: ["chat", "tpay"] },
    { name: "api_v3_key", label: t("apiKey"), kind: "secret", hint: t("apiKeyHint"), of: ["chat"] },
    { name: "merchant_serial", label: t("serial"), kind: "line", of: ["chat"] },
    { name: "public_key", label: t("publicKey"), kind: "pem", of: ["alt"] },
    { name: "private_key", label: t("privateKey"), kind: "secret-pem", hint: t("privateKeyHint") },
    { name: "merchant_certificate", label: t("certificate"), kind: "pem", hint: t("certificateHint"), of: ["chat", "tpay"] },
    { name: "refund_url", label: t("refundURL"), kind: "line", hint: t("refundURLHint"), of: ["tpay"] },
    { name: "operator_id", label: t("operator"), kind: "line", hint: t("operatorHint"), of: ["tpay"] },
    { name: "operator_password", label: t("operatorPassword"), kind: "secret", of: ["tpay"] },
  ];
  return all.filter((member) => member.of?.includes(vendor) ?? true);
}
