import "uplot/dist/uPlot.min.css";

import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";

import { moment } from "../format";
import { isDark } from "../shell/theme";
import { language, texts } from "../text";

const t = texts({ time: ["Time", "时间"] });

/** A line of a chart: its name, its values, and the variable of its colour. */
export type Series = { label: string; values: (number | null)[]; colour: "brand" | "success" | "warning" | "danger" };

const HEIGHT = 180;

/** Lines over time, in Unix seconds. A table beside the plot must have the same data for screen readers. */
export function Plot({ label, times, series }: { label: string; times: number[]; series: Series[] }) {
  const host = useRef<HTMLDivElement>(null);
  const dark = isDark();

  useEffect(() => {
    const parent = host.current!;
    const style = getComputedStyle(parent);
    const colour = (name: string) => style.getPropertyValue(`--wa-color-${name}`);
    const tick = (_: UPlot, ats: number[], __: number, ___: number, step: number) => ats.map((at) => clock(at, step));
    const axis = { stroke: colour("text-quiet"), grid: { stroke: colour("surface-border"), width: 1 } };
    const plot = new UPlot(
      {
        width: parent.clientWidth,
        height: HEIGHT,
        axes: [{ ...axis, values: tick }, { ...axis, size: 60 }],
        legend: { show: series.length > 1 },
        series: [{ label: t("time"), value: (_, at) => (at === null ? "–" : moment(new Date(at * 1000))) }, ...series.map((s) => ({ label: s.label, stroke: colour(`${s.colour}-border-loud`), width: 2 }))],
      },
      [times, ...series.map((s) => s.values)],
      parent,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, dark]);

  return <div ref={host} role="img" aria-label={label} class="chart" />;
}

/** The label below a line of the grid: the day if lines are days apart, else the time. */
function clock(at: number, step: number): string {
  const date = new Date(at * 1000);
  if (step >= 86_400) return date.toLocaleDateString(language.value, { month: "numeric", day: "numeric" });
  return date.toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit", second: step < 60 ? "2-digit" : undefined, hourCycle: "h23" });
}
