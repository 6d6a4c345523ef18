// The module "module": what there is to require, and require itself.
(function (host, load) {
  "use strict";
  const parts = load("require");

  class Module {
    constructor(id = "", parent) {
      this.id = id;
      this.path = load("node/path").posix.dirname(id);
      this.exports = {};
      this.filename = null;
      this.loaded = false;
      this.children = [];
      if (parent !== undefined) this.parent = parent;
    }
    require(name) { return parts.require(name); }
  }

  function createRequire(from) {
    const text = from instanceof load("url").URL ? from.href : from;
    if (typeof text !== "string" || !(text.startsWith("/") || text.startsWith("file:"))) {
      throw load("node/errors").coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'filename' must be a file URL object, file URL string, or absolute path string. Received ${load("inspect").inspect(from)}`);
    }
    const require = function require(name) { return parts.require(name); };
    return Object.assign(require, { resolve: parts.resolve, main: undefined, cache: Module._cache, extensions: Module._extensions });
  }

  const isBuiltin = (name) => typeof name === "string" && parts.builtins.includes(name.startsWith("node:") ? name.slice(5) : name);
  Object.assign(Module, {
    Module, createRequire, isBuiltin, builtinModules: [...parts.builtins],
    _cache: Object.create(null), _pathCache: Object.create(null), _extensions: Object.create(null), globalPaths: [],
    _load: (name) => parts.require(name), _resolveFilename: (name) => parts.resolve(name), _nodeModulePaths: () => ["/node_modules"],
    syncBuiltinESMExports() {}, findSourceMap() {},
  });
  return { __proto__: null, Module };
});
