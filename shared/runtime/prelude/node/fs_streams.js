// ReadStream and WriteStream of fs, over descriptors.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { outOfRange, wrongType } = load("node/errors");
  const { operations } = load("node/fs_descriptors");
  const { Readable, Writable } = load("node/stream").Stream;

  function place(options, name) {
    const value = options[name];
    if (value === undefined) return undefined;
    if (typeof value !== "number") throw wrongType(name, "number", value);
    if (value !== Infinity && (!Number.isInteger(value) || value < 0)) throw outOfRange(name, Number.isInteger(value) ? ">= 0 && <= 9007199254740991" : "an integer", value);
    return value;
  }

  // methods are what both kinds do alike: open the file first, and close it at the end.
  function methods(flags) {
    return {
      _construct(done) {
        if (typeof this.fd === "number") {
          done();
          return;
        }
        load("timers").module.setImmediate(() => attempt(done, () => {
          this.fd = operations.open(this.path, this.flags ?? flags);
          this.emit("open", this.fd);
          this.emit("ready");
        }));
      },
      _destroy(error, done) {
        if (typeof this.fd !== "number" || !this.autoClose) {
          done(error);
          return;
        }
        const { fd } = this;
        this.fd = null;
        attempt((failed) => done(error ?? failed), () => operations.close(fd));
      },
      close(callback) {
        if (callback) this.once("close", () => callback());
        this.autoClose = true;
        this.destroy();
      },
    };
  }

  function attempt(done, act) {
    try {
      act();
    } catch (error) {
      done(error);
      return;
    }
    done();
  }

  function begin(stream, Base, path, given, more) {
    const options = typeof given === "string" ? { encoding: given } : given ?? {};
    const fd = options.fd !== null && typeof options.fd === "object" ? options.fd.fd : options.fd ?? null;
    Object.assign(stream, { fd, path: fd === null ? path : undefined, flags: options.flags, mode: options.mode ?? 0o666, autoClose: options.autoClose ?? true, start: place(options, "start"), ...more });
    stream.pos = stream.start;
    Base.call(stream, { highWaterMark: options.highWaterMark, encoding: options.encoding, signal: options.signal, emitClose: options.emitClose ?? true, autoDestroy: options.autoClose ?? true, decodeStrings: true, defaultEncoding: options.encoding });
    return options;
  }

  function inherit(Class, Base, own) {
    Object.setPrototypeOf(Class, Base);
    Class.prototype = Object.create(Base.prototype, { constructor: { value: Class, writable: true, configurable: true } });
    Object.assign(Class.prototype, own);
    Object.defineProperty(Class.prototype, "pending", { configurable: true, get() { return this.fd === null; } });
  }

  function ReadStream(path, given) {
    if (!(this instanceof ReadStream)) return new ReadStream(path, given);
    const { end } = begin(this, Readable, path, { highWaterMark: 65536, ...(typeof given === "string" ? { encoding: given } : given) }, { bytesRead: 0 });
    this.end = end === undefined ? Infinity : place({ end }, "end");
    if (this.start > this.end) throw outOfRange("start", `<= "end" (here: ${this.end})`, this.start);
  }
  inherit(ReadStream, Readable, {
    ...methods("r"),
    // Not within _read: pieces that come at once become one.
    _read(size) {
      load("timers").module.setImmediate(() => {
        if (!this.destroyed) attempt((error) => { if (error) this.destroy(error); }, () => this._next(size));
      });
    },
    _next(size) {
      const left = this.end === Infinity ? size : Math.min(size, this.end - (this.pos ?? this.bytesRead) + 1), buffer = Buffer.alloc(Math.max(0, left));
      const count = left > 0 ? operations.read(this.fd, buffer, 0, left, this.pos) : 0;
      this.bytesRead += count;
      if (this.pos !== undefined) this.pos += count;
      this.push(count > 0 ? buffer.subarray(0, count) : null);
    },
  });

  function WriteStream(path, given) {
    if (!(this instanceof WriteStream)) return new WriteStream(path, given);
    begin(this, Writable, path, given, { bytesWritten: 0 });
  }
  inherit(WriteStream, Writable, {
    ...methods("w"),
    _write(chunk, encoding, done) {
      attempt(done, () => {
        operations.write(this.fd, chunk, 0, chunk.length, this.pos);
        this.bytesWritten += chunk.length;
        if (this.pos !== undefined) this.pos += chunk.length;
      });
    },
    destroySoon: Writable.prototype.end,
  });

  return { __proto__: null, ReadStream, WriteStream };
});
