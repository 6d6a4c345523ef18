// The module path. path-browserify is Node's own path.posix of version 10; what
// Node 20 does otherwise is here.
(function (host, load) {
  "use strict";
  const { checked } = load("node/path_checks");
  const base = load("vendor/path");
  const posix = checked(base, "/");
  posix.toNamespacedPath = posix._makeLong = function toNamespacedPath(path) { return path; };
  Object.assign(posix, { sep: "/", delimiter: ":", posix });

  // The other half is loaded by those who ask for it.
  Object.defineProperty(posix, "win32", { __proto__: null, enumerable: true, configurable: true, get: () => load("node/path_win32").win32 });
  return { __proto__: null, posix };
});
