import type { ComponentChildren } from "preact";

import { moment } from "~/format";

/** A number of each hour: when the hour began, how much there was, and how it is said. */
export type Bars = { from: number[]; values: number[]; says: (n: number) => string; bad: boolean };

const HEIGHT = 36;
const GAP = 0.2; // of a bar's width

/** A number that links to its list, with its trend, and its unit in small letters. */
export function Card({
  label,
  value,
  href,
  bad = false,
  bars,
  children,
}: {
  label: string;
  value: string;
  href: string;
  bad?: boolean;
  bars?: Bars;
  children: ComponentChildren;
}) {
  return (
    <section class="card number" aria-label={label}>
      <h2>{label}</h2>
      <a href={href} class={bad ? "big bad" : "big"}>
        {value}
      </a>
      <p class="hint">{children}</p>
      {bars && <Small of={bars} label={label} />}
    </section>
  );
}

/** Bars of equal width. Their titles show the numbers; for screen readers the card gives the sum. */
function Small({ of, label }: { of: Bars; label: string }) {
  const most = Math.max(...of.values, Number.MIN_VALUE);
  return (
    <svg class={of.bad ? "small-chart bad" : "small-chart"} viewBox={`0 0 ${of.values.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {of.values.map((value, i) => {
        const height = value > 0 ? Math.max(2, (value / most) * HEIGHT) : 0;
        return (
          <g key={of.from[i]}>
            <title>{`${label}: ${of.says(value)} · ${moment(new Date(of.from[i]! * 1000))}`}</title>
            <rect class="ground" x={i + GAP / 2} y={HEIGHT - 1} width={1 - GAP} height={1} />
            <rect x={i + GAP / 2} y={HEIGHT - height} width={1 - GAP} height={height} />
            <rect class="touch" x={i} y={0} width={1} height={HEIGHT} />
          </g>
        );
      })}
    </svg>
  );
}
