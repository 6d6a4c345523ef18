import nunjucks from "nunjucks";
export async function main() {
  const env = new nunjucks.Environment(null, { autoescape: true }); env.addFilter("shout", (s) => s.toUpperCase() + "!");
  return [env.renderString("Hi {{ name | shout }} {% for i in list %}{{ loop.index }}-{{ i }},{% endfor %}{% if x > 1 %}big{% else %}small{% endif %} {{ html }} {{ html | safe }}", { name: "li", list: [1, 2], x: 2, html: "<b>" }), nunjucks.renderString("{% set a = 5 %}{{ a + 1 }} {{ [3,1,2] | sort | join('-') }} {{ 'a b' | title }} {{ d | dump }}", { d: { x: 1 } }), env.renderString("{% macro f(x) %}[{{ x }}]{% endmacro %}{{ f(1) }}{{ f('中') }}", {}), await new Promise((done) => env.renderString("{{ a.b.c() }}", {}, (e) => done(e.message.includes("undefined"))))];
}
