import type { components } from "~/api/schema";

/** A node of a trace with its children. */
export type TraceNode = components["schemas"]["TraceNode"];

/** A bar: its start and its width as parts of the whole; above are its ancestors, the nearest first. */
export type Bar = { node: TraceNode; above: readonly TraceNode[]; from: number; width: number };

type Placed = Pick<Bar, "node" | "above">;

/** The tree as rows from top to bottom, and how many milliseconds it spans. What goes on still reaches to the end. */
export function waterfall(root: TraceNode): { bars: Bar[]; whole: number } {
  const rows = flatten(root, []);
  const start = Math.min(...rows.map(({ node }) => node.at));
  const end = Math.max(...rows.map(({ node }) => node.at + (node.duration_ms ?? 0)), start + 1);
  const whole = end - start;
  const bars = rows.map(({ node, above }) => {
    const length = node.duration_ms ?? end - node.at;
    return { node, above, from: (node.at - start) / whole, width: length / whole };
  });
  return { bars, whole };
}

function flatten(node: TraceNode, above: readonly TraceNode[]): Placed[] {
  const below = [node, ...above];
  return [{ node, above }, ...(node.children ?? []).flatMap((child) => flatten(notBefore(child, node.at), below))];
}

/** Starts a node no earlier than its parent: the time of a row's event has whole seconds only. */
function notBefore(node: TraceNode, at: number): TraceNode {
  if (node.at >= at) return node;
  const end = node.at + (node.duration_ms ?? 0);
  return { ...node, at, duration_ms: node.duration_ms === null ? null : Math.max(0, end - at) };
}

/** The path to the first failure: trigger, action, and the deepest node with an error. Empty if nothing failed. */
export function failureOf(root: TraceNode): string[] {
  const failed = flatten(root, []).filter(({ node, above }) => node.ok === false && !recovered(above));
  const first = failed.find(({ node }) => !node.children?.some((child) => child.ok === false));
  if (!first) return [];
  const path = first.above.filter(({ kind }) => kind === "trigger" || kind === "action").reverse();
  return [...path, first.node].map(({ name }) => name);
}

/** An attempt whose action went well in the end is no failure. */
function recovered(above: readonly TraceNode[]): boolean {
  return above.some(({ kind, ok }) => kind === "action" && ok !== false);
}
