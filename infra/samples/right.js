// Node's modules in every form that code asks for them.
const { join } = require("path"), { sep } = require("node:path/posix"), path = require("path");
const { once, EventEmitter } = require("events"), Emitter = require("node:events");
const { createRequire, builtinModules } = require("module"), { hrtime } = require("process"), { log } = require("console");
const assert = require("assert"), { deepEqual } = require("assert"), { ok } = require("assert/strict");
const { O_RDONLY } = require("fs").constants, fs = require("fs"), { readFile } = require("fs/promises");
const zlib = require("zlib"), { promisify } = require("util"), stream = require("stream"), { Transform } = require("stream");
const { setTimeout: wait } = require("timers/promises"), { isIP } = require("net"), absent = require("tls");

class Shout extends Transform {
  /** @type {import("stream").TransformOptions["transform"]} */
  _transform = (chunk, encoding, done) => done(null, `${chunk}!`.toUpperCase());
}

/** @type {CloudFunctionMain} */
exports.main = async (event) => {
  assert(event.data, "no data");
  ok(true);
  deepEqual([join("a", "b"), path.extname("a.js")], [`a${sep}b`, ".js"]);
  const emitter = new Emitter(), other = new EventEmitter();
  setImmediate(() => emitter.emit("done", 7));
  const [seven] = await once(emitter, "done");
  fs.writeFileSync("/tmp/a", "abc");
  const text = await readFile("/tmp/a", "utf8"), packed = await promisify(zlib.gzip)(text);
  const chunks = await stream.Readable.from([text]).pipe(new Shout()).toArray();
  await wait(1);
  log(hrtime().length, typeof absent, other.listenerCount("x"), createRequire("/").resolve("fs"), O_RDONLY);
  return [seven, text.length, packed.length > 0, `${chunks}`, builtinModules.includes("fs"), isIP("::1")];
};
