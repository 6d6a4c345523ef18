// Writes the parts of the prelude that are packages of others:
//
//	npm ci && node vendor.mjs
//
// Each becomes one file in shared/runtime/prelude/vendor, a factory as every
// part is, with the licence of the package before it. What it requires of Node
// is the prelude's own.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../../shared/runtime/prelude/vendor/", import.meta.url);
const here = new URL("node_modules/", import.meta.url);

const parts = [
  { name: "stream", from: "readable-stream", entry: "readable-stream/lib/stream.js" },
  { name: "path", from: "path-browserify", entry: "path-browserify/index.js" },
  { name: "win32", from: "bare-path", entry: "bare-path/lib/win32.js" },
  { name: "axios", from: "axios", source: `
    export { default as axios } from "./axios/lib/axios.js";
    export { default as AxiosHeaders } from "./axios/lib/core/AxiosHeaders.js";
    export { default as settle } from "./axios/lib/core/settle.js";
    export { default as buildFullPath } from "./axios/lib/core/buildFullPath.js";
    export { default as buildURL } from "./axios/lib/helpers/buildURL.js";` },
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

    // bare-path asks a native addon for the current folder of a drive: there is none.
    b.onLoad({ filter: /bare-path.binding\.js$/ }, () => ({ contents: 'exports.cwd = (drive) => drive ?? "C:\\\\";' }));

    // axios without its adapters and what it asks of its surroundings, which baas_request.js gives.
    const modules = {
      "adapters/adapters": "export default { getAdapter: (given) => [given].flat().find((f) => typeof f === 'function') };",
      "platform/index": "export default { isNode: true, classes: { get URLSearchParams() { return globalThis.URLSearchParams; } } };",
      "platform/node/classes/FormData": "export default null;",
      "platform/node/classes/Buffer": "export default { from: (data) => globalThis.Buffer.from(data) };",
    };
    b.onLoad({ filter: /axios.lib.*\.js$/ }, ({ path }) => {
      const name = path.replace(/.*axios.lib.(.*)\.js$/, "$1");
      if (modules[name] !== undefined) return { contents: modules[name] };
      if (name === "core/AxiosError") return { contents: requestError(readFileSync(path, "utf8")) };
      return undefined;
    });
  },
};

// requestError changes AxiosError to what a function sees: its name, and what it refers to is not listed, as a log would
// show the headers of the request.
function requestError(source) {
  const replace = (from, to) => {
    if (!source.includes(from)) throw new Error(`AxiosError.js has no ${from}`);
    source = source.replace(from, to);
  };
  const hide = (name, value) => `Object.defineProperty(this, "${name}", { __proto__: null, value: ${value}, writable: true, configurable: true })`;
  replace("this.name = 'AxiosError'", hide("name", "'RequestError'"));
  replace("axiosError.name = error.name;", "");
  replace("this.isAxiosError = true", hide("isAxiosError", "true"));
  replace("this.config = config", hide("config", "config"));
  replace("this.request = request", hide("request", "request"));
  replace("this.response = response;", `${hide("response", "response")};`);
  replace("this.status = response.status;", `${hide("status", "response.status")};`);
  replace("value: message,\n      enumerable: true,", "value: message,");
  return source;
}

for (const part of parts) {
  const { version, license } = JSON.parse(readFileSync(new URL(`${part.from}/package.json`, here), "utf8"));
  const terms = readFileSync(new URL(`${part.from}/LICENSE`, here), "utf8").trim();
  const { outputFiles } = await build({
    ...(part.source === undefined ? { entryPoints: [new URL(part.entry, here).pathname] } : { stdin: { contents: part.source, resolveDir: here.pathname } }),
    bundle: true, write: false, format: "cjs", platform: "neutral", mainFields: ["main"],
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
