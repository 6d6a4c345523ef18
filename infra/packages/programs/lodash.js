import _ from "lodash";
export async function main() {
  return [_.chunk([1, 2, 3, 4, 5], 2), _.groupBy(["one", "two", "three"], "length"), _.get({ a: [{ b: 3 }] }, "a[0].b"), _.merge({ a: { x: 1 } }, { a: { y: 2 } }), _.camelCase("Foo Bar-baz"), _.template("hi <%= name %>")({ name: "li" }), _.sortBy([{ a: 2 }, { a: 1 }], "a"), _.debounce(() => 1, 5) instanceof Function, _.isEqual({ a: [1, new Date(0)] }, { a: [1, new Date(0)] }), _.cloneDeep({ a: new Map([[1, { b: 2 }]]) }).a.get(1), _.padStart("7", 3, "0"), _.range(0, 10, 3), _.uniqBy([2.1, 1.2, 2.3], Math.floor), _.words("fred, barney & pebbles"), _(["a", "b"]).map(_.upperCase).join("-"), _.deburr("déjà vu")];
}
