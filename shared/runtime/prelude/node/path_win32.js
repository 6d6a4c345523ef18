// path.win32: bare-path, which is Node's own source for other places, with Node's checks of arguments.
(function (host, load) {
  "use strict";
  const base = load("vendor/win32"), { posix } = load("node/path"), { checked } = load("node/path_checks");
  // The package has no parse.
  function parse(path) {
    const root = /^[\\/]{2}[^\\/]+[\\/]+[^\\/]+[\\/]?|^[a-z]:[\\/]?|^[\\/]|^/i.exec(path)[0];
    const rest = path.slice(root.length).replace(/[\\/]+$/, ""), at = Math.max(rest.lastIndexOf("\\"), rest.lastIndexOf("/"));
    const name = rest.slice(at + 1), ext = base.extname(name);
    return { root, dir: root + rest.slice(0, Math.max(at, 0)), base: name, ext, name: name.slice(0, name.length - ext.length) };
  }

  const win32 = { ...checked({ ...base, parse }, "\\"), sep: "\\", delimiter: ";", posix };
  win32.toNamespacedPath = win32._makeLong = function toNamespacedPath(path) { return typeof path === "string" && path !== "" ? base.toNamespacedPath(path) : path; };
  win32.win32 = win32;
  return { __proto__: null, win32 };
});
