// process: the function's variables, a clock, and what packages ask of a
// process; there is none (D24, D46).
(function (host, load, p) {
  "use strict";
  // What is put into the environment becomes text.
  const variable = (value) => ({ __proto__: null, value, writable: true, enumerable: true, configurable: true });
  const env = new Proxy({}, {
    __proto__: null,
    set: (all, name, value) => p.defineProperty(all, name, variable(typeof name === "symbol" ? value : `${value}`)),
  });

  // By own keys: user code may have put something on Object.prototype by now.
  const variables = p.parse(p.run.variables);
  const names = p.ownKeys(variables);
  for (let i = 0; i < names.length; i++) {
    p.defineProperty(env, names[i], variable(variables[names[i]]));
  }

  const unavailable = (name, hint) => load("node/errors").unavailable(`process.${name}`, hint);
  const absent = (name, hint) => ({ [name]() { throw unavailable(name, hint); } })[name];
  const end = "a run ends when nothing is left to do; return from main or throw";
  const alone = "a function has no process of its own";

  function hrtime(before) {
    const now = host.now(), seconds = Math.trunc(now / 1000), nanos = Math.trunc((now % 1000) * 1e6);
    if (before === undefined) return [seconds, nanos];
    const { wrongType, outOfRange } = load("node/errors");
    if (!p.isArray(before)) throw wrongType("time", "Array", before);
    if (before.length !== 2) throw outOfRange("time", 2, before.length);
    const difference = nanos - before[1];
    return [seconds - before[0] - (difference < 0 ? 1 : 0), difference < 0 ? difference + 1e9 : difference];
  }
  hrtime.bigint = () => BigInt(Math.trunc(host.now() * 1e6));

  const memoryLimit = () => host.heap?.(true) ?? 128 * 2 ** 20; // bytes of heap that this run may use

  function memoryUsage() {
    const heapUsed = host.heap?.() ?? 0;
    return { rss: heapUsed, heapTotal: heapUsed, heapUsed, external: 0, arrayBuffers: 0 };
  }
  memoryUsage.rss = () => memoryUsage().rss;

  function emitWarning(warning, type, code) {
    if (typeof warning !== "string" && !(warning instanceof Error)) throw load("node/errors").wrongType("warning", ["string", "Error"], warning);
    const name = typeof type === "object" && type !== null ? type.type : type;
    const said = warning instanceof Error ? `${warning.name}: ${warning.message}` : `${name ?? "Warning"}: ${warning}`;
    const label = typeof type === "object" && type !== null ? type.code : code;
    load("console").console.warn(label === undefined ? said : `[${label}] ${said}`);
  }

  // stream is stdout or stderr: what is written is logged, line by line.
  function stream(level, fd) {
    let open = "";
    const flush = () => {
      if (open !== "") host.log(level, open);
      open = "";
    };
    return {
      fd, isTTY: false, writable: true, columns: 80, rows: 24, writableLength: 0,
      write(chunk, encoding, callback) {
        const text = typeof chunk === "string" ? chunk : new (load("encoding").TextDecoder)().decode(chunk);
        const lines = (open + text).split("\n");
        if (open === "" && lines.at(-1) !== "") load("timers").queueMicrotask(flush);
        open = lines.pop();
        for (const line of lines) host.log(level, line);
        const done = typeof encoding === "function" ? encoding : callback;
        if (typeof done === "function") process.nextTick(done);
        return true;
      },
      end(...args) { if (args.length > 0) this.write(...args); return this; },
      cork() {}, uncork() {}, getColorDepth: () => 1, hasColors: () => false, getWindowSize: () => [80, 24],
      on() { return this; }, once() { return this; }, off() { return this; }, removeListener() { return this; }, emit: () => false,
    };
  }

  const process = {
    title: "node", version: "v20.0.0", arch: "x64", platform: "linux", pid: 1, ppid: 0, execPath: "/usr/bin/node", exitCode: undefined,
    argv: ["/usr/bin/node", "/"], execArgv: [], argv0: "node", debugPort: 0, env, features: {}, config: {},
    versions: { node: "20.0.0", v8: "11.3.244.8-node.9", uv: "1.44.2", zlib: "1.2.13", modules: "115", unicode: "15.0" },
    release: { name: "node", lts: undefined },
    cwd: () => "/", umask: () => 18, uptime: () => host.now() / 1000, hrtime, memoryUsage,
    resourceUsage: () => ({ userCPUTime: Math.round(host.now() * 1000), systemCPUTime: 0, maxRSS: Math.round(memoryUsage().rss / 1024), sharedMemorySize: 0, unsharedDataSize: 0, unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0, swappedOut: 0, fsRead: 0, fsWrite: 0, ipcSent: 0, ipcReceived: 0, signalsCount: 0, voluntaryContextSwitches: 0, involuntaryContextSwitches: 0 }),
    cpuUsage: () => ({ user: Math.round(host.now() * 1000), system: 0 }), constrainedMemory: memoryLimit, availableMemory: () => memoryLimit() - memoryUsage().heapUsed,
    getuid: () => 1000, geteuid: () => 1000, getgid: () => 1000, getegid: () => 1000, getgroups: () => [1000],
    emitWarning, getBuiltinModule: (name) => (load("require").builtins.includes(`${name}`.replace(/^node:/, "")) ? load("require").require(name) : undefined),
    getActiveResourcesInfo: () => [], hasUncaughtExceptionCaptureCallback: () => false, setUncaughtExceptionCaptureCallback() {}, setSourceMapsEnabled() {},
    exit: absent("exit", end), reallyExit: absent("reallyExit", end), abort: absent("abort", end), kill: absent("kill", end),
    binding: absent("binding", alone), _linkedBinding: absent("_linkedBinding", alone), dlopen: absent("dlopen", "take the JavaScript build of the package"),
    ...Object.fromEntries(["setuid", "setgid", "seteuid", "setegid", "setgroups", "initgroups", "openStdin", "loadEnvFile"].map((name) => [name, absent(name, alone)])),
    chdir: absent("chdir", "there is one folder, /tmp; write its name before the file's"),
    nextTick(callback, ...args) {
      if (typeof callback !== "function") throw load("node/errors").wrongType("callback", "function", callback);
      load("timers").queueMicrotask(() => callback(...args));
    },
  };

  // What few functions ask for is made when they do.
  const lazily = (name, make) => p.defineProperty(process, name, {
    __proto__: null, enumerable: true, configurable: true,
    get: () => { p.defineProperty(process, name, { __proto__: null, value: make(), writable: true, enumerable: true, configurable: true }); return process[name]; },
    set: (value) => { p.defineProperty(process, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true }); },
  });
  lazily("stdout", () => stream("LOG", 1));
  lazily("stderr", () => stream("ERROR", 2));
  lazily("allowedNodeEnvironmentFlags", () => new Set());
  lazily("stdin", () => ({ fd: 0, isTTY: false, on() { return this; }, once() { return this; }, resume() { return this; }, pause() { return this; }, setEncoding() { return this; }, read: () => null }));

  // process is an emitter, of events that nobody emits but the function itself.
  let emitter;
  for (const name of ["on", "once", "off", "emit", "addListener", "removeListener", "removeAllListeners", "prependListener", "prependOnceListener", "listeners", "rawListeners", "listenerCount", "eventNames", "setMaxListeners", "getMaxListeners"]) {
    p.defineProperty(process, name, { __proto__: null, writable: true, configurable: true, enumerable: false, value: { [name](...args) {
      emitter ??= new (load("events").EventEmitter)();
      const result = emitter[name](...args);
      return result === emitter ? process : result;
    } }[name] });
  }
  p.defineProperty(process, p.toStringTag, { __proto__: null, value: "process", configurable: true });

  return { __proto__: null, process, memoryLimit };
});
