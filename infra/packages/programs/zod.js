import { z } from "zod";
export async function main() {
  const User = z.object({ name: z.string().min(2), age: z.number().int().positive().optional(), email: z.email(), tags: z.array(z.enum(["a", "b"])).default(["a"]), when: z.coerce.date() }).strict();
  const bad = User.safeParse({ name: "x", age: -1, email: "no", when: "2024-01-01", more: 1 });
  return [User.parse({ name: "Li", email: "a@b.co", when: "2024-01-01" }), bad.success, bad.error.issues.map((i) => [i.path.join("."), i.code, i.message]), z.union([z.string(), z.number()]).parse(5), z.string().transform((s) => s.length).parse("abc"), await z.string().refine(async (s) => s === "ok", "not ok").safeParseAsync("x").then((r) => r.error.issues[0].message), z.discriminatedUnion("t", [z.object({ t: z.literal("a"), x: z.number() }), z.object({ t: z.literal("b") })]).parse({ t: "a", x: 1 }), z.uuid().safeParse("x").success, z.treeifyError(bad.error).properties.age.errors];
}
