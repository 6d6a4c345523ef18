// Writes the goldens of this folder with real Node 20: node testdata/members/golden.mjs [file.js …]
// The tests compare the sandbox with them and need no Node. names.json is what Node's modules export.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { builtinModules, createRequire } from "node:module";

process.env.TZ = "UTC";
const here = new URL(".", import.meta.url);
const require = createRequire(import.meta.url);
const keys = JSON.parse(readFileSync(new URL("../crypto/keys.json", here), "utf8"));
const run = (0, eval)(readFileSync(new URL("run.js", here), "utf8"));

// A process of its own for each file: what OpenSSL remembers of an error shows up in a later one.
const chosen = process.argv.slice(2);
if (chosen.length === 0) {
  const files = readdirSync(here).filter((name) => name.endsWith(".js") && name !== "run.js");
  for (const name of files) execFileSync(process.execPath, [fileURLToPath(import.meta.url), name], { stdio: "inherit" });
}
// Modules whose functions are wrapped to see what a program calls.
const traced = ["crypto", "fs", "path", "util", "zlib", "stream", "string_decoder", "querystring", "url", "os", "buffer", "async_hooks"];
// refuseUncalled ends with an error if a program prints a member that it does not call.
async function refuseUncalled(name) {
  const { results, wrapped } = await run(readFileSync(new URL(name, here), "utf8"), require, keys, traced);
  for (const [member, , called] of results) {
    const path = member.split(" ")[0];
    if (wrapped.includes(path) && !called.includes(path)) throw new Error(`${name}: ${member} does not call ${path}`);
  }
}
for (const name of chosen) {
  const { results } = await run(readFileSync(new URL(name, here), "utf8"), require, keys);
  await refuseUncalled(name); // last: what it wraps stays wrapped
  writeFileSync(new URL(name.replace(/js$/, "golden"), here), results.map(([member, printed]) => `> ${member}\n${printed}`).join(""));
}

// The names of a module; those of its classes' prototypes of the modules that are here whole.
const whole = ["buffer", "crypto", "events", "stream", "string_decoder", "util", "url", "async_hooks", "zlib"];
function namesOf(name, module) {
  const names = {};
  for (const key of Object.keys(module).filter((key) => !key.startsWith("_"))) {
    const value = module[key];
    names[key] = typeof value;
    if (!whole.includes(name) || typeof value !== "function" || typeof value.prototype !== "object" || !/^[A-Z]/.test(key)) continue;
    for (const method of Object.getOwnPropertyNames(value.prototype)) if (!/^(_|constructor$)/.test(method)) names[`${key}.prototype.${method}`] = "member";
  }
  return names;
}
const modules = {};
if (chosen.length === 0) for (const name of builtinModules.filter((name) => !name.startsWith("_"))) modules[name] = namesOf(name, require(name));
if (chosen.length === 0) writeFileSync(new URL("names.json", here), JSON.stringify(modules, null, 1) + "\n");
process.exit(0); // what streams left open
