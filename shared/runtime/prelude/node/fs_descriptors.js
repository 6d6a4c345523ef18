// The part of fs that works by descriptors: open, read, write, close and what goes with them, also as a FileHandle.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { coded, wrongType, outOfRange, needFunction, received } = load("node/errors");
  const { fs: constants } = load("node/constants");
  const { Stats, fail, nameOf, find, writable, store, writeAt, newFile } = load("node/fs").inside;
  const most = 1024; // open at once

  const flagsOf = { __proto__: null, r: "r", rs: "r", sr: "r", "r+": "rw", "rs+": "rw", "sr+": "rw", w: "wct", wx: "wctx", xw: "wctx", "w+": "rwct", "wx+": "rwctx", "xw+": "rwctx", a: "wca", ax: "wcax", xa: "wcax", as: "wca", sa: "wca", "a+": "rwca", "ax+": "rwcax", "xa+": "rwcax", "as+": "rwca", "sa+": "rwca" };
  function parse(flags) {
    if (typeof flags === "number") {
      const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_EXCL } = constants;
      return [flags & O_WRONLY ? "w" : flags & O_RDWR ? "rw" : "r", flags & O_CREAT ? "c" : "", flags & O_TRUNC ? "t" : "", flags & O_APPEND ? "a" : "", flags & O_EXCL ? "x" : ""].join("");
    }
    const known = flagsOf[flags];
    if (known === undefined) throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'flags' is invalid. Received ${load("inspect").inspect(flags)}`);
    return known;
  }

  const table = new Map();
  let free = 3; // no lower number is

  const system = (code, errno, text, call) => { throw Object.assign(new Error(`${code}: ${text}, ${call}`), { errno, code, syscall: call }); };
  function checked(fd) {
    if (typeof fd !== "number") throw wrongType("fd", "number", fd);
    if (!Number.isInteger(fd)) throw outOfRange("fd", "an integer", fd);
    if (fd < 0 || fd > 2 ** 31 - 1) throw outOfRange("fd", ">= 0 && <= 2147483647", fd);
    return fd;
  }
  function opened(fd, call) {
    return table.get(checked(fd)) ?? system("EBADF", -9, "bad file descriptor", call);
  }

  function open(given, flags = "r") {
    const name = nameOf(given), how = parse(flags ?? "r"), writes = how.includes("w");
    if (table.size >= most) system("EMFILE", -24, "too many open files", `open '${name}'`);
    let { node, parent, base } = find(name, "open");
    if (node !== undefined && how.includes("c") && how.includes("x")) fail("EEXIST", "open", name);
    if (node?.names !== undefined && writes) fail("EISDIR", "open", name);
    if (node === undefined) {
      if (!how.includes("c")) fail("ENOENT", "open", name);
      ({ parent, base } = writable(name, "open"));
      node = newFile();
      parent.names.set(base, node);
    } else if (how.includes("t")) store(node, Buffer.alloc(0), name);
    while (table.has(free)) free++;
    const fd = free++;
    table.set(fd, { node, name, reads: how.includes("r"), writes, appends: how.includes("a"), at: 0 });
    return fd;
  }

  function close(fd) {
    opened(fd, "close");
    table.delete(fd);
    free = Math.min(free, fd);
  }

  // room checks which part of a buffer is meant.
  function room(buffer, offset, length) {
    const size = buffer.byteLength;
    offset = offset ?? 0;
    if (!Number.isInteger(offset)) throw typeof offset === "number" ? outOfRange("offset", "an integer", offset) : wrongType("offset", "number", offset);
    if (offset < 0 || offset > size) throw outOfRange("offset", offset < 0 ? ">= 0" : `<= ${size}`, offset);
    length = length ?? size - offset;
    if (!Number.isInteger(length)) throw typeof length === "number" ? outOfRange("length", "an integer", length) : wrongType("length", "number", length);
    if (length < 0 || length > size - offset) throw outOfRange("length", length < 0 ? ">= 0" : `<= ${size - offset}`, length);
    return Buffer.from(buffer.buffer, buffer.byteOffset + offset, length);
  }
  const placed = (position) => (typeof position === "bigint" ? Number(position) : Number.isInteger(position) && position >= 0 ? position : undefined);

  // into are the arguments of a read: (buffer, offset, length, position), (buffer, options) or (options).
  function into(buffer, offset, length, position) {
    if (buffer === undefined || buffer !== null && typeof buffer === "object" && !ArrayBuffer.isView(buffer)) ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer ?? {});
    else if (offset !== null && typeof offset === "object") ({ offset, length, position } = offset);
    if (!ArrayBuffer.isView(buffer)) throw wrongType("buffer", ["Buffer", "TypedArray", "DataView"], buffer);
    return { buffer, target: room(buffer, offset, length), position: placed(position) };
  }
  function read(fd, ...rest) {
    if (rest.length === 2 && rest[1] !== undefined && typeof rest[1] !== "object") throw wrongType("options", "object", rest[1]);
    const { target, position } = into(...rest), file = opened(fd, "read");
    if (!file.reads) system("EBADF", -9, "bad file descriptor", "read");
    if (file.node.names !== undefined) system("EISDIR", -21, "illegal operation on a directory", "read");
    const { bytes } = file.node, at = position ?? file.at, count = Math.max(0, Math.min(target.length, bytes.length - at));
    bytes.copy(target, 0, at, at + count);
    if (position === undefined) file.at += count;
    return count;
  }

  // from are the arguments of a write: of bytes as of a read, or (text, position, encoding).
  function from(data, offset, length, position) {
    if (typeof data === "string") return { bytes: Buffer.from(data, length ?? "utf8"), position: placed(offset) };
    if (!ArrayBuffer.isView(data)) throw wrongType("buffer", ["string", "Buffer", "TypedArray", "DataView"], data);
    if (offset !== null && typeof offset === "object") ({ offset, length, position } = offset);
    return { bytes: room(data, offset, length), position: placed(position) };
  }
  function write(fd, ...rest) {
    const { bytes, position } = from(...rest), file = opened(fd, "write");
    if (!file.writes) system("EBADF", -9, "bad file descriptor", "write");
    const at = file.appends ? file.node.bytes.length : position ?? file.at;
    writeAt(file.node, bytes, at, file.name);
    if (position === undefined) file.at = at + bytes.length;
    return bytes.length;
  }

  // each does one thing with every buffer of a list, one behind the other.
  const each = (act) => (fd, list, position) => {
    if (!Array.isArray(list) || list.some((one) => !ArrayBuffer.isView(one))) throw coded(TypeError, "ERR_INVALID_ARG_TYPE", `The "buffers" argument must be an ArrayBufferView[]. Received ${received(list)}`);
    let total = 0, at = placed(position);
    for (const one of list) {
      const count = act(fd, one, 0, one.byteLength, at);
      total += count;
      if (at !== undefined) at += count;
      if (count < one.byteLength) break;
    }
    return total;
  };

  const operations = {
    __proto__: null, open, close, read, write, readv: each(read), writev: each(write),
    fstat: (fd) => new Stats(opened(fd, "fstat").node),
    fsync(fd) { opened(fd, "fsync"); },
    fdatasync(fd) { opened(fd, "fdatasync"); },
    fchmod(fd) { opened(fd, "fchmod"); },
    futimes(fd, atime, mtime) { opened(fd, "futime").node.changed = mtime instanceof Date ? mtime : new Date(Number(mtime) * 1000); },
    ftruncate(fd, length = 0) {
      const { node, name, writes } = opened(fd, "ftruncate");
      if (!writes) system("EINVAL", -22, "invalid argument", "ftruncate");
      if (length > node.bytes.length) writeAt(node, Buffer.alloc(0), length, name);
      else store(node, Buffer.from(node.bytes.subarray(0, Math.max(0, length))), name);
    },
  };

  // whole reads or writes all there is behind a descriptor, as readFile and the like do with one.
  function readAll(fd) {
    const { node, at } = opened(fd, "fstat"), out = Buffer.alloc(Math.max(0, (node.bytes?.length ?? 0) - at));
    read(fd, out);
    return out;
  }
  const writeAll = (fd, data, encoding) => { write(fd, typeof data === "string" ? Buffer.from(data, encoding ?? "utf8") : data); };

  // define hangs an operation on the module with a callback and as Sync. A read gives its callback the buffer, too.
  function define(module) {
    const { promisify } = load("util").util;
    for (const name of Object.keys(operations)) {
      const operation = operations[name], vector = name.endsWith("v"), shows = vector || name === "read" || name === "write";
      module[`${name}Sync`] = { [`${name}Sync`]: (...args) => operation(...args) }[`${name}Sync`];
      const kept = (args) => (name === "read" ? into(...args.slice(1)).buffer : args[1]);
      module[name] = { [name](...args) {
        const at = args.findLastIndex((v) => typeof v === "function"), callback = args[at] ?? (name === "close" ? () => {} : undefined);
        needFunction(callback ?? (name === "open" ? args[1] : undefined), "cb");
        if (at >= 0) args = args.slice(0, at);
        if (name === "open") nameOf(args[0]);
        else checked(args[0]);
        if (name === "read" && args.length === 1) args.push({ buffer: Buffer.alloc(16384) });
        const buffer = shows ? kept(args) : undefined;
        if (name === "read" && !ArrayBuffer.isView(args[1])) args[1] = { ...args[1], buffer };
        let error = null, result;
        try {
          result = operation(...args);
        } catch (thrown) {
          if (thrown.syscall === undefined) throw thrown;
          error = thrown;
        }
        load("timers").module.setImmediate(() => { if (error !== null) callback(error); else if (shows) callback(null, result, buffer); else if (result === undefined) callback(null); else callback(null, result); });
      } }[name];
      if (shows) {
        const count = name.startsWith("read") ? "bytesRead" : "bytesWritten", key = vector ? "buffers" : "buffer";
        Object.defineProperty(module[name], promisify.custom, { __proto__: null, value: (...args) => new Promise((resolve, reject) => module[name](...args, (error, n, buffer) => (error ? reject(error) : resolve({ [count]: n, [key]: buffer })))) });
      }
    }
  }

  // ---- promises.open gives one

  class FileHandle extends load("events").EventEmitter {
    #fd;
    constructor(fd) {
      super();
      this.#fd = fd;
    }
    get fd() { return this.#fd; }
    async close() {
      if (this.#fd < 0) return;
      close(this.#fd);
      this.#fd = -1;
      this.emit("close");
    }
    async read(...args) {
      const { buffer, target, position } = into(...args);
      return { bytesRead: read(this.#live("read"), target, 0, target.length, position), buffer };
    }
    async write(data, ...rest) { return { bytesWritten: write(this.#live("write"), data, ...rest), buffer: data }; }
    async readv(buffers, position) { return { bytesRead: operations.readv(this.#live("readv"), buffers, position), buffers }; }
    async writev(buffers, position) { return { bytesWritten: operations.writev(this.#live("writev"), buffers, position), buffers }; }
    async readFile(options) {
      const encoding = typeof options === "string" ? options : options?.encoding, all = readAll(this.#live("fstat"));
      return encoding ? all.toString(encoding) : all;
    }
    async writeFile(data, options) { writeAll(this.#live("write"), data, typeof options === "string" ? options : options?.encoding); }
    async appendFile(data, options) { return this.writeFile(data, options); }
    async stat() { return operations.fstat(this.#live("fstat")); }
    async truncate(length) { operations.ftruncate(this.#live("ftruncate"), length); }
    async sync() { operations.fsync(this.#live("fsync")); }
    async datasync() { operations.fdatasync(this.#live("fdatasync")); }
    async chmod() { operations.fchmod(this.#live("fchmod")); }
    async utimes(atime, mtime) { operations.futimes(this.#live("futime"), atime, mtime); }
    createReadStream(options) { return load("node/fs").module.createReadStream("", { ...options, fd: this.#fd }); }
    createWriteStream(options) { return load("node/fs").module.createWriteStream("", { ...options, fd: this.#fd }); }
    async [Symbol.asyncDispose]() { return this.close(); }
    #live(call) {
      if (this.#fd >= 0) return this.#fd;
      throw Object.assign(coded(Error, "EBADF", "file closed"), { syscall: call });
    }
  }

  return { __proto__: null, operations, define, readAll, writeAll, openHandle: async (...args) => new FileHandle(open(...args)) };
});
