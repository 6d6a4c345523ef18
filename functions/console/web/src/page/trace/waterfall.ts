import type { components } from "~/api/schema";

type TraceNode = components["schemas"]["TraceNode"];

/** One bar: where it begins and how wide it is, as parts of the whole. */
export type Bar = { node: TraceNode; depth: number; from: number; width: number };

/** The tree as rows from top to bottom. What goes on still reaches to the end. */
export function waterfall(root: TraceNode): Bar[] {
  const rows = flatten(root, 0);
  const start = Math.min(...rows.map(({ node }) => node.at));
  const end = Math.max(...rows.map(({ node }) => node.at + (node.duration_ms ?? 0)), start + 1);
  const whole = end - start;
  return rows.map(({ node, depth }) => {
    const length = node.duration_ms ?? end - node.at;
    return { node, depth, from: (node.at - start) / whole, width: length / whole };
  });
}

function flatten(node: TraceNode, depth: number): { node: TraceNode; depth: number }[] {
  return [{ node, depth }, ...(node.children ?? []).flatMap((child) => flatten(child, depth + 1))];
}
