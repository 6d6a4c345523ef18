import Mustache from "mustache";
export async function main() {
  return [Mustache.render("{{#l}}<{{n}}>{{/l}}{{^e}}none{{/e}} {{{h}}} {{h}} {{>p}}", { l: [{ n: 1 }, { n: 2 }], h: "<b>" }, { p: "P{{l.length}}" }), Mustache.parse("a{{b}}").length, Mustache.render("{{#up}}x{{v}}{{/up}}", { v: "y", up: () => (t, r) => r(t).toUpperCase() })];
}
