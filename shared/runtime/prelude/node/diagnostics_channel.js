// The module diagnostics_channel: named channels that call their subscribers at once.
(function (host, load) {
  "use strict";
  const { needFunction, wrongType } = load("node/errors");
  const channels = new Map();

  class Channel {
    #subscribers = [];
    #stores = new Map();
    constructor(name) { this.name = name; }
    get hasSubscribers() { return this.#subscribers.length > 0 || this.#stores.size > 0; }
    subscribe(subscriber) {
      needFunction(subscriber, "subscription");
      this.#subscribers = [...this.#subscribers, subscriber];
    }
    unsubscribe(subscriber) {
      const at = this.#subscribers.indexOf(subscriber);
      if (at < 0) return false;
      this.#subscribers = this.#subscribers.toSpliced(at, 1);
      return true;
    }
    publish(message) {
      for (const subscriber of this.#subscribers) {
        try {
          subscriber(message, this.name);
        } catch (error) {
          load("process").process.nextTick(() => { throw error; });
        }
      }
    }
    bindStore(store, transform) { this.#stores.set(store, transform); }
    unbindStore(store) { return this.#stores.delete(store); }
    runStores(data, f, self, ...args) {
      let run = () => {
        this.publish(data);
        return Reflect.apply(f, self, args);
      };
      for (const [store, transform] of this.#stores) {
        const next = run;
        run = () => store.run(transform ? transform(data) : data, next);
      }
      return run();
    }
  }

  function channel(name) {
    if (typeof name !== "string" && typeof name !== "symbol") throw wrongType("channel", ["string", "symbol"], name);
    if (!channels.has(name)) channels.set(name, new Channel(name));
    return channels.get(name);
  }

  const events = ["start", "end", "asyncStart", "asyncEnd", "error"];
  class TracingChannel {
    constructor(given) { for (const event of events) this[event] = typeof given === "string" ? channel(`tracing:${given}:${event}`) : given[event]; }
    get hasSubscribers() { return events.some((event) => this[event].hasSubscribers); }
    subscribe(handlers) { for (const event of events) if (handlers[event]) this[event].subscribe(handlers[event]); }
    unsubscribe(handlers) { return events.every((event) => !handlers[event] || this[event].unsubscribe(handlers[event])); }
    traceSync(f, context = {}, self, ...args) {
      return this.start.runStores(context, () => {
        try {
          return context.result = Reflect.apply(f, self, args);
        } catch (error) {
          context.error = error;
          this.error.publish(context);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
    tracePromise(f, context = {}, self, ...args) {
      const settled = (key, then) => (value) => {
        context[key] = value;
        if (key === "error") this.error.publish(context);
        this.asyncStart.publish(context);
        this.asyncEnd.publish(context);
        return then(value);
      };
      return this.start.runStores(context, () => {
        try {
          return Promise.resolve(Reflect.apply(f, self, args)).then(settled("result", (value) => value), settled("error", (error) => { throw error; }));
        } finally {
          this.end.publish(context);
        }
      });
    }
  }

  const module = {
    channel, Channel, tracingChannel: (given) => new TracingChannel(given), hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name, subscriber) => channel(name).subscribe(subscriber), unsubscribe: (name, subscriber) => channel(name).unsubscribe(subscriber),
  };
  return { __proto__: null, module };
});
