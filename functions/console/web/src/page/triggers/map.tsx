import { ArrowRight, Repeat } from "lucide-preact";

import { api, ask } from "~/api/client";
import type { components } from "~/api/schema";
import { link, place } from "~/place";
import { texts } from "~/text";
import { Load, useLoad } from "~/ui/load";
import { eventWords } from "./words";

type Link = { id: number; name: string };
type Map = components["schemas"]["TriggerMap"];

const t = texts({
  loop: ["Loops", "循环：依次触发，最后一个触发第一个"],
  loopText: ["A loop stops after 8 rounds. Its further actions are skipped with the reason loop_detected.", "循环在 8 轮后停止，其余以 loop_detected 跳过。"],
  none: ["No enabled trigger writes to a table that another trigger watches.", "没有启用的触发器会写入其他触发器监听的数据表。"],
  row: ["a row of {table} {event}", "{table} 的数据{event}"],
  truncated: ["Only a part of the map is shown.", "还有更多未显示。"],
  map: ["Trigger map", "触发关系"],
});

/** The triggers that write to tables which other triggers watch. */
export function TriggerMap() {
  const found = useLoad(() => ask(api.GET("/oserve/v3/trigger-map/")), [place.value]);
  return <Load from={found}>{(map) => (map.edges.length === 0 ? <p class="quiet">{t("none")}</p> : <Drawn map={map} />)}</Load>;
}

function Drawn({ map: { edges, loops, truncated } }: { map: Map }) {
  return (
    <>
      {loops.length > 0 && (
        <section class="card loops">
          <h2>{t("loop")}</h2>
          <ul>
            {loops.map((chain) => (
              <li key={chain.map(({ id }) => id).join()} class="row">
                <Repeat size={16} />
                {chain.map((at) => (
                  <Way key={at.id} to={at} />
                ))}
                <Name of={chain[0]!} />
              </li>
            ))}
          </ul>
          <p class="hint">{t("loopText")}</p>
        </section>
      )}
      <section class="card edges">
        <h2>{t("map")}</h2>
        <ul>
          {edges.map(({ from, to, table, event }) => (
            <li key={`${from.id} ${to.id}`} class="row">
              <Way to={from} />
              <span class="quiet">{t("row", { table, event: eventWords(event) })}</span>
              <ArrowRight size={14} />
              <Name of={to} />
            </li>
          ))}
        </ul>
        {truncated && <p class="hint">{t("truncated")}</p>}
      </section>
    </>
  );
}

function Way({ to }: { to: Link }) {
  return (
    <>
      <Name of={to} /> <ArrowRight size={14} />
    </>
  );
}

function Name({ of }: { of: Link }) {
  return (
    <a class="clip" href={link("triggers", of.id)}>
      {of.name}
    </a>
  );
}
