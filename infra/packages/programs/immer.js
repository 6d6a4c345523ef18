import { produce, enableMapSet, enablePatches, produceWithPatches, applyPatches, isDraft, current } from "immer";
export async function main() {
  enableMapSet(); enablePatches();
  const base = { list: [{ n: 1 }, { n: 2 }], map: new Map([["a", { x: 1 }]]) };
  const next = produce(base, (d) => { d.list[0].n = 9; d.list.push({ n: 3 }); d.map.get("a").x = 5; });
  const [after, patches] = produceWithPatches(base, (d) => { d.list.splice(0, 1); });
  let inner; produce(base, (d) => { inner = [isDraft(d), current(d).list.length]; });
  return [next.list, [...next.map], base.list, next.list[1] === base.list[1], Object.isFrozen(next.list), patches, applyPatches(base, patches).list, after.list.length, inner];
}
