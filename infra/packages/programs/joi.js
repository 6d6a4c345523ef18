import Joi from "joi";
export async function main() {
  const schema = Joi.object({ name: Joi.string().min(2).required(), age: Joi.number().integer().min(0), email: Joi.string().email({ tlds: false }), list: Joi.array().items(Joi.string()).unique(), when: Joi.date().iso(), a: Joi.any().when("age", { is: Joi.exist(), then: Joi.required() }) });
  const { value, error } = schema.validate({ name: "x", age: "5", email: "no", list: ["a", "a"], more: 1 }, { abortEarly: false });
  return [schema.validate({ name: "Li", age: "7", a: 1, when: "2024-01-01" }).value, error.details.map((d) => [d.path.join("."), d.type, d.message]), value.age, Joi.attempt("5", Joi.number()), await schema.validateAsync({}).catch((e) => `${e.name}: ${e.message}`), Joi.string().pattern(/^a/).validate("b").error.message, Joi.number().precision(1).validate(1.25).value];
}
