// The module async_hooks: AsyncLocalStorage and AsyncResource. A context follows calls, then and timers;
// what an async function does behind an await has none, as the engine does not say who continues.
(function (host, load, p) {
  "use strict";
  const { apply, defineProperty } = p;
  const { needFunction } = load("node/errors");
  const frames = [new Map()]; // by context; 0 is none
  let now = 0;
  const current = () => now;
  const enter = (id) => {
    const before = now;
    now = id;
    return before;
  };

  function runIn(id, f, self, args) {
    const before = enter(id);
    try {
      return apply(f, self, args);
    } finally {
      enter(before);
    }
  }

  let patched = false;

  // bind makes a function that runs in the context of now.
  function bind(f) {
    const id = current();
    return patched ? function (...args) { return runIn(id, f, this, args); } : f;
  }

  function patch() {
    if (patched) return;
    patched = true;
    p.run.bind = bind;
    const { prototype } = p.Promise, nativeThen = p.then;
    const wrap = (f) => (typeof f === "function" ? bind(f) : f);
    defineProperty(prototype, "then", {
      __proto__: null, configurable: true, enumerable: false, writable: true,
      value: { then(fulfilled, rejected) { return apply(nativeThen, this, [wrap(fulfilled), wrap(rejected)]); } }.then,
    });
  }

  const add = (storage, store, remove) => {
    const frame = new Map(frames[current()]);
    if (remove) frame.delete(storage);
    else frame.set(storage, store);
    return frames.push(frame) - 1;
  };

  class AsyncLocalStorage {
    constructor() { patch(); }
    static bind(f) {
      needFunction(f, "fn");
      return bind(f);
    }
    static snapshot() {
      const id = current();
      return (f, ...args) => (id === 0 && !patched ? f(...args) : runIn(id, f, undefined, args));
    }
    run(store, f, ...args) { return runIn(add(this, store), f, undefined, args); }
    exit(f, ...args) { return runIn(add(this, undefined, true), f, undefined, args); }
    enterWith(store) { enter(add(this, store)); }
    getStore() { return frames[current()].get(this); }
    disable() { enter(add(this, undefined, true)); }
  }

  let ids = 1;
  class AsyncResource {
    #context = current();
    #id = ++ids;
    constructor(type) { if (typeof type !== "string") throw load("node/errors").wrongType("type", "string", type); }
    static bind(f, type, self) {
      needFunction(f, "fn");
      const resource = new AsyncResource(type ?? (f.name || "bound-anonymous-fn"));
      return resource.bind(f, self);
    }
    runInAsyncScope(f, self, ...args) { return this.#context === 0 && !patched ? apply(f, self, args) : runIn(this.#context, f, self, args); }
    bind(f, self) {
      needFunction(f, "fn");
      const resource = this;
      return function (...args) { return resource.runInAsyncScope(f, self ?? this, ...args); };
    }
    emitDestroy() { return this; }
    asyncId() { return this.#id; }
    triggerAsyncId() { return 1; }
  }

  const module = {
    AsyncLocalStorage, AsyncResource, asyncWrapProviders: Object.freeze({ __proto__: null, NONE: 0 }),
    createHook: () => ({ enable() { return this; }, disable() { return this; } }),
    executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}),
  };
  return { __proto__: null, module };
});
