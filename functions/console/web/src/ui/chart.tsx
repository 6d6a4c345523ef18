import { lazy } from "./lazy";

/** Values over time, drawn by uPlot; loaded when the first one is shown. */
export const Chart = lazy(() => import("./plot").then((m) => m.Plot));
