const path = require("path").posix;
const paths = ["/a/b/../c.txt", "a//b/", "./a", "", ".", "..", "/", "//", "///a/./b", "a/../../b", ".bashrc", "a.", "x.tar.gz", "/中文/é.png", "a\\b", "C:\\x\\y.z", "c:", "\\\\server\\share\\f.txt", "C:a..\\..\\b", "/..//..", "a/b/.."];
const caught = (f, args) => { try { return f(...args); } catch (e) { return e; } };
for (const [name, module] of [["path.win32", require("path").win32]]) {
  for (const f of ["basename", "dirname", "extname", "isAbsolute", "normalize", "parse"]) await member(`${name}.${f}`, ...paths.map((p) => () => module[f](p)), () => [undefined, null, 5, {}, [], true].map((v) => caught(module[f], [v])));
  await member(`${name}.basename suffix`, () => ["/a/b.txt", "b.txt", ".txt", "b.txt.txt", "a\\b.txt", "/", ""].map((p) => [module.basename(p, ".txt"), module.basename(p, "b.txt"), module.basename(p, "")]), () => module.basename("a", 5));
  await member(`${name}.join`, ...[[], [""], ["a", "b"], ["/a", "..", "..", "b"], ["a/", "/b/"], ["./x", "./../y"], ["C:", "a"], ["\\\\s", "t"], ["a", "", "b"]].map((args) => () => module.join(...args)), () => module.join("a", null));
  await member(`${name}.resolve`, ...[["/a", "b", "../c"], ["/x", "/y", "z"], ["/a/b", ".."], ["C:\\a", "..\\b"], ["C:\\a", "D:\\b", "c"], ["/a", ""], ["\\\\s\\t", "u"]].map((args) => () => module.resolve(...(name === "path" ? ["/base", ...args] : ["C:\\base", ...args]))), () => module.resolve("/a", 5));
  await member(`${name}.relative`, ...[["/a/b/c", "/a/d"], ["/a", "/a"], ["/", "/x"], ["/foo/bar", "/foo/barbaz"], ["C:\\a\\b", "C:\\a\\c"], ["C:\\a", "D:\\b"], ["C:\\A\\b", "c:\\a\\B\\x"]].map((args) => () => name === "path" && /\\/.test(args) ? 0 : module.relative(...args)), () => module.relative("/a", null));
  await member(`${name}.format`, ...[{}, { dir: "/d", base: "b" }, { root: "/", base: "b" }, { dir: "/", root: "/", name: "n", ext: "e" }, { name: "n", ext: ".e" }, { dir: "x", base: "b.c", name: "n" }].map((o) => () => module.format(o)), () => [null, undefined, "x", 5].map((v) => caught(module.format, [v])));
  await member(`${name} constants`, () => [module.sep, module.delimiter, module.posix === path, module.win32 === require("path").win32]);
}
