import { api, ask } from "~/api/client";
import { Difference } from "~/editor/editor";
import { PRODUCTION } from "~/place";
import { texts } from "~/text";
import { Dialog } from "~/ui/dialog";
import { Load, useLoad } from "~/ui/load";
import { differences } from "./changes";
import { type Item, kindWords, nameOf, type Way } from "./data";
import { Warnings } from "./warnings";

const t = texts({
  code: ["Code", "代码"],
  now: ["In {to}", "{to} 现有"],
  then: ["From {from}", "来自 {from}"],
  same: ["The code is the same.", "代码相同。"],
  what: ["Property", "项目"],
});

/** An item in the target, before and after the promotion. */
export function Pair({ item, way, onClose }: { item: Item | undefined; way: Way; onClose: () => void }) {
  return (
    <Dialog wide title={item ? `${kindWords(item.kind)} ${item.name}` : ""} open={item !== undefined} onClose={onClose}>
      {item && (
        <>
          <Warnings item={item} />
          <Lines item={item} way={way} />
          {item.kind === "function" && <Code item={item} way={way} />}
        </>
      )}
    </Dialog>
  );
}

/** The two sides of everything that differs. */
function Lines({ item, way: { from, to } }: { item: Item; way: Way }) {
  const lines = differences(item);
  if (lines.length === 0) return null;
  return (
    <div class="table-scroll pair" tabIndex={0} role="region" aria-label={item.name}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("what")}</th>
            <th scope="col">{t("now", { to: nameOf(to) })}</th>
            <th scope="col">{t("then", { from: nameOf(from) })}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>{before && <del>{before}</del>}</td>
              <td>{after && <ins>{after}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The code of a function in both environments: a comparison has only its digests. */
function Code({ item, way: { from, to } }: { item: Item; way: Way }) {
  const both = useLoad(async () => {
    const [before, after] = await Promise.all([codeIn(to, item.name, item.before), codeIn(from, item.name, item.after)]);
    return { before, after };
  }, [item, from, to]);

  if (item.before && item.after && item.before.code_digest === item.after.code_digest) return <p class="quiet">{t("same")}</p>;
  return <Load from={both}>{(texts) => <Difference {...texts} language="javascript" label={`${t("code")}: ${item.name}`} />}</Load>;
}

async function codeIn(env: string, name: string, side: Item["before"]): Promise<string> {
  if (side === null) return "";
  const headers = { "X-Service-Env-ID": env || PRODUCTION };
  return (await ask(api.GET("/oserve/v1.3/cloud-function/{name}/", { params: { path: { name } }, headers }))).function_code;
}
