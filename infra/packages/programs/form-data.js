const FormData = require("form-data");
const collect = (s) => new Promise((ok, no) => { const all = []; s.on("data", (d) => all.push(Buffer.from(d))); s.on("end", () => ok(Buffer.concat(all).toString())); s.on("error", no); s.resume(); });
exports.main = async () => {
  const f = new FormData(); f.setBoundary("xBOUNDARYx");
  f.append("a", "1"); f.append("b", Buffer.from("中文"), { filename: "b.txt", contentType: "text/plain" }); f.append("n", 5, { header: { "X-A": "b" } });
  const g = new FormData(); g.setBoundary("y"); g.append("k", "v"); g.append("f", Buffer.from("q"), "q.json");
  return [f.getBuffer().toString(), f.getHeaders(), f.getLengthSync(), await collect(g), f.hasKnownLength(), await new Promise((ok) => g.getLength((e, n) => ok(n)))];
};
