// The module perf_hooks: the clock of performance, marks and measures.
(function (host, load) {
  "use strict";
  const { performance } = load("timers");
  const { unavailable } = load("node/errors");
  const module = { performance, constants: {} };
  for (const name of ["PerformanceObserver", "monitorEventLoopDelay", "createHistogram"]) {
    module[name] = { [name]: function () { throw unavailable(`perf_hooks.${name}`, "a run is measured by its job; take performance.now()"); } }[name];
  }
  return { __proto__: null, module };
});
