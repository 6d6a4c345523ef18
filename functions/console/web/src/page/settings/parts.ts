import type { Text } from "~/text";

/** The parts of the settings, by the end of their address; "" is the first. */
export const PARTS = {
  "": ["Application", "应用"],
  clients: ["Clients", "客户端"],
  logins: ["Web logins", "网页登录"],
  accounts: ["Administrators", "管理员"],
  audit: ["Audit log", "审计日志"],
  payments: ["Payments", "支付"],
  mail: ["Email", "邮件"],
  sms: ["SMS", "短信"],
  messages: ["Template messages", "模板消息"],
  inbox: ["Inbox", "收件箱"],
} satisfies Record<string, Text>;

/** A part of the settings, as its address has it; "" is the first. */
export type Part = keyof typeof PARTS;
