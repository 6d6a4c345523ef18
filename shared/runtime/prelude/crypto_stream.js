// Hashes and ciphers as streams, for code that pipes: the first method of a
// stream that is called makes a Transform beside the object.
(function (host, load) {
  "use strict";
  const names = [
    "on", "once", "off", "addListener", "removeListener", "removeAllListeners", "prependListener", "listenerCount", "emit",
    "write", "end", "cork", "uncork", "read", "pipe", "unpipe", "pause", "resume", "setEncoding", "destroy", "setDefaultEncoding", Symbol.asyncIterator,
  ];
  const properties = ["readable", "writable", "destroyed", "readableEnded", "writableEnded", "writableFinished", "writableNeedDrain", "readableFlowing", "readableObjectMode", "writableObjectMode", "errored", "closed", "_readableState", "_writableState"];
  const beside = new WeakMap();

  function streamOf(object, options, transform, flush) {
    let stream = beside.get(object);
    if (stream === undefined) {
      const { Transform } = load("node/stream").Stream;
      stream = new Transform({
        ...options,
        transform(chunk, encoding, done) { finish(done, () => transform(object, chunk, encoding)); },
        flush(done) { finish(done, () => flush(object)); },
      });
      beside.set(object, stream);
    }
    return stream;
  }

  function finish(done, make) {
    let result;
    try {
      result = make();
    } catch (error) {
      done(error);
      return;
    }
    done(null, result === undefined || result.length === 0 ? undefined : result);
  }

  // stream gives a class the methods of a Transform.
  function stream(Class, optionsOf, transform, flush) {
    for (const name of names) {
      Object.defineProperty(Class.prototype, name, {
        writable: true, configurable: true,
        value(...args) {
          const stream = streamOf(this, optionsOf(this), transform, flush);
          const result = stream[name](...args);
          return result === stream ? this : result;
        },
      });
    }
    for (const name of properties) {
      Object.defineProperty(Class.prototype, name, { configurable: true, get() { return streamOf(this, optionsOf(this), transform, flush)[name]; } });
    }
  }

  return { __proto__: null, stream };
});
