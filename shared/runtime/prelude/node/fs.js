// The module fs: files of this run, in memory, below /tmp, 16 MB in all. Whatever is elsewhere does not exist, and
// nothing can be written there.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { posix: path } = load("node/path");
  const { coded, wrongType, needFunction, unavailable } = load("node/errors");
  const { fs: constants } = load("node/constants");
  const capacity = 16 * 2 ** 20;
  const words = { __proto__: null, ENOENT: [-2, "no such file or directory"], EEXIST: [-17, "file already exists"], ENOTDIR: [-20, "not a directory"], EISDIR: [-21, "illegal operation on a directory"], ENOTEMPTY: [-39, "directory not empty"], EROFS: [-30, "read-only file system"], ENOSPC: [-28, "no space left on device"], EPERM: [-1, "operation not permitted"] };

  // ---- the tree: a file has bytes, a directory has names

  const now = () => new Date();
  let inodes = 1, used = 0;
  const directory = () => ({ ino: ++inodes, names: new Map(), made: now(), changed: now() });
  const root = { ...directory(), names: new Map([["tmp", directory()]]) };

  function fail(code, call, from, to, hint) {
    const [errno, text] = words[code];
    const error = new Error(`${code}: ${text}, ${call} '${from}'${to === undefined ? "" : ` -> '${to}'`}${hint === undefined ? "" : `: ${hint}`}`);
    Object.assign(error, { errno, code, syscall: call, path: from });
    if (to !== undefined) error.dest = to;
    throw error;
  }

  function nameOf(value, argument = "path") {
    if (value instanceof load("url").URL) return load("node_url").module.fileURLToPath(value);
    if (typeof value === "string" || value instanceof Uint8Array) {
      const text = `${value instanceof Uint8Array ? Buffer.from(value) : value}`;
      if (text.includes("\0")) throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument '${argument}' must be a string, Uint8Array, or URL without null bytes. Received ${load("inspect").inspect(text)}`);
      return text;
    }
    throw wrongType(argument, ["string", "Buffer", "URL"], value);
  }

  // find gives the node of a name; with parent, where it is or would be.
  function find(name, call) {
    const parts = path.resolve("/", name).split("/").filter(Boolean);
    let node = root, parent;
    for (let i = 0; i < parts.length; i++) {
      if (node === undefined) fail("ENOENT", call, name);
      if (node.names === undefined) fail("ENOTDIR", call, name);
      parent = node;
      node = node.names.get(parts[i]);
    }
    return { node, parent, base: parts.at(-1), inside: parts[0] === "tmp" && parts.length > 1 };
  }
  function existing(name, call) {
    const { node } = find(name, call);
    if (node === undefined) fail("ENOENT", call, name);
    return node;
  }
  function writable(name, call) {
    const resolved = path.resolve("/", name);
    if (!resolved.startsWith("/tmp/")) fail("EROFS", call, name, undefined, "only /tmp can be written; keep data in a table or BaaS.File");
    return find(name, call);
  }

  function count(node, size, name) {
    if (used - (node.bytes?.length ?? 0) + size > capacity) fail("ENOSPC", "write", name, undefined, "the files of a run may have 16 MB");
    used += size - (node.bytes?.length ?? 0);
    node.changed = now();
  }
  function store(node, bytes, name) {
    count(node, bytes.length, name);
    node.bytes = bytes;
    node.room = undefined;
  }

  // writeAt changes a part of a file, or makes it longer: in a room of twice the size, so that many short writes do not
  // copy all that is there each time.
  function writeAt(node, bytes, at, name) {
    const size = node.bytes.length, end = at + bytes.length;
    if (end > size) {
      count(node, end, name);
      if (!(node.room?.length >= end)) {
        const room = Buffer.alloc(Math.min(Math.max(end, 2 * size, 256), Math.max(end, capacity)));
        node.bytes.copy(room);
        node.room = room;
      }
      node.bytes = node.room.subarray(0, end);
      if (at > size) node.bytes.fill(0, size, at);
    } else node.changed = now();
    node.bytes.set(bytes, at);
  }
  const newFile = () => ({ ino: ++inodes, bytes: Buffer.alloc(0), room: undefined, made: now(), changed: now() });

  // ---- operations, as the Sync functions have them

  const encodingOf = (options) => (typeof options === "string" ? options : options?.encoding ?? null);
  const flagOf = (options, fallback) => (typeof options === "object" && options !== null ? options.flag : undefined) ?? fallback;
  function bytesOf(data, encoding) {
    if (typeof data === "string") return Buffer.from(data, encoding ?? "utf8");
    if (ArrayBuffer.isView(data)) return Buffer.from(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    throw wrongType("data", ["string", "Buffer", "TypedArray", "DataView"], data);
  }

  class Stats {
    constructor(node) {
      const file = node.names === undefined;
      Object.assign(this, {
        dev: 1, mode: file ? 0o100644 : 0o40755, nlink: 1, uid: 1000, gid: 1000, rdev: 0, blksize: 4096, ino: node.ino, size: file ? node.bytes.length : 4096, blocks: file ? Math.ceil(node.bytes.length / 512) : 8,
        atimeMs: +node.changed, mtimeMs: +node.changed, ctimeMs: +node.changed, birthtimeMs: +node.made, atime: node.changed, mtime: node.changed, ctime: node.changed, birthtime: node.made,
      });
    }
    isFile() { return (this.mode & 0o170000) === 0o100000; }
    isDirectory() { return (this.mode & 0o170000) === 0o40000; }
    isSymbolicLink() { return false; }
    isBlockDevice() { return false; }
    isCharacterDevice() { return false; }
    isFIFO() { return false; }
    isSocket() { return false; }
  }
  class Dirent {
    #node;
    constructor(name, parent, node) {
      this.name = name;
      this.parentPath = this.path = parent;
      this.#node = node;
    }
    isFile() { return this.#node.names === undefined; }
    isDirectory() { return this.#node.names !== undefined; }
    isSymbolicLink() { return false; }
  }

  const isDescriptor = (given) => Number.isInteger(given) && given >= 0;
  function decoded(bytes, options) {
    const encoding = encodingOf(options);
    return encoding === null || encoding === "buffer" ? bytes : bytes.toString(encoding);
  }

  function write(given, data, options, call, flag) {
    if (isDescriptor(given)) {
      load("node/fs_descriptors").writeAll(given, bytesOf(data, encodingOf(options)));
      return;
    }
    const name = nameOf(given), bytes = bytesOf(data, encodingOf(options)), { node, parent, base } = writable(name, "open");
    if (node?.names !== undefined) fail("EISDIR", "open", name);
    if (node !== undefined && flag.includes("x")) fail("EEXIST", "open", name);
    const file = node ?? newFile();
    if (flag[0] === "a") writeAt(file, bytes, file.bytes.length, name);
    else store(file, bytes, name);
    parent.names.set(base, file);
  }

  function drop(node) {
    if (node.names === undefined) used -= node.bytes.length;
    else for (const child of node.names.values()) drop(child);
  }

  function remove(given, options, call) {
    const name = nameOf(given), { node, parent, base } = writable(name, call);
    if (node === undefined) {
      if (options?.force) return;
      fail("ENOENT", call, name);
    }
    if (node.names !== undefined && !options?.recursive) throw coded(Error, "ERR_FS_EISDIR", `Path is a directory: rm returned EISDIR (is a directory) ${name}`);
    drop(node);
    parent.names.delete(base);
  }

  function walk(node, prefix, parent, out) {
    for (const [name, child] of node.names) {
      out.push([prefix + name, parent, child, name]);
      if (child.names !== undefined) walk(child, `${prefix}${name}/`, path.join(parent, name), out);
    }
    return out;
  }

  const operations = {
    __proto__: null,
    readFile(given, options) {
      if (isDescriptor(given)) return decoded(load("node/fs_descriptors").readAll(given), options);
      const name = nameOf(given), node = existing(name, "open");
      if (node.names !== undefined) throw Object.assign(new Error("EISDIR: illegal operation on a directory, read"), { errno: -21, code: "EISDIR", syscall: "read" });
      return decoded(Buffer.from(node.bytes), options);
    },
    writeFile: (name, data, options) => write(name, data, options, "open", flagOf(options, "w")),
    appendFile: (name, data, options) => write(name, data, options, "open", flagOf(options, "a")),
    stat(given, options) {
      const name = nameOf(given), { node } = find(name, "stat");
      if (node === undefined && options?.throwIfNoEntry === false) return undefined;
      return new Stats(node ?? fail("ENOENT", "stat", name));
    },
    lstat: (given) => new Stats(existing(nameOf(given), "lstat")),
    access(given) { existing(nameOf(given), "access"); },
    realpath(given) {
      const name = nameOf(given);
      existing(name, "lstat");
      return path.resolve("/", name);
    },
    mkdir(given, options) {
      const name = nameOf(given), recursive = typeof options === "object" && options?.recursive === true;
      let first;
      if (recursive) {
        let at = "";
        for (const part of path.resolve("/", name).split("/").filter(Boolean)) {
          at += `/${part}`;
          const { node, parent, base } = find(at, "mkdir");
          if (node?.names !== undefined) continue;
          if (node !== undefined) fail("EEXIST", "mkdir", name);
          writable(at, "mkdir");
          parent.names.set(base, directory());
          first ??= at;
        }
        return first;
      }
      const { node } = find(name, "mkdir");
      if (node !== undefined) fail("EEXIST", "mkdir", name);
      const { parent, base } = writable(name, "mkdir");
      parent.names.set(base, directory());
      return undefined;
    },
    readdir(given, options) {
      const name = nameOf(given), node = existing(name, "scandir");
      if (node.names === undefined) fail("ENOTDIR", "scandir", name);
      const all = options?.recursive ? walk(node, "", name, []) : [...node.names].map(([n, child]) => [n, name, child, n]);
      all.sort(([a], [b]) => (a < b ? -1 : 1));
      return all.map(([n, parent, child, base]) => (options?.withFileTypes ? new Dirent(base, parent, child) : n));
    },
    unlink(given) {
      const name = nameOf(given), { node, parent, base } = writable(name, "unlink");
      if (node === undefined) fail("ENOENT", "unlink", name);
      if (node.names !== undefined) fail("EISDIR", "unlink", name);
      drop(node);
      parent.names.delete(base);
    },
    rmdir(given, options) {
      const name = nameOf(given), { node, parent, base } = writable(name, "rmdir");
      if (node === undefined) fail("ENOENT", "rmdir", name);
      if (node.names === undefined) fail("ENOTDIR", "rmdir", name);
      if (node.names.size > 0 && !options?.recursive) fail("ENOTEMPTY", "rmdir", name);
      drop(node);
      parent.names.delete(base);
    },
    rm: (given, options) => remove(given, options, "rm"),
    rename(given, other) {
      const from = nameOf(given, "oldPath"), to = nameOf(other, "newPath"), source = writable(from, "rename");
      if (source.node === undefined) fail("ENOENT", "rename", from, to);
      const target = writable(to, "rename");
      if (target.node?.names !== undefined && target.node.names.size > 0) fail("ENOTEMPTY", "rename", from, to);
      if (`${path.resolve("/", to)}/`.startsWith(`${path.resolve("/", from)}/`) && from !== to) fail("EPERM", "rename", from, to);
      if (target.node !== undefined && target.node !== source.node) drop(target.node);
      source.parent.names.delete(source.base);
      target.parent.names.set(target.base, source.node);
    },
    copyFile(given, other, mode = 0) { write(other, operations.readFile(nameOf(given, "src")), undefined, "copyfile", mode & 1 ? "wx" : "w"); },
    truncate(given, length = 0) {
      const name = nameOf(given), node = existing(name, "open"), bytes = Buffer.alloc(Math.min(length, capacity + 1));
      node.bytes.copy(bytes, 0, 0, Math.min(length, node.bytes.length));
      store(node, bytes, name);
    },
    utimes(given, atime, mtime) { existing(nameOf(given), "utime").changed = mtime instanceof Date ? mtime : new Date(Number(mtime) * 1000); },
    chmod(given) { existing(nameOf(given), "chmod"); },
    mkdtemp(prefix) {
      const name = `${nameOf(prefix, "prefix")}${load("crypto").randomUUID().slice(0, 6)}`;
      operations.mkdir(name);
      return name;
    },
  };

  // ---- the three shapes of each: Sync, with a callback, and as a promise

  const module = { constants, Stats, Dirent, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 };
  const promises = module.promises = { constants };
  for (const name of Object.keys(operations)) {
    const operation = operations[name];
    module[`${name}Sync`] = { [`${name}Sync`]: (...args) => operation(...args) }[`${name}Sync`];
    promises[name] = { [name]: async (...args) => operation(...args) }[name];
    module[name] = { [name]: function (...args) {
      const callback = args.findLast((v) => typeof v === "function");
      needFunction(callback, "cb");
      args = args.slice(0, args.lastIndexOf(callback));
      if (args.length > 0 && !isDescriptor(args[0])) nameOf(args[0]);
      let error = null, result;
      try {
        result = operation(...args);
      } catch (thrown) {
        error = thrown;
      }
      load("timers").module.setImmediate(() => { if (error !== null) callback(error); else if (result === undefined) callback(null); else callback(null, result); });
    } }[name];
  }
  module.existsSync = (name) => {
    try {
      return find(nameOf(name), "access").node !== undefined;
    } catch (error) {
      return false;
    }
  };
  module.exists = (name, callback) => { load("timers").module.setImmediate(() => callback(module.existsSync(name))); };
  module.realpathSync.native = module.realpathSync;

  // ---- descriptors and streams, in parts of their own

  const later = ["open", "close", "read", "write", "readv", "writev", "fstat", "fsync", "fdatasync", "fchmod", "futimes", "ftruncate"];
  for (const name of later.flatMap((one) => [one, `${one}Sync`])) {
    const set = (value) => Object.defineProperty(module, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(module, name, { __proto__: null, enumerable: true, configurable: true, set, get() {
      for (const one of later.flatMap((other) => [other, `${other}Sync`])) if (Object.getOwnPropertyDescriptor(module, one).get !== undefined) Object.defineProperty(module, one, { __proto__: null, value: undefined, writable: true, enumerable: true, configurable: true });
      load("node/fs_descriptors").define(module);
      return module[name];
    } });
  }
  promises.open = async function open(...args) { return load("node/fs_descriptors").openHandle(...args); };
  module.createReadStream = function createReadStream(name, options) { return new (load("node/fs_streams").ReadStream)(typeof options?.fd === "number" || options?.fd ? name : nameOf(name), options); };
  module.createWriteStream = function createWriteStream(name, options) { return new (load("node/fs_streams").WriteStream)(typeof options?.fd === "number" || options?.fd ? name : nameOf(name), options); };
  for (const name of ["ReadStream", "WriteStream"]) {
    const set = (value) => Object.defineProperty(module, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(module, name, { __proto__: null, enumerable: true, configurable: true, set, get() { set(load("node/fs_streams")[name]); return module[name]; } });
  }
  for (const name of ["link", "symlink", "readlink", "opendir", "cp", "chown", "statfs"]) {
    for (const key of [name, `${name}Sync`]) module[key] = { [key]() { throw unavailable(`fs.${key}`, "files here have one name and no owner; take readdir, copyFile, rename"); } }[key];
  }
  for (const name of ["watch", "watchFile", "unwatchFile", "openAsBlob"]) module[name] = { [name]() { throw unavailable(`fs.${name}`, "nobody else changes the files of a run"); } }[name];
  const inside = { __proto__: null, Stats, fail, nameOf, find, writable, store, writeAt, newFile };
  return { __proto__: null, module, inside };
});
