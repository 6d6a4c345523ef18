// The module async_hooks: AsyncLocalStorage and AsyncResource. What asynchronous code runs in is kept by the engine:
// then, await and microtasks go on in the context in which they were asked for. Timers are told by p.run.bind.
(function (host, load, p) {
  "use strict";
  const { apply } = p;
  const { needFunction } = load("node/errors");
  const { context } = host; // context() is a Map of storages and their stores, or undefined; context(next) changes it

  function runIn(next, f, self, args) {
    const before = context(next);
    try {
      return apply(f, self, args);
    } finally {
      context(before);
    }
  }

  // bind makes a function that runs in the context of now.
  function bind(f) {
    const now = context();
    return function (...args) { return runIn(now, f, this, args); };
  }

  const add = (storage, store) => new p.Map(context()).set(storage, store);
  const without = (storage) => {
    const next = new p.Map(context());
    next.delete(storage);
    return next;
  };

  class AsyncLocalStorage {
    constructor() { p.run.bind = bind; }
    static bind(f) {
      needFunction(f, "fn");
      return bind(f);
    }
    static snapshot() {
      const now = context();
      return (f, ...args) => runIn(now, f, undefined, args);
    }
    run(store, f, ...args) { return runIn(add(this, store), f, undefined, args); }
    exit(f, ...args) { return runIn(without(this), f, undefined, args); }
    enterWith(store) { context(add(this, store)); }
    getStore() { return context()?.get(this); }
    disable() { context(without(this)); }
  }

  let ids = 1;
  class AsyncResource {
    #context = context();
    #id = ++ids;
    constructor(type) { if (typeof type !== "string") throw load("node/errors").wrongType("type", "string", type); }
    static bind(f, type, self) {
      needFunction(f, "fn");
      const resource = new AsyncResource(type ?? (f.name || "bound-anonymous-fn"));
      return resource.bind(f, self);
    }
    runInAsyncScope(f, self, ...args) { return runIn(this.#context, f, self, args); }
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
