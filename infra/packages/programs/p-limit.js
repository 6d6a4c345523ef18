import pLimit from "p-limit";
export async function main() {
  const limit = pLimit(2); let running = 0, most = 0;
  const job = (n) => limit(async () => { most = Math.max(most, ++running); await new Promise((done) => setTimeout(done, 2)); running--; return n * 2; });
  return [await Promise.all([1, 2, 3, 4, 5].map(job)), most, limit.activeCount, limit.pendingCount, await limit(() => Promise.reject(new Error("x"))).catch((e) => e.message)];
}
