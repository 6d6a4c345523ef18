import Handlebars from "handlebars";
export async function main() {
  Handlebars.registerHelper("up", (s) => s.toUpperCase()); Handlebars.registerPartial("p", "<{{this}}>");
  const t = Handlebars.compile("{{#each list}}{{@index}}:{{up name}}{{#if x}}!{{else}}?{{/if}} {{/each}}{{{raw}}} {{raw}} {{> p who}} {{#with a}}{{b.c}}{{/with}}{{#unless no}}u{{/unless}}{{lookup a \"k\"}}");
  const caught = (f) => { try { return f(); } catch (e) { return e.message.split("\n")[0]; } };
  return [t({ list: [{ name: "a", x: 1 }, { name: "b" }], raw: "<b>&", who: "me", a: { b: { c: 5 }, k: 9 } }), caught(() => Handlebars.compile("{{#if}")({})), caught(() => Handlebars.compile("{{missing x}}")({})), typeof Handlebars.precompile("{{a}}")];
}
