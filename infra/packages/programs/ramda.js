import * as R from "ramda";
export async function main() {
  const f = R.pipe(R.filter((x) => x % 2 === 1), R.map(R.multiply(2)), R.sum);
  return [f([1, 2, 3, 4, 5]), R.path(["a", 0, "b"], { a: [{ b: 1 }] }), R.over(R.lensProp("x"), R.inc, { x: 1, y: 2 }), R.groupBy(R.prop("t"), [{ t: "a" }, { t: "b" }, { t: "a" }]), R.curry((a, b, c) => a + b + c)(1)(2)(3), R.equals({ a: [1] }, { a: [1] }), R.zipObj(["a", "b"], [1, 2]), R.sortWith([R.descend(R.prop("n"))], [{ n: 1 }, { n: 3 }]), R.evolve({ a: R.toUpper }, { a: "x", b: 1 }), R.uniq([1, 1, 2]), R.transpose([[1, 2], [3, 4]])];
}
