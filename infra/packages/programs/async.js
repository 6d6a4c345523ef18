import async from "async";
export async function main() {
  const order = [];
  const queue = async.queue((task, done) => setTimeout(() => { order.push(task); done(); }, 1), 1); queue.push([1, 2, 3]); await queue.drain();
  return [await async.mapLimit([1, 2, 3], 2, async (x) => x * 2), await async.parallel({ a: (cb) => setTimeout(() => cb(null, 1), 2), b: (cb) => cb(null, 2) }), await async.waterfall([(cb) => cb(null, 1), (x, cb) => cb(null, x + 1)]), order, await async.reduce([1, 2, 3], 0, async (a, b) => a + b), await async.retry({ times: 3 }, async () => "ok"), await async.auto({ x: async () => 1, y: ["x", async (r) => r.x + 1] }), await async.series([async () => 1, async () => 2]).catch((e) => e.message), await new Promise((done) => async.each([1], (x, cb) => cb(new Error("bad")), (e) => done(e.message)))];
}
