// show is a printed value as the programs of this folder have it, on Node as in the sandbox.
export const show = (v) => (typeof v === "string" ? v
  : typeof v === "object" && v !== null && !(v instanceof Error) ? JSON.stringify(v, (k, x) => (typeof x === "bigint" ? `${x}n` : x))
  : Object.is(v, -0) ? "-0" : String(v));
