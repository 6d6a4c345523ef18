// process: the function's variables and nothing of a process (D24, D46).
(function (host, load, p) {
  "use strict";
  const env = {};

  // By own keys: user code may have put something on Object.prototype by now.
  const variables = p.parse(p.run.variables);
  const names = p.ownKeys(variables);
  for (let i = 0; i < names.length; i++) {
    p.defineProperty(env, names[i], { __proto__: null, value: variables[names[i]], writable: true, enumerable: true, configurable: true });
  }

  const process = {
    env,
    nextTick(callback, ...args) {
      if (typeof callback !== "function") throw new p.TypeError("process.nextTick needs a function");
      load("timers").queueMicrotask(() => callback(...args));
    },
  };
  return { __proto__: null, process };
});
