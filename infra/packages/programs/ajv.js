import Ajv from "ajv";
export async function main() {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true }); ajv.addFormat("even", { type: "number", validate: (n) => n % 2 === 0 });
  const check = ajv.compile({ type: "object", required: ["name"], additionalProperties: false, properties: { name: { type: "string", minLength: 2 }, age: { type: "integer", minimum: 0 }, kind: { enum: ["a", "b"], default: "a" }, even: { type: "number", format: "even" }, list: { type: "array", items: { type: "string" }, uniqueItems: true } } });
  const good = { name: "Li", age: "5" }, bad = { name: "x", age: -1, kind: "z", even: 3, list: ["a", "a"], more: 1 };
  const caught = (f) => { try { return f(); } catch (e) { return e.message; } };
  return [check(good), good, check(bad), check.errors.map((e) => [e.instancePath, e.keyword, e.message]), ajv.errorsText(check.errors), caught(() => ajv.compile({ type: "nope" })), ajv.validate({ $ref: "#/$defs/x", $defs: { x: { oneOf: [{ type: "number" }, { type: "boolean" }] } } }, 5)];
}
