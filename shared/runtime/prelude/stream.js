// The stream module of Node as far as packages need it to load: the old base
// class, an EventEmitter, and classes to inherit from that say, when one is
// made, that there are no streams.
(function (host, load) {
  "use strict";
  const { EventEmitter } = load("events");

  function Stream() {
    EventEmitter.call(this);
  }
  Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Stream, EventEmitter);

  for (const name of ["Readable", "Writable", "Duplex", "Transform", "PassThrough"]) {
    const made = function () {
      throw new Error(`stream.${name} is not available in cloud functions: there are no streams; pass whole values`);
    };
    Object.defineProperty(made, "name", { value: name, configurable: true });
    Object.setPrototypeOf(made.prototype, Stream.prototype);
    Object.setPrototypeOf(made, Stream);
    Stream[name] = made;
  }
  Stream.Stream = Stream;
  return { __proto__: null, Stream };
});
