const fs = require("fs"), fsp = require("fs/promises"), path = require("path"), dir = fs.mkdtempSync("/tmp/members-");
const at = (name) => path.join(dir, name), hide = (e) => { if (e instanceof Error) e.message = e.message.replaceAll(dir, "DIR"); throw e; };
const names = [];
// every runs an operation in its three forms, on files that fresh makes anew.
async function every(name, ...runs) {
  const forms = [[`fs.${name}Sync`, async (...args) => fs[`${name}Sync`](...args)], [`fs.${name}`, (...args) => new Promise((done, fail) => fs[name](...args, (e, v) => (e ? fail(e) : done(v))))], [`fs.promises.${name}`, (...args) => fsp[name](...args)]];
  for (const [full, f] of forms) {
    if (typeof fs[`${name}Sync`] !== "function" && full.endsWith("Sync") || full.startsWith("fs.promises") && typeof fsp[name] !== "function") continue;
    await member(full, ...runs.map((run) => async () => { fresh(); try { return await run(f); } catch (e) { return hide(e); } }));
  }
}
function fresh() {
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(at("sub/deep"), { recursive: true });
  fs.writeFileSync(at("a.txt"), "héllo");
  fs.writeFileSync(at("sub/b.bin"), Buffer.from([0, 1, 255]));
}
const whole = (name = "a.txt") => fs.readFileSync(at(name));
await every("readFile", (f) => f(at("a.txt")), (f) => f(at("a.txt"), "utf8"), (f) => f(at("a.txt"), { encoding: "base64" }), (f) => f(at("none")), (f) => f(dir), (f) => f(at("a.txt/x")), (f) => f(new URL(`file://${at("a.txt")}`), "latin1"), (f) => f(Buffer.from(at("a.txt")), "utf8"), (f) => f(at("a.txt"), "nope"), (f) => f({}), (f) => f("a\0b"));
await every("writeFile", async (f) => { await f(at("a.txt"), "new"); return whole(); }, async (f) => { await f(at("c"), Buffer.from("c")); return whole("c"); }, async (f) => { await f(at("c"), "ff00", "hex"); return whole("c"); }, async (f) => { await f(at("a.txt"), "+", { flag: "a" }); return whole(); }, (f) => f(at("a.txt"), "x", { flag: "wx" }), (f) => f(at("none/x"), "x"), (f) => f(dir, "x"), (f) => f(at("a.txt"), 5), (f) => f(at("a.txt"), null), async (f) => { await f(at("c"), new Uint16Array([1, 2])); return whole("c"); });
await every("appendFile", async (f) => { await f(at("a.txt"), "!"); return whole(); }, async (f) => { await f(at("c"), "made"); return whole("c"); }, (f) => f(dir, "x"));
await every("access", (f) => f(at("a.txt")), (f) => f(at("none")), (f) => f(at("a.txt"), fs.constants.R_OK | fs.constants.W_OK));
await member("fs.existsSync", () => ["a.txt", "none", "sub", "a.txt/x"].map((n) => fs.existsSync(at(n))), () => [undefined, 5, {}].map((v) => fs.existsSync(v)));
await member("fs.exists", () => new Promise((done) => fs.exists(at("a.txt"), done)));
for (const name of ["stat", "lstat"]) await every(name, async (f) => { const s = await f(at("a.txt")); return [s.size, s.isFile(), s.isDirectory(), s.isSymbolicLink(), s.isFIFO(), s.isSocket(), s.isBlockDevice(), s.isCharacterDevice(), s.mtime instanceof Date, typeof s.mtimeMs, s.mode & 0o170000, s.nlink]; }, async (f) => { const s = await f(at("sub")); return [s.isFile(), s.isDirectory()]; }, (f) => f(at("none")), async (f) => typeof (await f(at("a.txt"), { bigint: true })).size);
await every("mkdir", (f) => f(at("x")), (f) => f(at("x/y/z")), async (f) => (await f(at("x/y/z"), { recursive: true }))?.replace(dir, "DIR"), (f) => f(at("sub")), (f) => f(at("sub"), { recursive: true }), (f) => f(at("a.txt")), (f) => f(at("a.txt"), { recursive: true }), (f) => f(at("a.txt/x")));
await every("readdir", async (f) => (await f(dir)).sort(), async (f) => (await f(dir, { withFileTypes: true })).map((e) => [e.name, e.isFile(), e.isDirectory()]).sort(), async (f) => (await f(dir, { recursive: true })).sort(), (f) => f(at("none")), (f) => f(at("a.txt")), async (f) => (await f(dir, "buffer")).map(String).sort());
await every("unlink", async (f) => { await f(at("a.txt")); return fs.existsSync(at("a.txt")); }, (f) => f(at("none")), (f) => f(at("sub")));
await every("rmdir", async (f) => { await f(at("sub/deep")); return fs.existsSync(at("sub/deep")); }, (f) => f(at("sub")), (f) => f(at("a.txt")), (f) => f(at("none")));
await every("rm", async (f) => { await f(at("a.txt")); return fs.existsSync(at("a.txt")); }, (f) => f(at("none"), { force: true }), async (f) => { await f(at("sub"), { recursive: true }); return fs.existsSync(at("sub")); }, (f) => f(at("none")), (f) => f(at("sub")));
await every("rename", async (f) => { await f(at("a.txt"), at("sub/z")); return [whole("sub/z"), fs.existsSync(at("a.txt"))]; }, async (f) => { await f(at("sub"), at("moved")); return whole("moved/b.bin"); }, (f) => f(at("none"), at("x")), async (f) => { await f(at("a.txt"), at("sub/b.bin")); return whole("sub/b.bin"); });
await every("copyFile", async (f) => { await f(at("a.txt"), at("copy")); return [whole("copy"), whole()]; }, (f) => f(at("a.txt"), at("sub/b.bin"), fs.constants.COPYFILE_EXCL), (f) => f(at("none"), at("x")));
await every("truncate", async (f) => { await f(at("a.txt"), 2); return whole(); }, async (f) => { await f(at("a.txt"), 8); return whole(); }, async (f) => { await f(at("a.txt")); return whole(); });
await every("mkdtemp", async (f) => { const d = await f(at("tmp-")); return [d.slice(0, -6).replace(dir, "DIR"), fs.statSync(d).isDirectory()]; });
await every("realpath", async (f) => (await f(at("sub/../a.txt"))).replace(dir, "DIR"), (f) => f(at("none")));
await every("utimes", async (f) => { await f(at("a.txt"), 5, new Date(7000)); return fs.statSync(at("a.txt")).mtime; });
await every("chmod", (f) => f(at("a.txt"), 0o600));
await member("fs.createReadStream", async () => { fresh(); const out = []; for await (const x of fs.createReadStream(at("a.txt"), { start: 1, end: 3 })) out.push(x); return Buffer.concat(out); }, () => new Promise((done) => fs.createReadStream(at("none")).on("error", (e) => done(e.code))), async () => { const out = []; for await (const x of fs.createReadStream(at("a.txt"), "utf8")) out.push(x); return out.join(""); });
await member("fs.createWriteStream", async () => { const w = fs.createWriteStream(at("w")); w.write("ab"); w.end("cd"); await wait(w, "finish"); return [whole("w"), w.bytesWritten]; }, async () => { const w = fs.createWriteStream(at("w"), { flags: "a" }); w.end("!"); await wait(w, "finish"); return whole("w"); }, () => wait(fs.createWriteStream(at("none/x")), "error").then(([e]) => e.code));
await member("fs.constants", () => ["F_OK", "R_OK", "W_OK", "COPYFILE_EXCL", "O_RDONLY", "O_CREAT", "S_IFREG"].map((k) => fs.constants[k]));
await member("fs wrong", () => fs.readFile(at("a.txt")), () => fs.readFileSync(5.5), () => fs.writeFile(at("a.txt"), "x"), () => fs.mkdirSync(5), () => fs.promises === fsp);
fs.rmSync(dir, { recursive: true, force: true });
