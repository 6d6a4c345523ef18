// Writes the parts of the prelude that are packages of others:
//
//	npm ci && node vendor.mjs
//
// Each becomes one file in shared/sandbox/prelude/vendor, a factory as every
// part is, with the licence of the package before it. What it requires of Node
// is the prelude's own.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../../shared/sandbox/prelude/vendor/", import.meta.url);
const here = new URL("node_modules/", import.meta.url);

const parts = [
  { name: "stream", from: "readable-stream", entry: "readable-stream/lib/stream.js" },
  { name: "path", from: "path-browserify", entry: "path-browserify/index.js" },
  { name: "parseargs", from: "@pkgjs/parseargs", entry: "@pkgjs/parseargs/index.js" },
];

// What the packages require besides themselves: modules of the prelude, and two globals of it.
const given = {
  name: "given",
  setup(b) {
    const global = (name) => ({ contents: `module.exports = { ${name}: globalThis.${name}, default: globalThis.${name} };` });
    b.onResolve({ filter: /^(buffer|events|process|string_decoder)\/?$/ }, ({ path }) => ({ path: path.replace(/\/$/, ""), external: true }));
    b.onResolve({ filter: /^abort-controller$/ }, () => ({ path: "AbortController", namespace: "global" }));
    b.onLoad({ filter: /.*/, namespace: "global" }, ({ path }) => global(path));
  },
};

for (const part of parts) {
  const { version, license } = JSON.parse(readFileSync(new URL(`${part.from}/package.json`, here), "utf8"));
  const terms = readFileSync(new URL(`${part.from}/LICENSE`, here), "utf8").trim();
  const { outputFiles } = await build({
    entryPoints: [new URL(part.entry, here).pathname], bundle: true, write: false, format: "cjs", platform: "neutral", mainFields: ["main"],
    target: "es2022", minifyWhitespace: true, minifySyntax: true, keepNames: false, plugins: [given], legalComments: "none", lineLimit: 120,
  });
  writeFileSync(new URL(`${part.name}.js`, folder), `// ${part.from} ${version} (${license}), bundled by infra/packages/vendor.mjs.
//
${terms.split("\n").map((line) => `// ${line}`.trimEnd()).join("\n")}
(function (host, load) {
var module = { exports: {} }, exports = module.exports, require = (name) => load("require").require(name);
${outputFiles[0].text.trim()}
return module.exports;
});
`);
}
