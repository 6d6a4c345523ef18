import type { components } from "./api/schema";
import { type Text, texts } from "./text";

/** A way to log in, by its name in the API. */
export type LoginMethod = components["schemas"]["ApplicationSetting"]["login_methods"][number];

const WORDS: Record<LoginMethod, Text> = {
  username: ["Username", "用户名"],
  email: ["Email", "邮箱"],
  phone: ["Phone and password", "手机号和密码"],
  sms: ["SMS code", "短信验证码"],
  anonymous: ["Anonymous", "匿名"],
  chat: ["WeChat mini-program", "微信小程序"],
  alt: ["Alipay mini-program", "支付宝小程序"],
  tpay: ["QQ mini-program", "QQ 小程序"],
  oauth: ["Web and apps", "网页和 App"],
};

/** Every way to log in. */
export const LOGIN_METHODS = Object.keys(WORDS) as LoginMethod[];

/** The names of the ways to log in. */
export const loginWords = texts(WORDS);
