import ejs from "ejs";
export async function main() {
  const caught = (f) => { try { return f(); } catch (e) { return e.name; } };
  return [ejs.render("<% for (const x of list) { %><li><%= x %></li><% } %><%- raw %>", { list: ["a", "<b>"], raw: "<i>" }), ejs.compile("hi <%= locals.name %>")({ name: "李" }), await ejs.render("<%= await p %>", { p: Promise.resolve(5) }, { async: true }), ejs.render("[? x ?]".replaceAll("[?", "<?=").replaceAll("?]", "?>"), { x: 1 }, { delimiter: "?" }), caught(() => ejs.render("<%= nope %>", {})), ejs.render("a<%# c %>b<%% x")];
}
