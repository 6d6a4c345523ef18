import * as yup from "yup";
export async function main() {
  const s = yup.object({ name: yup.string().required().min(2), age: yup.number().integer().positive(), mail: yup.string().email(), on: yup.date(), tags: yup.array().of(yup.string()).max(2) });
  return [await s.validate({ name: "ab", age: "7", on: "2024-01-02" }), await s.validate({ name: "a", age: -1, mail: "x", tags: ["1", "2", "3"] }, { abortEarly: false }).catch((e) => [e.name, e.errors, e.inner.map((i) => i.path)]), s.isValidSync({}), yup.string().url().isValidSync("https://a.b"), s.cast({ name: 5 }).name];
}
