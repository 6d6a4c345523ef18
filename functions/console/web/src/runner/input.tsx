import { api, ask } from "~/api/client";
import { place } from "~/place";
import { texts } from "~/text";
import { useLoad } from "~/ui/load";
import { NamedOptions, Options } from "~/ui/options";
import { presets, rowOf, SOURCES, type Source } from "./presets";
import { runnerPayload, runnerSource } from "./state";

const t = texts({
  choose: ["Table", "数据表"],
  like: ["Simulate", "模拟来源"],
});

/** Selects the simulated source and fills in its sample input; that of a row comes from its table. */
export function InputSource({ table, onTable, onError }: { table: number | undefined; onTable: (id: number) => void; onError: (error: unknown) => void }) {
  const source = runnerSource.value;
  const isRow = source === "flex_schema";
  const tables = useLoad(
    async () => (isRow ? (await ask(api.GET("/oserve/v1.8/table/", { params: { query: { limit: 1000 } } }))).objects : []),
    [place.value, isRow],
  );

  function choose(next: Source) {
    runnerSource.value = next;
    runnerPayload.value = JSON.stringify(presets[next], null, 2);
  }

  async function chooseTable(id: number) {
    onTable(id);
    const chosen = tables.data?.find((one) => one.id === id);
    try {
      if (chosen) runnerPayload.value = JSON.stringify(await rowOf(chosen), null, 2);
      onError(undefined);
    } catch (error) {
      onError(error);
    }
  }

  return (
    <>
      <label class="choice">
        {t("like")}
        <select value={source} onChange={(event) => choose(event.currentTarget.value as Source)}>
          <Options of={SOURCES} />
        </select>
      </label>
      {isRow && (
        <label class="choice">
          {t("choose")}
          <select value={table ?? ""} onChange={(event) => void chooseTable(Number(event.currentTarget.value))}>
            <option value="" disabled />
            <NamedOptions of={tables.data} />
          </select>
        </label>
      )}
    </>
  );
}
