// A function that compares what is declared, event.data.declared as types.mjs writes it, with what it finds around itself. Gives
// what is wrong as texts. A member of Node's modules that throws "is not available" need not be declared.
const problems = [];
const ofFunctions = ["length", "name", "prototype", "caller", "arguments", "constructor"];
const builtin = new Set([Object, Function, Error, Array, Promise, Uint8Array, Object.getPrototypeOf(Uint8Array)].map((f) => f.prototype));

// What is there without being offered: Node's past, and parts of our own that classes share.
const legacyUtil = /^is[A-Z]|^(log|_extend)$/;
const unlisted = {
  "BaaS.TableObject#": /^(expansion|parameters)$/, "BaaS.User#": /^(expansion|parameters)$/,
  "BaaS.File#": /^(expansion|parameters)$/, "BaaS.FileCategory#": /^(expansion|parameters)$/,
  "a Interceptors": /^(handlers|forEach)$/, "a CancelToken": /^(subscribe|unsubscribe|toAbortSignal)$/,
  "BaaS.request": /^(Axios|Cancel|VERSION|default|formToJSON|getAdapter|toJSON|interceptors)$/,
  "Buffer#": /^(parent|offset)$|Uint|(Slice|Write)$/, "Event#": /^srcElement$/, "CustomEvent#": /^srcElement$/, DOMException: /^[A-Z_]+_ERR$/, "DOMException#": /^[A-Z_]+_ERR$/,
  process: /^(debugPort|allowedNodeEnvironmentFlags|features|config|stdin|getActiveResourcesInfo|setSourceMapsEnabled)$|^get(e?[ug]id|groups)$|UncaughtException|Listener/,
  async_hooks: /^asyncWrapProviders$/, buffer: /^SlowBuffer$/, events: /^(init|usingDomains)$/, querystring: /^unescapeBuffer$/,
  module: /^(globalPaths|syncBuiltinESMExports|findSourceMap)$/, url: /^(Url|resolveObject)$/,
  util: legacyUtil, sys: legacyUtil, v8: /^(takeCoverage|stopCoverage|setHeapSnapshotNearHeapLimit|startupSnapshot)$/,
  "Request#": /^(mode|credentials|cache|duplex|destination|referrer|referrerPolicy|integrity|keepalive)$/,
  "Blob#": /^stream$/, "File#": /^stream$/, "fs/promises": /^open$/, "stream/consumers": /^blob$/, zlib: /^[A-Z]/, net: /AutoSelectFamily/, http: /^setMaxIdleHTTPParsers$/,
  "crypto.KeyObject#": /^export$/, // its kinds have it
};

// namesOf are the names that somebody gave a value: its own that can be seen, and with chain those of its prototypes.
function namesOf(value, chain) {
  const names = new Set(Object.keys(value));
  const isClass = typeof value === "function" && value.prototype !== undefined;
  if (isClass || chain) for (const name of Object.getOwnPropertyNames(value)) names.add(name);
  for (let proto = Object.getPrototypeOf(value); chain && proto !== null && !builtin.has(proto); proto = Object.getPrototypeOf(proto)) {
    for (const name of Object.getOwnPropertyNames(proto)) names.add(name);
  }
  return [...names].filter((name) => !name.startsWith("_") && !ofFunctions.includes(name));
}

function unavailable(value) {
  if (typeof value !== "function") return false;
  try {
    value();
  } catch (error) {
    return / is not available in cloud functions: /.test(error?.message);
  }
  return false;
}

// members compares those of a value with the declared. of a prototype they may be fields of what is made.
function members(path, value, declared, { chain = false, made = false, open = false } = {}) {
  for (const [name, kind] of Object.entries(declared)) {
    if (kind === "optional" || (made && kind === "field") || unlisted[path]?.test(name)) continue;
    if (!(name in Object(value))) problems.push(`${path}.${name} is declared and not there`);
    else if (kind === "function" && typeof value[name] !== "function") problems.push(`${path}.${name} is declared as a function and is ${typeof value[name]}`);
  }
  if (open || Object(value) !== value) return;
  for (const name of namesOf(value, chain)) {
    if (name in declared || unlisted[path]?.test(name) || (!made && unavailable(value[name]))) continue;
    problems.push(`${path}.${name} is there and not declared`);
  }
}

function compare(path, value, declared) {
  if (value === undefined) return problems.push(`${path} is declared and not there`);
  if (declared.calls && typeof value !== "function") problems.push(`${path} is declared as a function`);
  members(path, value, declared.members, declared);
  for (const name in declared.classes) members(`${path}.${name}#`, value[name].prototype, declared.classes[name], { made: true, open: true });
  if (declared.made && value.prototype !== undefined) members(`${path}#`, value.prototype, declared.made, { chain: true, made: true });
}

// Of what has no class of its own: one of each.
const instances = () => ({
  NewRow: new BaaS.TableObject("t").create(), StoredRow: new BaaS.TableObject("t").getWithoutData("5f"),
  StoredRows: new BaaS.TableObject("t").getWithoutData(new BaaS.Query()), NewUser: new BaaS.User().create(),
  StoredUser: new BaaS.User().getWithoutData(1), StoredUsers: new BaaS.User().getWithoutData(new BaaS.Query()),
  BaaSError: new BaaS.BaaSError(404, "no row", { method: "GET", path: "/" }), CancelToken: BaaS.request.CancelToken.source().token,
  Requester: BaaS.request.create(), Interceptors: BaaS.request.interceptors.request,
});

/** @type {CloudFunctionMain} */
exports.main = async (event) => {
  const { BaaS: platform, interfaces, modules, globals } = event.data.declared;
  const kinds = Object.entries(platform).map(([name, one]) => [name, one.calls ? "function" : "field"]);
  members("BaaS", BaaS, Object.fromEntries(kinds));
  for (const name in platform) compare(`BaaS.${name}`, BaaS[name], platform[name]);
  for (const [name, value] of Object.entries(instances())) {
    members(`a ${name}`, value, interfaces[name] ?? platform[name].made, { chain: typeof value !== "function" });
  }

  const commonJS = { exports, module, __filename, __dirname };
  for (const name of [...Object.getOwnPropertyNames(Object.getPrototypeOf(globalThis)), ...Object.keys(commonJS)]) {
    if (!(name in globals) && name !== "BaaS") problems.push(`${name} is there and not declared`);
  }
  for (const name in globals) {
    if (name === "Intl") continue; // TypeScript's own, which has more
    compare(name, commonJS[name] ?? globalThis[name], ["global", "self", "exports"].includes(name) ? { members: {}, open: true } : globals[name]);
  }

  for (const name of require("module").builtinModules) {
    if (modules[name] === undefined || modules[`node:${name}`] === undefined) problems.push(`the module ${name} is there and not declared`);
    else if (!modules[name].absent) compare(name, require(name), modules[name]);
  }
  for (const name in modules) if (require.resolve(name) !== name) problems.push(`the module ${name} is declared and not there`);
  return problems;
};
