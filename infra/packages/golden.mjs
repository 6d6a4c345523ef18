// Writes what each program of programs/ gives on Node into golden.json:
//
//	npm ci && node golden.mjs
//
// Each runs twice, from the packages as they are and from the bundle that the
// command makes of it; where the two differ, a bundle is not what Node runs and
// the golden is the bundle's. The tests need no Node.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

process.env.TZ = "UTC";
globalThis.self = globalThis; // builds for browsers ask for it, and functions have it
const here = new URL(".", import.meta.url).pathname;
const require = createRequire(import.meta.url);
const command = readFileSync(join(here, "command.txt"), "utf8").trim().split(/\s+/).slice(2).filter((part) => part !== "main.js" && !part.startsWith("--outfile"));
const dir = mkdtempSync("/tmp/packages-");
const golden = {};

for (const file of readdirSync(join(here, "programs")).sort()) {
  const name = file.replace(/\.js$/, ""), source = join(here, "programs", file), bundle = join(dir, `${name}.cjs`);
  const more = /^\/\/ esbuild: (.*)$/m.exec(readFileSync(source, "utf8"))?.[1].split(" ") ?? [];
  execFileSync(join(here, "node_modules/.bin/esbuild"), [source, ...command, ...more, `--outfile=${bundle}`, "--log-level=warning"], { cwd: here, stdio: "inherit" });
  const run = async (load) => {
    try {
      return JSON.stringify(await (await load()).main({ data: { n: 1 } }));
    } catch (error) {
      return `throws ${error.stack}`;
    }
  };
  const bundled = await run(async () => require(bundle)), plain = await run(() => import(source));
  if (bundled.startsWith("throws")) console.log(`${name}: the bundle ${bundled}`);
  else if (plain !== bundled) console.log(`${name} differs\n  bundle ${bundled.slice(0, 700)}\n  plain  ${plain.slice(0, 700)}`);
  golden[name] = JSON.parse(bundled.startsWith("throws") ? "null" : bundled);
}
rmSync(dir, { recursive: true });
writeFileSync(join(here, "golden.json"), `${JSON.stringify(golden, null, 1)}\n`);
process.exit(0);
