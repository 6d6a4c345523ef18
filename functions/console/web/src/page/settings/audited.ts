import { texts } from "~/text";

type Named = { id: number; name: string };

/** The names of an environment's objects. */
export type Names = { tables: Named[]; triggers: Named[] };

/** The kinds of objects in the audit log. */
export const objectWords = texts({
  account: ["Administrator", "管理员"],
  environment: ["Environment", "环境"],
  function: ["Function", "云函数"],
  group: ["Group", "用户组"],
  order: ["Order", "订单"],
  promotion: ["Promotion", "发布"],
  setting: ["Setting", "设置"],
  table: ["Table", "数据表"],
  trigger: ["Trigger", "触发器"],
  user: ["User", "用户"],
});

type Kind = Parameters<typeof objectWords>[0];

/** An object by its ID or its name; folder is the path of its page, if it has one. */
export type Audited = { kind: Kind; id: string; folder?: string };

// The first match gives the object of the path.
const PATHS: readonly [RegExp, Kind, string?][] = [
  [/\/cloud-function\/([^/]+)/, "function", "functions"],
  [/\/v3\/trigger\/(\d+)/, "trigger", "triggers"],
  [/\/table\/([^/]+)/, "table", "tables"],
  [/\/order\/([^/]+)/, "order", "orders"],
  [/\/user-group\/([^/]+)/, "group"],
  [/\/(?:user_profile|user\/account|v3\/user|user)\/(\d+)/, "user", "users"],
  [/\/console\/api\/account\/(\d+)/, "account"],
  [/\/environment(?:\/([^/]+))?/, "environment"],
  [/\/promot(?:e|ion)(?:\/(\d+))?/, "promotion"],
  [/\/v3\/([a-z]+-setting(?:\/[a-z]+)?)\//, "setting"],
];

/** The object of an entry, by its path or by fields such as "kind name"; undefined for lists and objects without a name. */
export function objectOf({ path, fields }: { path: string; fields: string[] }): Audited | undefined {
  for (const [pattern, kind, folder] of PATHS) {
    const found = pattern.exec(path);
    if (!found) continue;
    const id = fields.findLast((field) => field.startsWith(`${kind} `))?.slice(kind.length + 1) ?? found[1];
    return id ? { kind, id, folder } : undefined;
  }
  return undefined;
}

/** The present name of an object whose path has only an ID. */
export function nameOf({ kind, id }: Audited, names: Names | undefined): string | undefined {
  const of = kind === "trigger" ? names?.triggers : kind === "table" ? names?.tables : undefined;
  return of?.find((one) => String(one.id) === id)?.name;
}
