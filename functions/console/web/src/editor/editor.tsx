import { lazy } from "../ui/lazy";

/** Code or JSON with highlighting, loaded when the first one is shown: it is the console's largest part. */
export const Editor = lazy(() => import("./code-mirror").then((m) => m.CodeMirror));

/** Two texts side by side, with their differences. */
export const Difference = lazy(() => import("./difference").then((m) => m.Difference));

export type { Diagnostic } from "@codemirror/lint";
