import type { Item } from "./data";

/** A difference: its path in the definition, and its text on both sides; "" is absent. */
export type Difference = { path: string; before: string; after: string };

type Value = unknown;
type Members = Record<string, Value>;

/** The differences between the two sides of an item, one line each. The code of functions has a view of its own. */
export function differences({ kind, before, after }: Item): Difference[] {
  const sides = [before, after].map((side) => flat(kind, (side ?? {}) as Members));
  const paths = [...new Set(sides.flatMap((side) => [...side.keys()]))];
  return paths
    .map((path) => ({ path, before: sides[0]!.get(path) ?? "", after: sides[1]!.get(path) ?? "" }))
    .filter((line) => line.before !== line.after);
}

function flat(kind: Item["kind"], side: Members): Map<string, string> {
  const lines = new Map<string, string>();
  if (kind === "function") {
    const { plan_circle, remark } = side;
    walk("", { plan_circle, remark }, lines);
  } else if (kind === "table") {
    const { fields = [], indexes = [], built_in: builtIn = {}, ...rest } = side;
    for (const field of fields as Field[]) lines.set(field.name, describe(field));
    for (const [name, acl] of Object.entries(builtIn as Members)) lines.set(name, access(acl as ACL).join(", ") || "visible");
    for (const { fields, unique } of indexes as Index[]) {
      lines.set(`index ${fields.join(", ")}`, unique ? "unique" : "not unique");
    }
    walk("", rest, lines);
  } else walk("", side, lines);
  return lines;
}

type ACL = { clientVisible: boolean; clientReadOnly: boolean; creatorVisible: boolean };
type Index = { fields: string[]; unique: boolean };

type Field = {
  name: string;
  type: string;
  items?: string;
  schema_name?: string;
  required: boolean;
  indexed: boolean;
  default: Value;
  description: string;
  acl?: ACL;
};

/** What end users cannot do with a column. */
function access({ clientVisible, clientReadOnly, creatorVisible }: ACL): string[] {
  const parts = [];
  if (!clientVisible) parts.push("hidden from clients");
  if (clientReadOnly) parts.push("read-only for clients");
  if (creatorVisible) parts.push("only for the creator");
  return parts;
}

/** A field of a table on one line: "array of string, required, indexed". */
function describe({ type, items, schema_name, required, indexed, default: otherwise, description, acl }: Field): string {
  const parts = [type + (items ? ` of ${items}` : "") + (schema_name ? ` → ${schema_name}` : "")];
  if (required) parts.push("required");
  if (indexed) parts.push("indexed");
  if (otherwise !== null) parts.push(`default ${JSON.stringify(otherwise)}`);
  if (acl) parts.push(...access(acl));
  if (description) parts.push(`“${description}”`);
  return parts.join(", ");
}

/** Every value by its path: "actions[0].settings.url". Short lists of plain values stay on one line. */
function walk(path: string, value: Value, into: Map<string, string>): void {
  if (Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null)) {
    value.forEach((item, i) => walk(`${path}[${i}]`, item, into));
  } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) walk(path === "" ? name : `${path}.${name}`, member, into);
  } else if (value !== undefined && value !== "") {
    into.set(path, typeof value === "string" ? value : JSON.stringify(value));
  }
}
