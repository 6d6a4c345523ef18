import { api, ask } from "~/api/client";
import type { Diagnostic } from "~/editor/editor";

/** The errors of the platform's compiler, at their positions. */
export async function diagnose(code: string): Promise<Diagnostic[]> {
  if (code.trim() === "") return [];
  const { diagnostics } = await ask(api.POST("/oserve/v1.3/cloud-function-check/", { body: { function_code: code } }));
  return diagnostics.map(({ line, column, message }) => {
    const from = offsetOf(code, line, column);
    return { from, to: Math.min(from + 1, code.length), severity: "error" as const, message };
  });
}

/** Line and column count from 1. */
function offsetOf(code: string, line: number, column: number): number {
  let start = 0;
  for (let n = 1; n < line; n++) start = code.indexOf("\n", start) + 1 || start;
  return Math.min(start + Math.max(0, column - 1), code.length);
}
