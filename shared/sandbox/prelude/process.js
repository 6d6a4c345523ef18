// process: the function's variables and nothing of a process (D24, D46).
(function (host, load, p) {
  "use strict";
  const state = { __proto__: null, file: host.file };
  const env = {};

  // begin is called before each run: what install saw belongs to no run.
  function begin(run) {
    if (run.file !== undefined) state.file = run.file;
    if (run.variables) fill(run.variables);
  }

  function fill(variables) {
    for (const key in variables) env[key] = variables[key];
  }

  if (host.variables) fill(host.variables);

  const process = {
    env,
    nextTick(callback, ...args) {
      if (typeof callback !== "function") throw new p.TypeError("process.nextTick needs a function");
      load("timers").queueMicrotask(() => callback(...args));
    },
  };
  return { __proto__: null, process, state, begin };
});
