// The module timers/promises.
(function (host, load) {
  "use strict";
  const { wrongType } = load("node/errors");
  const timers = load("timers");

  const aborted = (signal) => Object.assign(new Error("The operation was aborted", { cause: signal.reason }), { name: "AbortError", code: "ABORT_ERR" });

  function check(options) {
    if (options === null || typeof options !== "object") throw wrongType("options", "Object", options);
    const { signal, ref } = options;
    if (signal !== undefined && (signal === null || typeof signal !== "object" || !("aborted" in signal))) throw wrongType("options.signal", "AbortSignal", signal);
    if (ref !== undefined && typeof ref !== "boolean") throw wrongType("options.ref", "boolean", ref);
    return options;
  }

  // later is a promise of value, by a timer that start makes.
  async function later(start, clear, value, options = {}) {
    const { signal, ref } = check(options);
    if (signal?.aborted) throw aborted(signal);
    return new Promise((resolve, reject) => {
      const timer = start(() => {
        signal?.removeEventListener("abort", stop);
        resolve(value);
      });
      const stop = () => {
        clear(timer);
        reject(aborted(signal));
      };
      if (ref === false) timer.unref();
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  const promises = {
    setTimeout: (ms, value, options) => later((done) => timers.setTimeout(done, ms), timers.clearTimeout, value, options),
    setImmediate: (value, options) => later((done) => timers.setImmediate(done), timers.clearImmediate, value, options),
    async *setInterval(ms, value, options = {}) {
      check(options);
      for (;;) {
        await promises.setTimeout(ms, undefined, options);
        yield value;
      }
    },
    scheduler: {
      wait: (ms, options) => promises.setTimeout(ms, undefined, options),
      yield: () => promises.setImmediate(),
    },
  };
  return { __proto__: null, promises };
});
