/** A value as JSON has it. */
export type Json = unknown;

/** The trigger being edited, as the API takes it, complete or not. */
export type Draft = { [member: string]: Json };

const steps = (path: string): (string | number)[] =>
  (path.match(/[^.[\]]+/g) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));

/** The value at a path such as `condition.rules[2].operator`, spelled like the paths of problems. */
export function valueAt(draft: Draft, path: string): Json {
  return steps(path).reduce<Json>((at, step) => (at as Record<string, Json> | undefined)?.[step], draft);
}

/** The draft with another value at a path; undefined takes the member away. */
export function withValue(draft: Draft, path: string, value: Json): Draft {
  return replaced(draft, steps(path), value) as Draft;
}

function replaced(at: Json, [step, ...rest]: (string | number)[], value: Json): Json {
  if (step === undefined) return value;
  const list = Array.isArray(at) ? [...at] : [];
  const copy = (typeof step === "number" ? list : { ...(at as Draft) }) as Record<string | number, Json>;
  const inner = replaced(copy[step], rest, value);
  if (nothing(inner, step) && !Array.isArray(copy)) delete copy[step];
  else copy[step] = inner;
  return copy as Json;
}

/** Members that are not given at all when their last own member goes. */
const WHOLE = new Set<string | number>(["throttle", "batch", "pace"]);

function nothing(value: Json, step: string | number): boolean {
  return value === undefined || (WHOLE.has(step) && Object.keys(value as Draft).length === 0);
}
