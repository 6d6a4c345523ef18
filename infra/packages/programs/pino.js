import pino from "pino";
export async function main() { const seen = [], l = pino({ base: null, timestamp: false }, { write: (s) => seen.push(s) }); l.info({ a: 1 }, "m %d", 5); l.child({ c: "x" }).error(new TypeError("e").message); l.debug("no"); return [seen, l.level, pino.levels.labels["30"]]; }
