// esbuild: --alias:bluebird=bluebird/js/release/bluebird.js
import Bluebird from "bluebird";
export async function main() {
  const read = Bluebird.promisify((x, cb) => setTimeout(() => cb(null, x + 1), 1));
  return [await Bluebird.map([1, 2, 3], (x) => Bluebird.delay(1).then(() => x * 2), { concurrency: 2 }), await read(1), await Bluebird.props({ a: Bluebird.resolve(1), b: 2 }), await Bluebird.reduce([1, 2, 3], (a, b) => a + b), await Bluebird.delay(50).timeout(5).catch(Bluebird.TimeoutError, (e) => e.name), await Bluebird.mapSeries([1, 2], (x) => x + 1), await Bluebird.try(() => { throw new TypeError("t"); }).catch(TypeError, (e) => e.message), await Bluebird.resolve([1, 2]).spread((a, b) => a + b), await Bluebird.each([1, 2], () => {}), Bluebird.resolve(1).isFulfilled(), await Bluebird.any([Bluebird.reject(new Error("a")), 5]), await Bluebird.coroutine(function* () { return (yield Bluebird.resolve(3)) + 1; })()];
}
