// The modules of Node that only name what there is not here. They load, because
// packages require them and then take another way; their functions throw.
(function (host, load) {
  "use strict";
  const { unavailable } = load("node/errors");
  const network = "the only way out is BaaS.request";
  const alone = "a function runs alone; start another with BaaS.invoke(name, data)";
    const nobody = "nobody is at a terminal; write with console";
  const whole = "there are no web streams; pass whole values, or use the module stream";

  const resolver = "lookup lookupService Resolver getDefaultResultOrder setDefaultResultOrder setServers getServers resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt reverse";
  const codes = "NODATA FORMERR SERVFAIL NOTFOUND NOTIMP REFUSED BADQUERY BADNAME BADFAMILY BADRESP CONNREFUSED TIMEOUT EOF FILE NOMEM DESTRUCTION BADSTR BADFLAGS NONAME BADHINTS NOTINITIALIZED LOADIPHLPAPI ADDRGETNETWORKPARAMS CANCELLED";
  const dnsCodes = () => Object.fromEntries(codes.split(" ").map((name) => [name, `E${name}`]));

  const list = {
    __proto__: null,
    net: [network, "BlockList SocketAddress connect createConnection createServer Server Socket Stream", () => ({
      isIP: (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0), isIPv4, isIPv6,
      getDefaultAutoSelectFamily: () => true, setDefaultAutoSelectFamily() {}, getDefaultAutoSelectFamilyAttemptTimeout: () => 250, setDefaultAutoSelectFamilyAttemptTimeout() {},
    })],
    tls: [network, "getCiphers convertALPNProtocols checkServerIdentity createSecureContext SecureContext TLSSocket Server createServer connect createSecurePair", () => ({ DEFAULT_MIN_VERSION: "TLSv1.2", DEFAULT_MAX_VERSION: "TLSv1.3", DEFAULT_ECDH_CURVE: "auto", rootCertificates: [] })],
    dgram: [network, "createSocket Socket", () => ({})],
    dns: [network, resolver, () => ({ ADDRCONFIG: 32, ALL: 16, V4MAPPED: 8, ...dnsCodes(), get promises() { return make("dns/promises"); } })],
    "dns/promises": [network, resolver, dnsCodes],
    http2: [network, "connect createServer createSecureServer getDefaultSettings getPackedSettings getUnpackedSettings performServerHandshake Http2ServerRequest Http2ServerResponse", () => ({ constants: {}, sensitiveHeaders: Symbol("nodejs.http2.sensitiveHeaders") })],
    child_process: [alone, "ChildProcess exec execFile execFileSync execSync fork spawn spawnSync", () => ({})],
    cluster: [alone, "Worker setupPrimary setupMaster fork disconnect", () => Object.assign(new (load("events").EventEmitter)(), { isWorker: false, isMaster: true, isPrimary: true, workers: {}, settings: {}, SCHED_NONE: 1, SCHED_RR: 2, schedulingPolicy: 2 })],
    worker_threads: [alone, "MessagePort MessageChannel markAsUntransferable moveMessagePortToContext receiveMessageOnPort postMessageToThread Worker BroadcastChannel", () => {
      const data = new Map();
      return {
        isMainThread: true, parentPort: null, workerData: null, threadId: 0, resourceLimits: {}, SHARE_ENV: Symbol.for("nodejs.worker_threads.SHARE_ENV"),
        setEnvironmentData(key, value) { if (value === undefined) data.delete(key); else data.set(key, value); }, getEnvironmentData: (key) => data.get(key),
      };
    }],
    vm: [alone, "Script createContext createScript runInContext runInNewContext runInThisContext isContext compileFunction measureMemory", () => ({ constants: {} })],
    readline: [nobody, "Interface clearLine clearScreenDown createInterface cursorTo emitKeypressEvents moveCursor", () => ({ get promises() { return make("readline/promises"); } })],
    "readline/promises": [nobody, "Interface Readline createInterface", () => ({})],
    repl: [nobody, "start writer REPLServer Recoverable isValidSyntax", () => ({ builtinModules: load("require").builtins })],
    inspector: [nobody, "open close waitForDebugger Session", () => ({ url: () => undefined, console: load("console").console })],
    "inspector/promises": [nobody, "open close waitForDebugger Session", () => ({ url: () => undefined, console: load("console").console })],
    domain: [alone, "Domain createDomain create", () => ({ active: null })],
    trace_events: [nobody, "createTracing", () => ({ getEnabledCategories: () => undefined })],
    wasi: ["take the JavaScript build", "WASI", () => ({})],
    "stream/web": [whole, "ReadableStream ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableByteStreamController ReadableStreamDefaultController TransformStream TransformStreamDefaultController WritableStream WritableStreamDefaultWriter WritableStreamDefaultController ByteLengthQueuingStrategy CountQueuingStrategy TextEncoderStream TextDecoderStream CompressionStream DecompressionStream", () => ({})],
  };

  const isIPv4 = (text) => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(`${text}`);
  function isIPv6(text) {
    const [address, zone, more] = `${text}`.split("%");
    if (more !== undefined || zone === "" || !/^[\da-f:.]+$/i.test(address)) return false;
    try {
      new (load("url").URL)(`http://[${address}]/`);
      return true;
    } catch (error) {
      return false;
    }
  }

  // fn is a function of a module, or a class that can be inherited from, which throws when it is called.
  function fn(module, name, hint) {
    const made = { [name]: function () { throw unavailable(`${module}.${name}`, hint); } }[name];
    if (/^[A-Z]/.test(name)) Object.setPrototypeOf(made.prototype, load("events").EventEmitter.prototype);
    return made;
  }

  const made = { __proto__: null };
  function make(name) {
    if (made[name] !== undefined) return made[name];
    const [hint, functions, rest] = list[name];
    const module = made[name] = rest();
    for (const key of functions.split(" ")) module[key] = fn(name, key, hint);
    if (name === "vm") module.isContext = () => false;
    return module;
  }
  return { __proto__: null, make };
});
