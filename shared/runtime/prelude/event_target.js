// Event, EventTarget, AbortController, AbortSignal.
(function (host, load) {
  "use strict";
  let start; // state of an Event while it is dispatched, shared with EventTarget

  class Event {
    #type; #init; #target = null; #stopped = false; #prevented = false; #timeStamp = host.now();
    static { start = (event, target) => { event.#target = target; event.#stopped = false; return () => event.#stopped; }; }
    constructor(type, init = {}) {
      if (arguments.length === 0) throw new TypeError("Event needs a type");
      this.#type = `${type}`;
      this.#init = { bubbles: Boolean(init?.bubbles), cancelable: Boolean(init?.cancelable), composed: Boolean(init?.composed) };
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get currentTarget() { return this.#target; }
    get srcElement() { return this.#target; }
    get bubbles() { return this.#init.bubbles; }
    get cancelable() { return this.#init.cancelable; }
    get composed() { return this.#init.composed; }
    get defaultPrevented() { return this.#prevented; }
    get timeStamp() { return this.#timeStamp; }
    get isTrusted() { return false; }
    preventDefault() { if (this.#init.cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#stopped = true; }
    composedPath() { return this.#target ? [this.#target] : []; }
    get [Symbol.toStringTag]() { return "Event"; }
  }

  class EventTarget {
    #listeners = new Map();
    addEventListener(type, listener, options) {
      if (listener === null || listener === undefined) return;
      const { once = false, signal } = typeof options === "object" && options !== null ? options : {};
      if (signal?.aborted) return;
      const list = this.#listeners.get(`${type}`) ?? [];
      if (list.some((l) => l.listener === listener)) return;
      this.#listeners.set(`${type}`, [...list, { listener, once }]);
      signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
    }
    removeEventListener(type, listener) {
      const list = this.#listeners.get(`${type}`);
      if (list) this.#listeners.set(`${type}`, list.filter((l) => l.listener !== listener));
    }
    dispatchEvent(event) {
      if (!(event instanceof Event)) throw new TypeError("dispatchEvent needs an Event");
      const stopped = start(event, this);
      for (const { listener, once } of this.#listeners.get(event.type) ?? []) {
        if (once) this.removeEventListener(event.type, listener);
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent?.(event);
        if (stopped()) break;
      }
      return !event.defaultPrevented;
    }
    get [Symbol.toStringTag]() { return "EventTarget"; }
  }

  let abort;
  const key = Symbol("only the platform makes signals");

  class AbortSignal extends EventTarget {
    #aborted = false; #reason; onabort = null;
    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new (load("dom_exception").DOMException)("This operation was aborted", "AbortError") : reason;
        const event = new Event("abort");
        signal.dispatchEvent(event);
        if (typeof signal.onabort === "function") signal.onabort(event);
      };
    }
    constructor(secret) {
      super();
      if (secret !== key) throw new TypeError("Illegal constructor");
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    get [Symbol.toStringTag]() { return "AbortSignal"; }
    static abort(reason) { const signal = new AbortSignal(key); abort(signal, reason); return signal; }
    static timeout(ms) {
      const signal = new AbortSignal(key);
      load("timers").setTimeout(() => abort(signal, new (load("dom_exception").DOMException)("The operation was aborted due to timeout", "TimeoutError")), ms).unref();
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(key);
      for (const one of signals) {
        if (one.aborted) abort(signal, one.reason);
        else one.addEventListener("abort", () => abort(signal, one.reason), { once: true });
      }
      return signal;
    }
  }

  class AbortController {
    #signal = new AbortSignal(key);
    get signal() { return this.#signal; }
    abort(reason) { abort(this.#signal, reason); }
    get [Symbol.toStringTag]() { return "AbortController"; }
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, init) {
      if (arguments.length === 0) throw new TypeError("CustomEvent needs a type");
      super(type, init);
      this.#detail = init?.detail ?? null;
    }
    get detail() { return this.#detail; }
    get [Symbol.toStringTag]() { return "CustomEvent"; }
  }

  return { __proto__: null, Event, CustomEvent, EventTarget, AbortController, AbortSignal };
});
