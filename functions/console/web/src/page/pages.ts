import type { LucideIcon } from "lucide-preact";
import { Code, Files, GitCompareArrows, Home, MailX, ReceiptText, Settings, Table2, Users, Workflow, Zap } from "lucide-preact";
import { type AnyComponent, h } from "preact";
import { useRoute } from "preact-iso";

import { NotFound } from "../shell/not-found";
import type { Text } from "../text";
import { lazy } from "../ui/lazy";

/** A page: its path below /console/:app/:env, and its component, which is loaded on the first visit. */
export type PageRoute = {
  path: string;
  component: AnyComponent;
  /** Pages with a menu entry stand in the navigation, in this order. */
  menu?: { label: Text; icon: LucideIcon; chord: string };
};

/** A page whose address has a numeric ID; other addresses are not found. */
function numbered(name: string, page: AnyComponent): AnyComponent {
  return function Numbered() {
    return h(/^[1-9]\d{0,15}$/.test(useRoute().params[name] ?? "") ? page : NotFound, {});
  };
}

/** Every page. */
export const pages: PageRoute[] = [
  {
    path: "",
    component: lazy(() => import("./overview/overview").then((m) => m.Overview)),
    menu: { label: ["Overview", "概览"], icon: Home, chord: "g o" },
  },
  {
    path: "/functions",
    component: lazy(() => import("./functions/functions").then((m) => m.Functions)),
    menu: { label: ["Functions", "云函数"], icon: Code, chord: "g f" },
  },
  { path: "/functions/:name", component: lazy(() => import("./functions/function").then((m) => m.FunctionPage)) },
  { path: "/functions/:name/runs/:job", component: numbered("job", lazy(() => import("./functions/job").then((m) => m.JobPage))) },
  {
    path: "/triggers",
    component: lazy(() => import("./triggers/triggers").then((m) => m.Triggers)),
    menu: { label: ["Triggers", "触发器"], icon: Zap, chord: "g t" },
  },
  { path: "/triggers/new", component: lazy(() => import("./triggers/editor/edit").then((m) => m.EditTrigger)) },
  { path: "/triggers/:trigger/edit", component: numbered("trigger", lazy(() => import("./triggers/editor/edit").then((m) => m.EditTrigger))) },
  { path: "/triggers/:trigger", component: numbered("trigger", lazy(() => import("./triggers/trigger").then((m) => m.TriggerPage))) },
  {
    path: "/tables",
    component: lazy(() => import("./tables/tables").then((m) => m.Tables)),
    menu: { label: ["Tables", "数据表"], icon: Table2, chord: "g d" },
  },
  { path: "/tables/:table", component: lazy(() => import("./tables/table").then((m) => m.TablePage)) },
  {
    path: "/users",
    component: lazy(() => import("./users/users").then((m) => m.Users)),
    menu: { label: ["Users", "用户"], icon: Users, chord: "g u" },
  },
  { path: "/users/:id", component: numbered("id", lazy(() => import("./users/user").then((m) => m.UserPage))) },
  {
    path: "/files",
    component: lazy(() => import("./files/files").then((m) => m.Files)),
    menu: { label: ["Files", "文件"], icon: Files, chord: "g i" },
  },
  {
    path: "/orders",
    component: lazy(() => import("./orders/orders").then((m) => m.Orders)),
    menu: { label: ["Orders", "订单"], icon: ReceiptText, chord: "g r" },
  },
  { path: "/orders/:number", component: lazy(() => import("./orders/order").then((m) => m.OrderPage)) },
  {
    path: "/trace",
    component: lazy(() => import("./trace/trace").then((m) => m.TracePage)),
    menu: { label: ["Trace", "追踪"], icon: Workflow, chord: "g x" },
  },
  {
    path: "/dead-letters",
    component: lazy(() => import("./letters/letters").then((m) => m.Letters)),
    menu: { label: ["Dead letters", "死信"], icon: MailX, chord: "g l" },
  },
  { path: "/trace/:trace", component: lazy(() => import("./trace/trace").then((m) => m.TracePage)) },
  {
    path: "/promote",
    component: lazy(() => import("./promote/promote").then((m) => m.Promote)),
    menu: { label: ["Promote", "发布"], icon: GitCompareArrows, chord: "g p" },
  },
  {
    path: "/settings",
    component: lazy(() => import("./settings/application").then((m) => m.ApplicationPage)),
    menu: { label: ["Settings", "设置"], icon: Settings, chord: "g s" },
  },
  { path: "/settings/clients", component: lazy(() => import("./settings/clients").then((m) => m.Clients)) },
  { path: "/settings/logins", component: lazy(() => import("./settings/logins").then((m) => m.Logins)) },
  { path: "/settings/accounts", component: lazy(() => import("./settings/accounts").then((m) => m.Accounts)) },
  { path: "/settings/accounts/:account", component: numbered("account", lazy(() => import("./settings/account").then((m) => m.AccountPage))) },
  { path: "/settings/audit", component: lazy(() => import("./settings/audit").then((m) => m.Audit)) },
  { path: "/settings/payments", component: lazy(() => import("./settings/payments").then((m) => m.Payments)) },
  { path: "/settings/mail", component: lazy(() => import("./settings/mail").then((m) => m.Mail)) },
  { path: "/settings/sms", component: lazy(() => import("./settings/sms").then((m) => m.SMS)) },
  { path: "/settings/messages", component: lazy(() => import("./settings/messages").then((m) => m.Messages)) },
  { path: "/settings/inbox", component: lazy(() => import("./settings/inbox").then((m) => m.Inbox)) },
];
