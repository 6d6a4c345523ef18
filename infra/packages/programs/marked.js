import { marked, Marked } from "marked";
export async function main() {
  return [marked.parse("# Hi *there*\n\n- a\n- [x] b\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n```js\nx < 1\n```\n\n[l](http://x \"t\") ![i](a.png) `c` ~~d~~\n\n> q\n\n1. one\n2. two"), marked.parseInline("**b** <i>x</i>"), marked.lexer("# a").map((t) => t.type), new Marked({ breaks: true }).parse("a\nb"), await marked.parse("你好 **世界**", { async: true })];
}
