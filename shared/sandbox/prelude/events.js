// EventEmitter. A function, not a class: old code calls it on its own object.
(function (host, load) {
  "use strict";
  const errorMonitor = Symbol("events.errorMonitor");
  const captureRejections = Symbol.for("nodejs.rejection");
  const methods = {};
  const warned = new WeakSet(); // emitters with too many listeners, said once each

  function EventEmitter() {
    EventEmitter.init.call(this);
  }
  EventEmitter.init = function () {
    if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
      this._events = Object.create(null);
      this._eventsCount = 0;
    }
    this._maxListeners = this._maxListeners ?? undefined;
  };

  function check(listener) {
    if (typeof listener === "function") return;
    const error = new TypeError(`The "listener" argument must be of type function. Received ${listener === null ? "null" : typeof listener}`);
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }

  const listOf = (emitter, name) => emitter._events?.[name] ?? [];

  function insert(emitter, name, listener, first) {
    check(listener);
    if (emitter._events === undefined) EventEmitter.init.call(emitter);
    if (emitter._events.newListener !== undefined) emitter.emit("newListener", name, listener.listener ?? listener);
    const list = listOf(emitter, name);
    if (list.length === 0) emitter._eventsCount++;
    emitter._events[name] = first ? [listener, ...list] : [...list, listener];
    const limit = emitter.getMaxListeners();
    if (limit > 0 && list.length + 1 > limit && !warned.has(emitter)) {
      warned.add(emitter);
      console.warn(`MaxListenersExceededWarning: Possible EventEmitter memory leak detected. ${list.length + 1} ${String(name)} listeners added. Use emitter.setMaxListeners() to increase limit`);
    }
    return emitter;
  }

  function wrapOnce(emitter, name, listener) {
    check(listener);
    const wrapped = function (...args) {
      emitter.removeListener(name, wrapped);
      return listener.apply(emitter, args);
    };
    wrapped.listener = listener;
    return wrapped;
  }

  methods.on = methods.addListener = function addListener(name, listener) { return insert(this, name, listener, false); };
  methods.prependListener = function prependListener(name, listener) { return insert(this, name, listener, true); };
  // By this.on, which subclasses override: a stream begins to flow then.
  methods.once = function once(name, listener) { return this.on(name, wrapOnce(this, name, listener)); };
  methods.prependOnceListener = function prependOnceListener(name, listener) { return this.prependListener(name, wrapOnce(this, name, listener)); };

  methods.off = methods.removeListener = function removeListener(name, listener) {
    check(listener);
    const list = listOf(this, name);
    const at = list.findLastIndex((l) => l === listener || l.listener === listener);
    if (at < 0) return this;
    if (list.length === 1) {
      delete this._events[name];
      this._eventsCount--;
    } else this._events[name] = list.toSpliced(at, 1);
    if (this._events.removeListener !== undefined) this.emit("removeListener", name, listener);
    return this;
  };

  methods.removeAllListeners = function removeAllListeners(name) {
    if (arguments.length === 0) {
      this._events = Object.create(null);
      this._eventsCount = 0;
    } else if (this._events?.[name] !== undefined) {
      delete this._events[name];
      this._eventsCount--;
    }
    return this;
  };

  methods.emit = function emit(name, ...args) {
    if (name === "error") {
      for (const listener of listOf(this, errorMonitor)) listener.apply(this, args);
      if (listOf(this, "error").length === 0) throw unhandled(args[0]);
    }
    const list = listOf(this, name);
    for (const listener of list) listener.apply(this, args);
    return list.length > 0;
  };

  function unhandled(error) {
    if (error instanceof Error) return error;
    const wrapped = new Error(`Unhandled error. (${typeof error === "string" ? `'${error}'` : load("inspect").inspect(error)})`);
    wrapped.code = "ERR_UNHANDLED_ERROR";
    wrapped.context = error;
    return wrapped;
  }

  methods.setMaxListeners = function setMaxListeners(n) { this._maxListeners = n; return this; };
  methods.getMaxListeners = function getMaxListeners() { return this._maxListeners ?? EventEmitter.defaultMaxListeners; };
  methods.listeners = function listeners(name) { return listOf(this, name).map((l) => l.listener ?? l); };
  methods.rawListeners = function rawListeners(name) { return [...listOf(this, name)]; };
  methods.listenerCount = function listenerCount(name) { return listOf(this, name).length; };
  methods.eventNames = function eventNames() { return this._events === undefined ? [] : Reflect.ownKeys(this._events); };

  Object.assign(EventEmitter.prototype, methods, { _events: undefined, _eventsCount: 0, _maxListeners: undefined });

  // once is the promise of the next event; an "error" rejects it.
  function once(emitter, name, { signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (emitter instanceof load("event_target").EventTarget) return emitter.addEventListener(name, (event) => resolve([event]), { once: true });
      const fail = (error) => { emitter.removeListener(name, done); reject(error); };
      const done = (...args) => { emitter.removeListener("error", fail); resolve(args); };
      emitter.once(name, done);
      if (name !== "error") emitter.once("error", fail);
      signal?.addEventListener("abort", () => {
        emitter.removeListener(name, done);
        emitter.removeListener("error", fail);
        reject(signal.reason);
      }, { once: true });
    });
  }

  Object.assign(EventEmitter, {
    EventEmitter, errorMonitor, once, captureRejectionSymbol: captureRejections, captureRejections: false, defaultMaxListeners: 10,
    listenerCount: (emitter, name) => emitter.listenerCount(name),
    getEventListeners: (emitter, name) => emitter.listeners(name),
    setMaxListeners: (n, ...emitters) => { for (const emitter of emitters) emitter.setMaxListeners(n); },
  });
  return { __proto__: null, EventEmitter };
});
