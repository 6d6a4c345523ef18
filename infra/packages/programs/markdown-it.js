import MarkdownIt from "markdown-it";
export async function main() { const m = new MarkdownIt({ html: false, linkify: true, typographer: true }); return [m.render("# H\n\n1. a\n2. b\n\n> q \"x\" -- y\n\nhttp://例子.com www.a.com\n\n```js\nx<1\n```"), m.renderInline("**中文**强调 *a*"), m.parse("a|b\n-|-\n1|2", {}).length]; }
