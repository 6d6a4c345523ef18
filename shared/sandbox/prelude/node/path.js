// The module path. path-browserify is Node's own path.posix of version 10; what
// Node 20 does otherwise is here.
(function (host, load) {
  "use strict";
  const { coded, needText, wrongType } = load("node/errors");
  const base = load("vendor/path");
  const posix = {};

  // Every argument is checked as Node checks it, with its name.
  const arguments1 = { normalize: "path", isAbsolute: "path", dirname: "path", basename: "path", extname: "path", parse: "path" };
  for (const [name, argument] of Object.entries(arguments1)) {
    posix[name] = { [name](path, suffix) {
      needText(path, argument);
      if (name !== "basename" || suffix === undefined) return base[name](path);
      needText(suffix, "suffix");
      return base.basename(path, suffix);
    } }[name];
  }
  for (const name of ["resolve", "join"]) {
    posix[name] = { [name](...paths) {
      for (let i = paths.length - 1; i >= 0; i--) needText(paths[i], name === "join" ? "path" : `paths[${i}]`);
      return base[name](...paths);
    } }[name];
  }
  posix.relative = function relative(from, to) {
    needText(from, "from");
    needText(to, "to");
    return base.relative(from, to);
  };
  posix.format = function format(parts) {
    if (parts === null || typeof parts !== "object") throw wrongType("pathObject", "Object", parts);
    const ext = parts.ext ? (parts.ext[0] === "." ? "" : ".") + parts.ext : "";
    const dir = parts.dir || parts.root, name = parts.base || `${parts.name || ""}${ext}`;
    if (!dir) return name;
    return dir === parts.root ? `${dir}${name}` : `${dir}/${name}`;
  };
  posix.toNamespacedPath = posix._makeLong = function toNamespacedPath(path) { return path; };
  Object.assign(posix, { sep: "/", delimiter: ":", posix });

  const win32 = {};
  for (const name of Object.keys(posix)) {
    if (typeof posix[name] !== "function") continue;
    win32[name] = { [name]() { throw coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `path.win32.${name} is not available in cloud functions: paths are those of Linux`); } }[name];
  }
  posix.win32 = Object.assign(win32, { sep: "\\", delimiter: ";", win32, posix });
  return { __proto__: null, posix };
});
