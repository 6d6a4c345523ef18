import type { components } from "~/api/schema";
import { texts } from "~/text";
import type { Tone } from "~/ui/badge";
import { fromText, isSame, toText } from "./cell";
import type { Column } from "./columns";

/** A column as it is being written. */
export type DraftColumn = {
  key: number;
  name: string;
  type: Column["type"];
  items: Column["type"];
  /** Of a pointer: the id of the table that it leads into; nothing while none is chosen. */
  target: string;
  required: boolean;
  indexed: boolean;
  /** The default as it was typed; nothing for none. */
  default: string;
  description: string;
  /** What clients may do with the column. */
  access: Access;
  /** The column as it is; undefined for a new one. */
  old?: Column;
  /** The column and its values will be removed. */
  removed: boolean;
};

/** The acl of a column, complete. */
export type Access = Required<components["schemas"]["ColumnAccess"]>;

const DEFAULT_ACCESS: Access = { clientVisible: true, clientReadOnly: false, creatorVisible: false };

let made = 0;

/** A column of the edited schema: a new or an existing one. */
export function draftOf(old?: Column): DraftColumn {
  return {
    key: ++made,
    name: old?.name ?? "",
    type: old?.type ?? "string",
    items: old?.items?.type ?? "string",
    target: old?.schema_id === undefined ? "" : String(old.schema_id),
    required: old?.constraints.required ?? false,
    indexed: old?.indexed ?? false,
    default: toText(old?.default),
    description: old?.description ?? "",
    access: { ...DEFAULT_ACCESS, ...old?.acl },
    old,
    removed: false,
  };
}

/** A draft that was kept, with a key of its own. */
export const draftAgain = (draft: DraftColumn): DraftColumn => ({ ...draft, access: { ...DEFAULT_ACCESS, ...draft.access }, key: ++made });

/** A draft as the platform takes it. */
export function columnOf(draft: DraftColumn): components["schemas"]["ColumnDraft"] {
  const { name, type, description, required, indexed } = draft;
  const value = draft.default === "" ? null : fromText({ type } as Column, draft.default);
  const column = { name: name.trim(), type, description, constraints: { required }, default: value, indexed, acl: draft.access };
  if (type === "pointer" && draft.target !== "") return { ...column, schema_id: Number(draft.target) };
  return type === "array" ? { ...column, items: { type: draft.items } } : column;
}

/** The effect of a change on rows, as a sentence. */
export type Effect = { column: string; tone: Tone; text: string };

/** The body of a schema change, and its effects on existing rows. */
export type SchemaChange = { fields: components["schemas"]["ColumnDraft"][]; remove_fields: string[]; effects: Effect[] };

const t = texts({
  add: ["New column. Existing rows ({n}) have no value in it.", "新增列；已有的 {n} 行在该列没有值。"],
  addDefault: [
    "New column. The default applies to new rows only. Existing rows ({n}) have no value in it.",
    "新增列；默认值只用于新行，已有的 {n} 行没有值。",
  ],
  default: ["The new default applies to new rows only. Existing rows stay unchanged.", "新行将使用新的默认值；已有数据不变。"],
  creatorOnly: ["Clients see this column only in rows that they created.", "客户端只能在自己创建的行中看到该列。"],
  description: ["Only the description changes.", "仅修改说明。"],
  everyRow: ["Clients see this column in every row that they can read.", "客户端可在每个可读的行中看到该列。"],
  hidden: ["Clients no longer see this column, and can't filter or sort by it.", "客户端不再看到该列，也不能按它筛选或排序。"],
  index: [
    "The index is built in the background from {n:row|rows}, usually within a minute. From then on each row write also updates the index.",
    "约一分钟后（{n} 行进入索引）可按键查找；每次写入会多写一个索引项。",
  ],
  noIndex: ["The index is deleted. Queries on this column will read every row.", "索引将被删除；按该列查询会读取所有行。"],
  optional: ["The column can be empty from now on.", "今后可以为空。"],
  readOnly: ["Writes by clients that contain this column will be rejected.", "客户端写入该列会被拒绝。"],
  remove: ["The column and its values in {n:row|rows} are deleted immediately. This can't be undone. Triggers that use the column will break.", "该列及其在 {n} 行中的值将立即删除且无法恢复；使用该列的触发器会失效。"],
  required: [
    "Writes that leave this column empty will be rejected. Existing rows ({n}) stay unchanged.",
    "今后留空的写入会被拒绝；已有的 {n} 行不变。",
  ],
  visible: ["Clients see this column in the rows that they can read.", "客户端可在可读的行中看到该列。"],
  writable: ["Clients can write this column in the rows that they can change.", "客户端可在可写的行中写入该列。"],
});

/** Compares the edited columns with the existing ones; n is the number of rows. */
export function changeOf(drafts: readonly DraftColumn[], n: string): SchemaChange {
  const removed = drafts.filter((draft) => draft.removed && draft.old);
  const changed = drafts.filter((draft) => !draft.removed && (!draft.old || effectsOf(draft, n).length > 0));
  const removals: Effect[] = removed.map(({ name }) => ({ column: name, tone: "bad", text: t("remove", { n }) }));
  return {
    fields: changed.map(columnOf),
    remove_fields: removed.map(({ name }) => name),
    effects: [...removals, ...changed.flatMap((draft) => effectsOf(draft, n))],
  };
}

function effectsOf(draft: DraftColumn, n: string): Effect[] {
  const { old, name } = draft;
  const effects: Effect[] = [];
  const say = (tone: Tone, key: Parameters<typeof t>[0]) => effects.push({ column: name, tone, text: t(key, { n }) });
  if (!old) say("good", draft.default === "" ? "add" : "addDefault");
  if (draft.required && !old?.constraints.required) say("warn", "required");
  if (!draft.required && old?.constraints.required) say("good", "optional");
  if (draft.indexed && !old?.indexed) say("good", "index");
  if (!draft.indexed && old?.indexed) say("warn", "noIndex");
  const before: Access = { ...DEFAULT_ACCESS, ...old?.acl };
  const { clientVisible, clientReadOnly, creatorVisible } = draft.access;
  if (clientVisible !== before.clientVisible) say("warn", clientVisible ? "visible" : "hidden");
  if (clientReadOnly !== before.clientReadOnly) say("warn", clientReadOnly ? "readOnly" : "writable");
  if (creatorVisible !== before.creatorVisible) say("warn", creatorVisible ? "creatorOnly" : "everyRow");
  if (old && !isSame(columnOf(draft).default, old.default)) say("good", "default");
  if (old && draft.description !== old.description) say("quiet", "description");
  return effects;
}
