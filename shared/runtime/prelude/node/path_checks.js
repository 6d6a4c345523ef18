// The functions of path with Node's checks of their arguments around those of a package, for both kinds of paths.
(function (host, load) {
  "use strict";
  const { needText, wrongType } = load("node/errors");

  function checked(base, sep) {
    const path = {};

    // Every argument is checked as Node checks it, with its name.
    const arguments1 = { normalize: "path", isAbsolute: "path", dirname: "path", basename: "path", extname: "path", parse: "path" };
    for (const [name, argument] of Object.entries(arguments1)) {
      path[name] = { [name](given, suffix) {
        needText(given, argument);
        if (name !== "basename" || suffix === undefined) return base[name](given);
        needText(suffix, "suffix");
        return base.basename(given, suffix);
      } }[name];
    }
    for (const name of ["resolve", "join"]) {
      path[name] = { [name](...paths) {
        for (let i = paths.length - 1; i >= 0; i--) needText(paths[i], name === "join" ? "path" : `paths[${i}]`);
        return base[name](...paths);
      } }[name];
    }
    path.relative = function relative(from, to) {
      needText(from, "from");
      needText(to, "to");
      return base.relative(from, to);
    };
    path.format = function format(parts) {
      if (parts === null || typeof parts !== "object") throw wrongType("pathObject", "Object", parts);
      const ext = parts.ext ? (parts.ext[0] === "." ? "" : ".") + parts.ext : "";
      const dir = parts.dir || parts.root, name = parts.base || `${parts.name || ""}${ext}`;
      if (!dir) return name;
      return dir === parts.root ? `${dir}${name}` : `${dir}${sep}${name}`;
    };
    return path;
  }
  return { __proto__: null, checked };
});
