// The module os: a small Linux machine that says nothing of the real one.
(function (host, load) {
  "use strict";
  const { process } = load("process");
  const memory = () => load("process").memoryLimit();

  const module = {
    EOL: "\n", devNull: "/dev/null", constants: load("node/constants").os,
    arch: () => process.arch, platform: () => process.platform, type: () => "Linux", machine: () => "x86_64", endianness: () => "LE",
    release: () => "5.10.0", version: () => "#1 SMP", hostname: () => "localhost", homedir: () => "/tmp", tmpdir: () => "/tmp",
    uptime: () => process.uptime(), loadavg: () => [0, 0, 0], networkInterfaces: () => ({}), availableParallelism: () => 1,
    cpus: () => [{ model: "function", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    totalmem: memory, freemem: () => memory() - process.memoryUsage().heapUsed,
    getPriority: () => 0, setPriority: (pid, priority = pid) => { if (typeof priority !== "number") throw load("node/errors").wrongType("priority", "number", priority); },
    userInfo: (options) => {
      const text = (s) => (options?.encoding === "buffer" ? load("buffer").Buffer.from(s) : s);
      return { uid: 1000, gid: 1000, username: text("function"), homedir: text("/tmp"), shell: null };
    },
  };
  // Each converts to its value where a text is wanted, as in Node.
  for (const name of ["arch", "platform", "type", "machine", "endianness", "release", "version", "hostname", "homedir", "tmpdir", "uptime", "availableParallelism", "totalmem", "freemem"]) {
    Object.defineProperty(module[name], Symbol.toPrimitive, { value: () => module[name](), configurable: true });
  }
  return { __proto__: null, module };
});
