// setTimeout and its kin, queueMicrotask, performance. The engine knows only
// one-shot timers by number; callbacks, arguments and repetition live here.
(function (host, load, p) {
  "use strict";
  const { apply, then } = p;
  const settled = p.resolvedPromise;
  const longest = 2147483647; // ms; longer ones fire at once, as everywhere
  let timers = { __proto__: null };
  let last = 0;

  // Timeout is what setTimeout returns: an object as in Node, that turns into
  // its number where a number is wanted.
  class Timeout {
    #id;
    constructor(id) { this.#id = id; }
    static id(t) { return t !== null && typeof t === "object" && #id in t ? t.#id : +t; }
    ref() { return loosen(this.#id, false, this); }
    unref() { return loosen(this.#id, true, this); }
    hasRef() { return timers[this.#id] !== undefined && !timers[this.#id].loose; }
    close() { clear(this); return this; }
    refresh() {
      const timer = timers[this.#id];
      if (timer) {
        host.clearTimer(this.#id);
        host.timer(this.#id, timer.ms, timer.loose);
      }
      return this;
    }
    [p.toPrimitive]() { return this.#id; }
  }
  const idOf = Timeout.id;

  // loosen says whether a timer keeps the run going.
  function loosen(id, loose, timeout) {
    const timer = timers[id];
    if (timer !== undefined && timer.loose !== loose) {
      timer.loose = loose;
      if (host.loosenTimer !== undefined) host.loosenTimer(id, loose);
    }
    return timeout;
  }

  // bound keeps the context of AsyncLocalStorage, once there is one.
  const bound = (callback) => (p.run.bind === undefined ? callback : p.run.bind(callback));

  function start(callback, ms, args, repeat) {
    if (typeof callback !== "function") throw load("node/errors").wrongType("callback", "function", callback);
    ms = +ms;
    if (!(ms >= 1 && ms <= longest)) ms = 1;
    const id = ++last;
    timers[id] = { __proto__: null, callback: bound(callback), args, ms, repeat, loose: false };
    host.timer(id, ms);
    return new Timeout(id);
  }

  function clear(timeout) {
    if (timeout === undefined || timeout === null) return;
    const id = idOf(timeout);
    if (timers[id] === undefined) return;
    delete timers[id];
    host.clearTimer(id);
  }

  function fire(id) {
    const timer = timers[id];
    if (timer === undefined) return;
    if (timer.repeat) host.timer(id, timer.ms, timer.loose);
    else delete timers[id];
    apply(timer.callback, undefined, timer.args);
  }

  function setTimeout(callback, ms, ...args) { return start(callback, ms, args, false); }
  function setInterval(callback, ms, ...args) { return start(callback, ms, args, true); }
  function clearTimeout(timeout) { clear(timeout); }
  function clearInterval(timeout) { clear(timeout); }

  function setImmediate(callback, ...args) {
    if (typeof callback !== "function") throw load("node/errors").wrongType("callback", "function", callback);
    const id = ++last;
    timers[id] = { __proto__: null, callback: bound(callback), args, ms: 0, repeat: false, loose: false };
    host.timer(id, 0);
    return new Timeout(id);
  }
  function clearImmediate(immediate) { clear(immediate); }

  function queueMicrotask(callback) {
    if (typeof callback !== "function") throw load("node/errors").wrongType("callback", "function", callback);
    if (host.microtask) host.microtask(callback);
    else apply(then, settled, [() => { callback(); }]);
  }

  // util.promisify of a timer waits for it.
  const waits = (f, make) => p.defineProperty(f, p.promisifySymbol, { __proto__: null, configurable: true, value: make });
  waits(setTimeout, (...args) => promises().setTimeout(...args));
  waits(setImmediate, (...args) => promises().setImmediate(...args));

  const performance = { now: () => host.now(), get timeOrigin() { return Date.now() - host.now(); } };

  // The two modules of Node.
  const module = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };
  const promises = () => load("node/timers_promises").promises;
  p.defineProperty(module, "promises", { __proto__: null, enumerable: true, configurable: true, get: promises });

  return {
    __proto__: null, fire, queueMicrotask, performance, module, promises,
    setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate,
  };
});
