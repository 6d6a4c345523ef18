// Writes the goldens of this folder with real Node: node testdata/crypto/golden.mjs
// The tests compare the crypto module with them and need no Node. What Node makes anew each time is not here: keys
// and vectors of tests are fixed, and what is random is only looked at by its size.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const here = new URL(".", import.meta.url);
const require = createRequire(import.meta.url);
const keys = JSON.parse(readFileSync(new URL("keys.json", here), "utf8"));
const run = (0, eval)(readFileSync(new URL("run.js", here), "utf8"));

for (const name of readdirSync(here).filter((name) => name.endsWith(".txt"))) {
  let golden = "";
  for (const line of readFileSync(new URL(name, here), "utf8").split("\n").filter((line) => line && line[0] !== "#")) {
    golden += `> ${line}\n${await run(line, require, keys)}`;
  }
  writeFileSync(new URL(name.replace(".txt", ".golden"), here), golden);
}
