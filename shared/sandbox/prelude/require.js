// require: the few Node modules that exist here, and for all others an error
// that says what to do instead.
(function (host, load) {
  "use strict";

  // Each module is a function, so that requiring one loads only that one.
  const modules = {
    __proto__: null,
    assert: () => load("assert").assert,
    "assert/strict": () => load("assert").assert.strict,
    buffer: () => load("buffer").module,
    console: () => load("console").console,
    crypto: () => load("node_crypto").module,
    events: () => load("events").EventEmitter,
    perf_hooks: () => ({ performance: load("timers").performance }),
    process: () => load("process").process,
    punycode: () => load("punycode").punycode,
    querystring: () => load("querystring").querystring,
    stream: () => load("stream").Stream,
    timers: () => load("timers").module,
    "timers/promises": () => load("timers").promises,
    url: () => load("node_url").module,
    util: () => load("util").util,
    "util/types": () => load("util").util.types,
  };

  const files = "there is no file system; keep data in a table with BaaS.TableObject";
  const network = "the only way out is BaaS.request({ url, method, headers, data })";
  const processes = "a function runs alone, without processes or threads; start another function with BaaS.invoke(name, data)";
  const bundle = "install it on your own machine and bundle it into the function, for example with: npx esbuild main.js --bundle --format=cjs --outfile=function.js";
  const advice = {
    __proto__: null,
    path: files, string_decoder: "use TextDecoder",
    fs: files, "fs/promises": files, "fs-extra": files, os: "there is no machine to ask about", tty: files,
    http: network, https: network, http2: network, net: network, tls: network, dns: network, dgram: network, axios: network, request: network, "node-fetch": network, got: network, superagent: network, undici: network, ws: network,
    child_process: processes, cluster: processes, worker_threads: processes, vm: processes, async_hooks: processes,
    zlib: "there is no compression; bundle fflate or pako into the function",
    nodemailer: "send mail with BaaS.sendEmail", mysql: files, mysql2: files, mongodb: files, mongoose: files, redis: files, pg: files,
  };

  const strip = (name) => (name.slice(0, 5) === "node:" ? name.slice(5) : name);

  function fail(name) {
    const bare = strip(name);
    const local = bare[0] === "." || bare[0] === "/";
    const hint = advice[bare] ?? (local ? "a function is one file; bundle its parts into it, for example with: npx esbuild main.js --bundle --format=cjs --outfile=function.js" : bundle);
    const error = new Error(`module "${name}" is not available in cloud functions: ${hint}`);
    error.code = "MODULE_NOT_FOUND";
    throw error;
  }

  function require(name) {
    if (typeof name !== "string" || name === "") throw new TypeError(`require needs the name of a module, got ${typeof name === "string" ? "an empty string" : typeof name}`);
    const make = modules[strip(name)];
    if (make === undefined) fail(name);
    return make();
  }
  require.resolve = (name) => (modules[strip(`${name}`)] ? name : fail(`${name}`));
  require.cache = Object.create(null);
  return { __proto__: null, require, builtins: Object.keys(modules) };
});
