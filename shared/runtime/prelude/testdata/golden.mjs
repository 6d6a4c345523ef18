// Writes the goldens of this folder with real Node: node testdata/golden.mjs
// The tests compare the prelude with them and need no Node.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
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
  }).join("");
}

// A line is a URL and, after " | ", its base; \\ is one backslash.
function urlGolden() {
  const fields = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
  const raw = readFileSync(new URL("url.txt", here), "utf8").replace(/\n$/, "").split("\n");
  return raw.map((line) => {
    const [input, base] = line.replaceAll("\\\\", "\\").split(" | ");
    try {
      const url = new URL(input, base);
      return `> ${line}\n${fields.map((f) => url[f]).join("\n")}\n`;
    } catch (error) {
      return `> ${line}\n${error.code}\n`;
    }
  }).join("");
}

// A line is a program that prints.
function printed(name) {
  return lines(name).map((line) => {
    let out = "";
    const print = (...args) => { out += args.map((a) => (typeof a === "string" ? a : JSON.stringify(a))).join(" ") + "\n"; };
    try {
      new Function("print", "require", line)(print, createRequire(import.meta.url));
    } catch (error) {
      print(`${error.name}`);
    }
    return `> ${line}\n${out}`;
  }).join("");
}

writeFileSync(new URL("url.golden", here), urlGolden());
writeFileSync(new URL("web.golden", here), printed("web.txt"));
writeFileSync(new URL("inspect.golden", here), inspectGolden());
