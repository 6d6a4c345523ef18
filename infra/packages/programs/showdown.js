import showdown from "showdown";
export async function main() { const c = new showdown.Converter({ tables: true, strikethrough: true }); return [c.makeHtml("# 标题\n\n- a\n- **b**\n\n|x|y|\n|-|-|\n|1|2|\n\n~~d~~ `c`"), c.makeHtml("[l](http://a.b \"t\") ![i](x.png)")]; }
