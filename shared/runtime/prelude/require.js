// require: Node's modules, and for all others an error that says what to do
// instead. A module that exists in Node always loads; what it cannot do here
// throws when it is called (F22). Each module is a part of the prelude of its
// own, so that a run pays for those that it asks for.
(function (host, load) {
  "use strict";
  const bundle = "npx esbuild main.js --bundle --format=cjs --platform=node --target=es2022 --minify --keep-names --outfile=function.js; if a package fails or is too large, add --main-fields=browser,module,main --conditions=browser";

  const stub = (name) => () => load("node/absent").make(name);
  const modules = {
    __proto__: null,
    assert: () => load("assert").assert,
    "assert/strict": () => load("assert").assert.strict,
    async_hooks: () => load("node/async_hooks").module,
    buffer: () => load("buffer").module,
    child_process: stub("child_process"),
    cluster: stub("cluster"),
    console: () => load("console").console,
    constants: () => load("node/constants").all,
    crypto: () => load("node_crypto").module,
    dgram: stub("dgram"),
    diagnostics_channel: () => load("node/diagnostics_channel").module,
    dns: stub("dns"),
    "dns/promises": stub("dns/promises"),
    domain: stub("domain"),
    events: () => load("events").EventEmitter,
    fs: () => load("node/fs").module,
    "fs/promises": () => load("node/fs").module.promises,
    http: () => load("node/http").http,
    http2: stub("http2"),
    https: () => load("node/http").https,
    inspector: stub("inspector"),
    "inspector/promises": stub("inspector/promises"),
    module: () => load("node/module").Module,
    net: stub("net"),
    os: () => load("node/os").module,
    path: () => load("node/path").posix,
    "path/posix": () => load("node/path").posix,
    "path/win32": () => load("node/path_win32").win32,
    perf_hooks: () => load("node/perf_hooks").module,
    process: () => load("process").process,
    punycode: () => load("punycode").punycode,
    querystring: () => load("querystring").querystring,
    readline: stub("readline"),
    "readline/promises": stub("readline/promises"),
    repl: stub("repl"),
    stream: () => load("node/stream").Stream,
    "stream/consumers": () => load("node/stream_consumers").module,
    "stream/promises": () => load("node/stream").Stream.promises,
    "stream/web": stub("stream/web"),
    string_decoder: () => load("node/string_decoder").module,
    sys: () => load("util").util,
    timers: () => load("timers").module,
    "timers/promises": () => load("node/timers_promises").promises,
    tls: stub("tls"),
    trace_events: stub("trace_events"),
    tty: () => load("node/tty").module,
    url: () => load("node_url").module,
    util: () => load("util").util,
    "util/types": () => load("util").util.types,
    v8: () => load("node/v8").module,
    vm: stub("vm"),
    wasi: stub("wasi"),
    worker_threads: stub("worker_threads"),
    zlib: () => load("node/zlib").module,
  };

  const rows = "keep data in BaaS.TableObject", network = "the only way out is BaaS.request({ url, method, headers, data })";
  const advice = {
    __proto__: null,
    mysql: rows, mysql2: rows, mongodb: rows, mongoose: rows, redis: rows, ioredis: rows, pg: rows, sqlite3: rows, "better-sqlite3": rows, sequelize: rows, typeorm: rows, knex: rows, "@prisma/client": rows,
    got: network, "node-fetch": network, undici: network, superagent: network, ws: network, request: network,
    nodemailer: "send mail with BaaS.sendEmail",
  };
  const native = "take the JavaScript build of the package";

  const strip = (name) => (name.slice(0, 5) === "node:" ? name.slice(5) : name);

  function fail(name) {
    const hint = advice[name] ?? (/\.(node|wasm)$/.test(name) ? native : `bundle it with ${bundle}`);
    const error = new Error(`module "${name}" is not available in cloud functions: ${hint}`);
    error.code = "MODULE_NOT_FOUND";
    error.requireStack = [];
    throw error;
  }

  function checked(name) {
    if (typeof name === "string" && name !== "") return name;
    const error = new TypeError(name === "" ? "The argument 'id' must be a non-empty string. Received ''" : `The "id" argument must be of type string. Received ${load("node/errors").received(name)}`);
    error.code = name === "" ? "ERR_INVALID_ARG_VALUE" : "ERR_INVALID_ARG_TYPE";
    throw error;
  }

  function require(name) {
    const make = modules[strip(checked(name))];
    if (make === undefined) fail(name);
    return make();
  }
  const resolve = (name) => (modules[strip(checked(name))] ? name : fail(name));
  return { __proto__: null, require, resolve, builtins: Object.keys(modules) };
});
