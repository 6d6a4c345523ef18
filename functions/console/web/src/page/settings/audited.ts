import { texts } from "~/text";

type Named = { id: number; name: string };

/** What the objects of an environment are called. */
export type Names = { tables: Named[]; triggers: Named[] };

/** What kinds of objects the audit log names. */
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

/** One object by its id, or by its name where the entry has that; folder is where its page is, if it has one. */
export type Audited = { kind: Kind; id: string; folder?: string };

// The first that fits says what the path is about.
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

/** What an entry is about, by its path or by what its fields name as "kind name"; undefined for lists and what has no name. */
export function objectOf({ path, fields }: { path: string; fields: string[] }): Audited | undefined {
  for (const [pattern, kind, folder] of PATHS) {
    const found = pattern.exec(path);
    if (!found) continue;
    const id = fields.findLast((field) => field.startsWith(`${kind} `))?.slice(kind.length + 1) ?? found[1];
    return id ? { kind, id, folder } : undefined;
  }
  return undefined;
}

/** What an object is called now, where its path has only an id. */
export function nameOf({ kind, id }: Audited, names: Names | undefined): string | undefined {
  const of = kind === "trigger" ? names?.triggers : kind === "table" ? names?.tables : undefined;
  return of?.find((one) => String(one.id) === id)?.name;
}
