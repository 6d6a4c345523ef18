import type { components } from "./api/schema";
import { type Text, texts } from "./text";

/** A provider of payments or template messages, as the platform spells it. */
export type Vendor = components["schemas"]["PaymentVendor"];

/** Every provider, in the order of the specification. */
export const VENDORS: readonly Vendor[] = ["chat", "alt", "tpay"];

const WECHAT_PAY: Text = ["WeChat Pay", "微信支付"];
const ALIPAY: Text = ["Alipay", "支付宝"];

/** The names of payment providers. */
export const paymentWords = texts({ chat: WECHAT_PAY, alt: ALIPAY, tpay: ["QQ Wallet", "QQ 支付"] } satisfies Record<Vendor, Text>);

/** The names of providers of template messages. */
export const messengerWords = texts({ chat: ["WeChat", "微信"], alt: ALIPAY, tpay: ["QQ", "QQ"] } satisfies Record<Vendor, Text>);

/** The names of the gateways that orders are filtered by. */
export const gatewayWords = texts({ chatpay: WECHAT_PAY, altpay: ALIPAY });
