// os, tty, async_hooks, module, constants, v8, diagnostics_channel, perf_hooks and process: their shapes where values are the machine's.
const os = require("os"), tty = require("tty"), v8 = require("v8"), Module = require("module");
await member("os.EOL", () => os.EOL, () => os.devNull);
await member("os.tmpdir", () => os.tmpdir());
await member("os.platform", () => os.platform());
await member("os.type", () => os.type());
await member("os.endianness", () => os.endianness());
for (const name of ["arch", "hostname", "homedir", "release", "version", "machine", "availableParallelism", "freemem", "totalmem", "uptime", "getPriority"]) await member(`os.${name}`, () => typeof os[name]());
await member("os.cpus", () => { const list = os.cpus(); return [Array.isArray(list), list.length > 0 && Object.keys(list[0])]; });
await member("os.loadavg", () => os.loadavg().map((n) => typeof n));
await member("os.networkInterfaces", () => typeof os.networkInterfaces());
await member("os.userInfo", () => Object.keys(os.userInfo()));
await member("os.setPriority", () => os.setPriority("x"));
await member("os.constants", () => Object.keys(os.constants), () => ["errno", "signals", "priority", "dlopen"].map((k) => os.constants[k]));
await member("tty.isatty", () => [tty.isatty(99), tty.isatty("x"), tty.isatty(-1), tty.isatty()]);
await member("constants", () => ["O_RDONLY", "O_CREAT", "S_IFMT", "SIGTERM", "ENOENT", "F_OK", "PRIORITY_LOW", "RTLD_NOW"].map((k) => require("constants")[k]));
await member("module.createRequire", () => { const r = Module.createRequire("file:///a/b.js"); return [r("fs") === require("fs"), r("node:path") === require("path"), typeof r.resolve, r.resolve("fs")]; }, () => Module.createRequire("/x/y.js")("os") === os, () => Module.createRequire("relative"), () => Module.createRequire());
await member("module.builtinModules", () => ["fs", "path", "crypto", "zlib", "util", "stream", "fs/promises", "util/types", "path/posix", "stream/web"].filter((n) => !Module.builtinModules.includes(n)), () => Module.builtinModules.filter((n) => !/^_/.test(n)).length > 50);
await member("module.isBuiltin", () => ["fs", "node:fs", "fs/promises", "nope", "node:nope", "./fs", "wss", ""].map((n) => Module.isBuiltin(n)));
await member("module Module", () => Module.Module === Module);
await member("v8.getHeapStatistics", () => Object.keys(v8.getHeapStatistics()).sort(), () => v8.getHeapStatistics().used_heap_size > 0);
await member("v8.cachedDataVersionTag", () => typeof v8.cachedDataVersionTag());


// ---- async_hooks

const { AsyncLocalStorage, AsyncResource, executionAsyncId, triggerAsyncId, createHook } = require("async_hooks");
await member("async_hooks.AsyncLocalStorage", () => new AsyncLocalStorage().getStore(), () => new AsyncLocalStorage() instanceof AsyncLocalStorage);
await member("async_hooks.AsyncLocalStorage.run", () => { const a = new AsyncLocalStorage(); return [a.run(1, (x) => [x, a.getStore(), a.run(2, () => a.getStore()), a.getStore()], "arg"), a.getStore()]; }, () => { const a = new AsyncLocalStorage(); try { a.run(1, () => { throw new Error("x"); }); } catch (e) { return [e, a.getStore()]; } }, async () => { const a = new AsyncLocalStorage(); return a.run(5, () => Promise.resolve().then(() => a.getStore())); }, async () => { const a = new AsyncLocalStorage(); return a.run(6, () => new Promise((d) => setTimeout(() => d(a.getStore()), 1))); }, async () => { const a = new AsyncLocalStorage(); return a.run(7, () => new Promise((d) => process.nextTick(() => d(a.getStore())))); }, async () => { const a = new AsyncLocalStorage(); return a.run(9, () => new Promise((d) => setImmediate(() => d(a.getStore())))); });
await member("async_hooks.AsyncLocalStorage.exit", () => { const a = new AsyncLocalStorage(); return a.run(1, () => [a.exit((x) => [x, a.getStore()], 5), a.getStore()]); });
await member("async_hooks.AsyncLocalStorage.disable", () => { const a = new AsyncLocalStorage(); return a.run(1, () => { a.disable(); return a.getStore(); }); });
await member("async_hooks.AsyncLocalStorage.enterWith", async () => { const a = new AsyncLocalStorage(), b = new AsyncResource("scope"); return b.runInAsyncScope(() => { a.enterWith(3); return a.getStore(); }); });
await member("async_hooks.AsyncLocalStorage.bind", () => { const a = new AsyncLocalStorage(), f = a.run(4, () => AsyncLocalStorage.bind((x) => [x, a.getStore()])); return f(1); }, () => AsyncLocalStorage.bind(5));
await member("async_hooks.AsyncLocalStorage.snapshot", () => { const a = new AsyncLocalStorage(), s = a.run(4, () => AsyncLocalStorage.snapshot()); return a.run(5, () => s((x) => [x, a.getStore()], "y")); });
await member("async_hooks.AsyncResource.runInAsyncScope", () => { const a = new AsyncLocalStorage(), r = a.run(4, () => new AsyncResource("T")); return r.runInAsyncScope(function (x) { return [this.me, x, a.getStore()]; }, { me: 1 }, 2); });
await member("async_hooks.AsyncResource.bind", () => { const a = new AsyncLocalStorage(), r = a.run(4, () => new AsyncResource("T")); return r.bind(() => a.getStore())(); }, () => AsyncResource.bind((x) => x)(7), () => new AsyncResource("T").bind(5));
await member("async_hooks.AsyncResource", () => { const r = new AsyncResource("T"); return [typeof r.asyncId(), typeof r.triggerAsyncId(), r.emitDestroy() === r]; }, () => new AsyncResource(5));
await member("async_hooks.executionAsyncId", () => [typeof executionAsyncId(), typeof triggerAsyncId()]);
await member("async_hooks.createHook", () => { const h = createHook({ init() {} }); return [h.enable() === h, h.disable() === h]; });

// ---- process

await member("process.version", () => /^v20\./.test(process.version), () => [process.platform, process.release.name, typeof process.pid, typeof process.arch, process.argv.length > 0, process.title.length > 0]);
await member("process.versions", () => ["node", "v8", "uv", "zlib", "modules"].map((k) => typeof process.versions[k]));
await member("process.cwd", () => typeof process.cwd());
await member("process.env", () => { process.env.A_NAME = 5; const got = [process.env.A_NAME, "A_NAME" in process.env]; delete process.env.A_NAME; return [got, process.env.A_NAME, process.env.nothing]; });
await member("process.hrtime", () => { const t = process.hrtime(); return [t.length, t.every(Number.isInteger), process.hrtime(t).every((n) => n >= 0), process.hrtime(t)[0]]; }, () => process.hrtime("x"), () => process.hrtime([1]));
await member("process.hrtime.bigint", () => { const a = process.hrtime.bigint(), b = process.hrtime.bigint(); return [typeof a, b >= a]; });
await member("process.uptime", () => process.uptime() >= 0);
await member("process.memoryUsage", () => Object.keys(process.memoryUsage()), () => process.memoryUsage().heapUsed > 0);
await member("process.cpuUsage", () => Object.keys(process.cpuUsage()));
await member("process.resourceUsage", () => typeof process.resourceUsage().maxRSS);
await member("process.nextTick", async () => { const order = []; await new Promise((d) => { setTimeout(() => { order.push("timer"); d(); }, 0); Promise.resolve().then(() => order.push("promise")); process.nextTick((a, b) => order.push(a + b), "ti", "ck"); order.push("sync"); }); return [order[0], order.includes("tick"), order.at(-1)]; }, () => process.nextTick(), () => process.nextTick("x"));
await member("process.emitWarning", () => process.emitWarning(5), () => process.emitWarning());
await member("process.on", () => { const seen = [], f = (x) => seen.push(x); process.on("mine", f); process.once("mine", f); return [process.emit("mine", 1), process.emit("mine", 2), process.off("mine", f) === process, process.emit("mine", 3), seen, process.listenerCount("mine")]; });
await member("process.stdout", () => [typeof process.stdout.write, process.stdout.isTTY ?? false, process.stdout.fd, process.stderr.fd]);
await member("process.umask", () => typeof process.umask());
await member("process.getuid", () => [process.getuid, process.geteuid, process.getgid, process.getegid].map((f) => typeof f()));
await member("process.config", () => typeof process.config, () => typeof process.features, () => Array.isArray(process.execArgv), () => typeof process.execPath);
await member("process.getActiveResourcesInfo", () => Array.isArray(process.getActiveResourcesInfo()));
await member("process.allowedNodeEnvironmentFlags", () => process.allowedNodeEnvironmentFlags instanceof Set);
await member("process tag", () => Object.prototype.toString.call(process), () => require("process") === process);

const dc = require("diagnostics_channel");
await member("diagnostics_channel.channel", () => { const c = dc.channel("a"), seen = [], f = (m, n) => seen.push(m, n); c.subscribe(f); c.publish(1); const had = c.hasSubscribers; c.unsubscribe(f); c.publish(2); return [seen, had, c.hasSubscribers, c.name, dc.channel("a") === c, dc.hasSubscribers("a")]; });
await member("diagnostics_channel.subscribe", () => { const seen = [], f = (m) => seen.push(m); dc.subscribe("b", f); dc.channel("b").publish("x"); return [dc.unsubscribe("b", f), dc.unsubscribe("b", f), seen]; });
const perf = require("perf_hooks");
await member("perf_hooks.performance", () => [typeof perf.performance.now(), perf.performance === performance, typeof perf.performance.timeOrigin, typeof perf.performance.mark, typeof perf.performance.measure, typeof perf.performance.toJSON]);
