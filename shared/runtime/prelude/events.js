// EventEmitter. A function, not a class: old code calls it on its own object.
(function (host, load) {
  "use strict";
  const errorMonitor = Symbol("events.errorMonitor");
  const captureRejections = Symbol.for("nodejs.rejection");
  const methods = {};
  const warned = new WeakSet(); // emitters with too many listeners, said once each

  function EventEmitter(options) {
    EventEmitter.init.call(this, options);
  }
  EventEmitter.init = function (options) {
    if (options?.captureRejections ?? EventEmitter.captureRejections) Object.defineProperty(this, "_captures", { value: true, writable: true, configurable: true });
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
    for (const listener of list) {
      const result = listener.apply(this, args);
      if (this._captures && result !== null && typeof result === "object" && typeof result.then === "function") result.then(undefined, (error) => captured(this, error, name, args));
    }
    return list.length > 0;
  };

  // captured hands on what a promise of a listener was rejected with, when captureRejections asks for it.
  function captured(emitter, error, name, args) {
    load("process").process.nextTick(() => {
      if (typeof emitter[captureRejections] === "function") emitter[captureRejections](error, name, ...args);
      else {
        emitter._captures = false; // a listener of "error" that is rejected ends here
        emitter.emit("error", error);
        emitter._captures = true;
      }
    });
  }

  function unhandled(error) {
    if (error instanceof Error) return error;
    const wrapped = new Error(`Unhandled error. (${typeof error === "string" ? `'${error}'` : load("inspect").inspect(error)})`);
    wrapped.code = "ERR_UNHANDLED_ERROR";
    wrapped.context = error;
    return wrapped;
  }

  methods.setMaxListeners = function setMaxListeners(n) {
    const { wrongType, outOfRange } = load("node/errors");
    if (typeof n !== "number") throw wrongType("setMaxListeners", "number", n);
    if (!(n >= 0)) throw outOfRange("setMaxListeners", ">= 0", n);
    this._maxListeners = n;
    return this;
  };
  methods.getMaxListeners = function getMaxListeners() { return this._maxListeners ?? EventEmitter.defaultMaxListeners; };
  methods.listeners = function listeners(name) { return listOf(this, name).map((l) => l.listener ?? l); };
  methods.rawListeners = function rawListeners(name) { return [...listOf(this, name)]; };
  methods.listenerCount = function listenerCount(name) { return listOf(this, name).length; };
  methods.eventNames = function eventNames() { return this._events === undefined ? [] : Reflect.ownKeys(this._events); };

  Object.assign(EventEmitter.prototype, methods, { _events: undefined, _eventsCount: 0, _maxListeners: undefined });

  const aborted = (signal) => Object.assign(new Error("The operation was aborted", { cause: signal.reason }), { name: "AbortError", code: "ABORT_ERR" });

  function needEmitter(emitter) {
    if (typeof emitter?.on !== "function" && typeof emitter?.addEventListener !== "function") throw load("node/errors").wrongType("emitter", ["EventEmitter"], emitter);
  }

  // on is an async iterator of the events of a name.
  function on(emitter, name, { signal } = {}) {
    needEmitter(emitter);
    if (signal?.aborted) throw aborted(signal);
    const events = [], waiting = [];
    let failure, ended = false;
    const take = (...args) => { if (waiting.length > 0) waiting.shift().resolve({ value: args, done: false }); else events.push(args); };
    const fail = (error) => { if (waiting.length > 0) waiting.shift().reject(error); else failure = error; stop(); };
    const abort = () => fail(aborted(signal));
    function stop() {
      ended = true;
      emitter.off(name, take);
      emitter.off("error", fail);
      signal?.removeEventListener("abort", abort);
      for (const one of waiting.splice(0)) one.resolve({ value: undefined, done: true });
      return Promise.resolve({ value: undefined, done: true });
    }
    emitter.on(name, take);
    if (name !== "error") emitter.on("error", fail);
    signal?.addEventListener("abort", abort, { once: true });
    return {
      next() {
        if (events.length > 0) return Promise.resolve({ value: events.shift(), done: false });
        if (failure !== undefined) {
          const error = failure;
          failure = undefined;
          return Promise.reject(error);
        }
        return ended ? Promise.resolve({ value: undefined, done: true }) : new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
      return: stop,
      throw(error) { fail(error); return Promise.resolve({ value: undefined, done: true }); },
      [Symbol.asyncIterator]() { return this; },
    };
  }

  // once is the promise of the next event; an "error" rejects it.
  function once(emitter, name, { signal } = {}) {
    return new Promise((resolve, reject) => {
      needEmitter(emitter);
      if (signal?.aborted) return reject(aborted(signal));
      if (emitter instanceof load("event_target").EventTarget) return emitter.addEventListener(name, (event) => resolve([event]), { once: true });
      const fail = (error) => { emitter.removeListener(name, done); reject(error); };
      const done = (...args) => { emitter.removeListener("error", fail); resolve(args); };
      emitter.once(name, done);
      if (name !== "error") emitter.once("error", fail);
      signal?.addEventListener("abort", () => {
        emitter.removeListener(name, done);
        emitter.removeListener("error", fail);
        reject(aborted(signal));
      }, { once: true });
    });
  }

  Object.assign(EventEmitter, {
    EventEmitter, errorMonitor, once, on, captureRejectionSymbol: captureRejections, captureRejections: false, defaultMaxListeners: 10,
    listenerCount: (emitter, name) => emitter.listenerCount(name),
    getMaxListeners: (emitter) => emitter.getMaxListeners(), usingDomains: false,
    addAbortListener(signal, listener) {
      if (signal.aborted) load("timers").queueMicrotask(() => listener());
      else signal.addEventListener("abort", listener, { once: true });
      return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
    },
    getEventListeners: (emitter, name) => emitter.listeners(name),
    setMaxListeners: (n, ...emitters) => { for (const emitter of emitters) emitter.setMaxListeners(n); },
  });
  return { __proto__: null, EventEmitter };
});
