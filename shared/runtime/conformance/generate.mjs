// Writes what each program of programs/ prints on real Node below it:
//
//	node generate.mjs
//
// Programs that already have a result keep it: those of modules.txt and
// sandbox.txt are written by hand, as they are about this sandbox only.
// The tests need no Node.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { show } from "./show.mjs";

const dir = new URL("programs/", import.meta.url);
const require = createRequire(import.meta.url);
const AsyncFunction = (async () => {}).constructor;

async function run(body) {
  const lines = [];
  await new AsyncFunction("print", "require", body)((...values) => lines.push(values.map(show).join(" ")), require);
  return lines.join("\n");
}

for (const name of readdirSync(dir).sort()) {
  const file = new URL(name, dir);
  const blocks = readFileSync(file, "utf8").split(/^=== /m).slice(1);
  const out = [];
  for (const block of blocks) {
    const [code, want] = block.split(/^---\n/m);
    if (want !== undefined) {
      out.push(`=== ${block}`);
      continue;
    }
    const title = code.slice(0, code.indexOf("\n"));
    try {
      out.push(`=== ${code}---\n${await run(code.slice(title.length + 1))}\n`);
    } catch (error) {
      throw new Error(`${name}: ${title}: ${error.stack}`);
    }
  }
  writeFileSync(file, out.join(""));
}
