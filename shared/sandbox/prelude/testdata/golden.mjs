// Writes the goldens of this folder with real Node: node testdata/golden.mjs
// The tests compare the prelude with them and need no Node.
import { readFileSync, writeFileSync } from "node:fs";
import util from "node:util";

const here = new URL(".", import.meta.url);
const lines = (name) => readFileSync(new URL(name, here), "utf8").split("\n").filter(Boolean);

// A line is the arguments of one console.log, after optional declarations.
function split(line) {
  const at = line.lastIndexOf("; ");
  const declares = /^(class|function|const|let) /.test(line);
  return declares && at > 0 ? [line.slice(0, at + 1), line.slice(at + 2)] : ["", line];
}

function inspectGolden() {
  return lines("inspect.txt").map((line) => {
    const [before, args] = split(line);
    const values = (0, eval)(`(() => { ${before} return [${args}]; })()`);
    return `> ${line}\n${util.formatWithOptions({ depth: 4 }, ...values)}\n`;
  }).join("\n");
}

writeFileSync(new URL("inspect.golden", here), inspectGolden());
