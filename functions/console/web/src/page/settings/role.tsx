import type { components } from "~/api/schema";
import { texts } from "~/text";
import { Badge, type Tone } from "~/ui/badge";

/** The role of an administrator. */
export type Role = components["schemas"]["ConsoleRole"];

/** All roles; each has the permissions of the one before it, and more. */
export const ROLES: readonly Role[] = ["viewer", "developer", "owner"];

const TONES: Record<Role, Tone> = { viewer: "quiet", developer: "busy", owner: "good" };

/** The names of the roles, and their permissions. */
export const roleWords = texts({
  viewer: ["viewer", "只读"],
  developer: ["developer", "开发者"],
  owner: ["owner", "所有者"],
  viewerMay: ["views everything, changes nothing", "可查看全部，不能修改"],
  developerMay: ["changes functions, triggers, tables, users, and settings", "可修改云函数、触发器、数据表、用户和设置"],
  ownerMay: ["also manages credentials, environments, and the audit log; owners of all applications also manage administrators", "另可管理凭据、环境和审计日志；拥有全部应用者还可管理管理员"],
});

/** A role as a badge. */
export function RoleBadge({ role }: { role: Role }) {
  return <Badge tone={TONES[role]}>{roleWords(role)}</Badge>;
}
