// Prints, as JSON, what the programs of standard input give on real Node with the real axios: those of
// {"base", "axios", "programs": [code]}. TestNetMatchesNode runs it with -node against its own server.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { show } from "../../../conformance/show.mjs";

const { base, axios: folder, programs } = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(import.meta.url), axios = createRequire(`${folder}/`)("axios");
const AsyncFunction = (async () => {}).constructor;

const results = [];
for (const code of programs) {
  const lines = [];
  const print = (...values) => { lines.push(values.map(show).join(" ")); };
  const tell = (error) => print(error.isAxiosError ? "RequestError" : error.name, error.message, error.code, error.cause?.message, error.cause?.code);
  try {
    const late = new Promise((done, fail) => { setTimeout(() => fail(new Error(`it hangs after\n${lines.join("\n")}`)), 20_000).unref(); });
    await Promise.race([late, new AsyncFunction("print", "tell", "require", "axios", "base", code)(print, tell, require, axios, base)]);
  } catch (error) {
    throw new Error(`${code}\n${error.stack}`);
  }
  results.push(lines.join("\n").replaceAll(base, "BASE").replaceAll(new URL(base).host, "HOST"));
}
process.stdout.write(JSON.stringify(results));
process.exit();
